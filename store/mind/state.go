package mind

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// part is a part of the state, a row of mind_state, and where in the state it is.
type part struct {
	name string
	into any
}

// parts are all of them, in the order in which they are written.
func parts(state *subconscious.State) []part {
	return []part{
		{"version", &state.Version},
		{partEntries, &state.Entries},
		{partParked, &state.Parked},
		{partHistory, &state.History},
		{"threads", &state.Threads},
		{"closed", &state.Closed},
	}
}

const (
	partEntries = "entries"
	partParked  = "parked"
	partHistory = "history"
)

// Load returns the state of the last committed tick, or that of a new mind.
func (s *Store) Load(ctx context.Context) (subconscious.State, error) {
	var state subconscious.State
	err := s.read(ctx, "load", func(tx *store.Tx) (err error) {
		state, err = getState(ctx, tx)
		return err
	})
	return state, err
}

// getState reads the state; what was never written is as in a new mind.
func getState(ctx context.Context, tx *store.Tx) (subconscious.State, error) {
	state := subconscious.State{Version: subconscious.SchemaVersion}
	stored, err := store.Map[string, []byte](ctx, tx, "SELECT part, body FROM mind_state")
	for _, p := range parts(&state) {
		if body, there := stored[p.name]; err == nil && there {
			err = p.decode(body)
		}
		delete(stored, p.name)
	}
	for name := range stored {
		err = cmp.Or(err, fmt.Errorf("unknown part %q of the state", name))
	}
	if err != nil {
		return state, err
	}
	if state.Version != subconscious.SchemaVersion {
		return state, fmt.Errorf("the state has version %d, this program knows %d", state.Version, subconscious.SchemaVersion)
	}
	if state.Entries == nil {
		state.Entries = []subconscious.Entry{}
	}
	if state.Threads == nil {
		state.Threads = map[subconscious.ThreadName]subconscious.ThreadState{}
	}
	for _, name := range subconscious.Threads() {
		if _, known := state.Threads[name]; !known {
			state.Threads[name] = subconscious.ThreadState{}
		}
	}
	state.TickCount, state.LastTick, err = counters(ctx, tx)
	return state, err
}

func (p part) decode(body []byte) error {
	raw, err := store.Unpack(body, nil)
	if err == nil {
		err = json.Unmarshal(raw, p.into)
	}
	if err != nil {
		return &store.Error{Code: store.CodeCorrupt, Err: err, Text: fmt.Sprintf("the mind's %s in the database cannot be read", p.name),
			Next: "Stop the daemon, and put the newest backup in its place: subconsciousctl restore FILE"}
	}
	return nil
}

// counters are kept with the newest tick alone, so that a tick that changes
// nothing writes no state.
func counters(ctx context.Context, tx *store.Tx) (count int64, last time.Time, err error) {
	type newest struct {
		row
		last string
	}
	r, _, err := store.One(ctx, tx, func(r *newest) []any {
		return []any{&r.Tick, store.Time(&r.At), store.Zone(&r.At), store.Optional(&r.last)}
	},
		"SELECT tick, at, zone, last_tick FROM mind_ticks ORDER BY tick DESC LIMIT 1")
	if err != nil || r.last == "" {
		return r.Tick, r.At, err
	}
	last, err = time.Parse(time.RFC3339Nano, r.last)
	return r.Tick, last, err
}

// putState writes the parts that changed. Entries that are in the state no
// more are kept aside, and incidents in the history are noted as told.
func putState(ctx context.Context, tx *store.Tx, p *store.Packer, state subconscious.State, at time.Time) error {
	had, err := store.Map[string, []byte](ctx, tx, "SELECT part, hash FROM mind_state")
	if err != nil {
		return err
	}
	changed := map[string][]byte{}
	for _, part := range parts(&state) {
		raw, err := json.Marshal(part.into)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], had[part.name]) {
			changed[part.name] = raw
		}
	}
	if changed[partEntries] != nil || changed[partParked] != nil {
		err = keepGone(ctx, tx, state, at)
	}
	if err == nil && changed[partHistory] != nil {
		err = keepTold(ctx, tx, state.History, at)
	}
	for _, part := range parts(&state) {
		if raw := changed[part.name]; err == nil && raw != nil {
			err = putPart(ctx, tx, p, part.name, raw)
		}
	}
	return err
}

func putPart(ctx context.Context, tx *store.Tx, p *store.Packer, part string, raw []byte) error {
	body, err := p.Pack(raw, nil)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	return tx.Exec(ctx, `INSERT INTO mind_state (part, hash, body) VALUES (?, ?, ?)
		ON CONFLICT (part) DO UPDATE SET hash = excluded.hash, body = excluded.body`, part, sum[:], body)
}
