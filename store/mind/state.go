package mind

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The parts of the state, each a row of mind_state.
const (
	partVersion = "version"
	partEntries = "entries"
	partParked  = "parked"
	partHistory = "history"
	partThreads = "threads"
	partClosed  = "closed"
)

// partOrder is the order in which parts are written.
func partOrder() []string {
	return []string{partVersion, partEntries, partParked, partHistory, partThreads, partClosed}
}

// places returns where in the state each part is.
func places(state *subconscious.State) map[string]any {
	return map[string]any{
		partVersion: &state.Version,
		partEntries: &state.Entries,
		partParked:  &state.Parked,
		partHistory: &state.History,
		partThreads: &state.Threads,
		partClosed:  &state.Closed,
	}
}

// Load returns the state of the last committed tick, or that of a new mind.
func (s *Store) Load(ctx context.Context) (subconscious.State, error) {
	var state subconscious.State
	err := s.db.Read(ctx, func(tx *store.Tx) (err error) {
		state, err = getState(ctx, tx)
		return err
	})
	if err != nil {
		return subconscious.State{}, fmt.Errorf("mind: load: %w", err)
	}
	return state, nil
}

// getState reads the state; what was never written is as in a new mind.
func getState(ctx context.Context, tx *store.Tx) (subconscious.State, error) {
	state := subconscious.State{Version: subconscious.SchemaVersion}
	where := places(&state)
	err := tx.Each(ctx, func(rows *sql.Rows) error {
		var part string
		var body []byte
		if err := rows.Scan(&part, &body); err != nil {
			return err
		}
		if where[part] == nil {
			return fmt.Errorf("unknown part %q of the state", part)
		}
		return decodePart(part, body, where[part])
	}, "SELECT part, body FROM mind_state")
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

func decodePart(part string, body []byte, into any) error {
	raw, err := unpack(body, nil)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return &store.Error{Code: store.CodeCorrupt, Err: err, Text: fmt.Sprintf("the mind's %s in the database cannot be read", part),
			Next: "Stop the daemon, move mind.db away and restore the newest backup"}
	}
	return nil
}

// counters are kept with the newest tick alone, so that a tick that changes
// nothing writes no state.
func counters(ctx context.Context, tx *store.Tx) (count int64, last time.Time, err error) {
	var at int64
	var zone int
	var text sql.NullString
	err = tx.QueryRowContext(ctx, "SELECT tick, at, zone, last_tick FROM mind_ticks ORDER BY tick DESC LIMIT 1").Scan(&count, &at, &zone, &text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, time.Time{}, nil
	case err != nil:
		return 0, time.Time{}, err
	case !text.Valid:
		return count, moment(at, zone), nil
	}
	last, err = time.Parse(time.RFC3339Nano, text.String)
	return count, last, err
}

// putState writes the parts that changed. Entries that are in the state no
// more are kept aside, and incidents in the history are noted as told.
func putState(ctx context.Context, tx *store.Tx, p *packer, state subconscious.State, at time.Time) error {
	had, err := hashes(ctx, tx)
	if err != nil {
		return err
	}
	changed := map[string][]byte{}
	where := places(&state)
	for _, part := range partOrder() {
		raw, err := json.Marshal(where[part])
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], had[part]) {
			changed[part] = raw
		}
	}
	if changed[partEntries] != nil || changed[partParked] != nil {
		if err := keepGone(ctx, tx, state, at); err != nil {
			return err
		}
	}
	if changed[partHistory] != nil {
		if err := keepTold(ctx, tx, state.History, at); err != nil {
			return err
		}
	}
	for _, part := range partOrder() {
		if raw := changed[part]; raw != nil {
			if err := putPart(ctx, tx, p, part, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func putPart(ctx context.Context, tx *store.Tx, p *packer, part string, raw []byte) error {
	body, err := p.pack(raw, nil)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	_, err = tx.ExecContext(ctx, `INSERT INTO mind_state (part, hash, body) VALUES (?, ?, ?)
		ON CONFLICT (part) DO UPDATE SET hash = excluded.hash, body = excluded.body`, part, sum[:], body)
	return err
}

// hashes returns the hash of each stored part.
func hashes(ctx context.Context, tx *store.Tx) (map[string][]byte, error) {
	had := map[string][]byte{}
	err := tx.Each(ctx, func(rows *sql.Rows) error {
		var part string
		var hash []byte
		if err := rows.Scan(&part, &hash); err != nil {
			return err
		}
		had[part] = hash
		return nil
	}, "SELECT part, hash FROM mind_state")
	return had, err
}
