package senses

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// BlindPeriod is a time in which a sense could not see.
type BlindPeriod struct {
	Sense string    `json:"sense"`
	ID    string    `json:"id"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to,omitzero"` // zero while it lasts
	Error string    `json:"error,omitempty"`
}

// load reads the records back.
func load(ctx context.Context, tx *store.Tx) (*records, error) {
	r := newRecords()
	if err := tx.QueryRowContext(ctx, `SELECT seq FROM ledger_counter`).Scan(&r.seq); err != nil {
		return nil, fmt.Errorf("read ledger_counter: %w", err)
	}
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM ledger_changes`).Scan(&r.kept); err != nil {
		return nil, fmt.Errorf("count ledger_changes: %w", err)
	}
	var err error
	if r.oldest, err = oldestChange(ctx, tx); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		table string
		load  func(context.Context, *store.Tx) error
	}{
		{"ledger_senses", r.loadSenses}, {"ledger_observations", r.loadObservations},
		{"ledger_threads", r.loadThreads}, {"ledger_pending", r.loadPending},
	} {
		if err := part.load(ctx, tx); err != nil {
			return nil, fmt.Errorf("read %s: %w", part.table, err)
		}
	}
	for id, src := range r.sources {
		src.health.Standing = src.standing
		r.sources[id] = src
	}
	return r, nil
}

func oldestChange(ctx context.Context, tx *store.Tx) (oldest numberedAt, err error) {
	var recorded int64
	err = tx.QueryRowContext(ctx, `SELECT seq, recorded FROM ledger_changes ORDER BY seq LIMIT 1`).Scan(&oldest.seq, &recorded)
	if errors.Is(err, sql.ErrNoRows) {
		return numberedAt{}, nil
	}
	if err != nil {
		return numberedAt{}, fmt.Errorf("read the oldest of ledger_changes: %w", err)
	}
	oldest.at = time.Unix(recorded, 0)
	return oldest, nil
}

func (r *records) loadSenses(ctx context.Context, tx *store.Tx) error {
	return tx.Each(ctx, func(rows *sql.Rows) error {
		var id SenseID
		var src source
		var state, since string
		if err := rows.Scan(&id.Sense, &id.ID, &src.cursor, &state, &since, &src.health.Error); err != nil {
			return err
		}
		at, err := time.Parse(time.RFC3339Nano, since)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		src.health.ID, src.health.Kind, src.health.State, src.health.Since = id.ID, id.Sense, State(state), at
		r.sources[id] = src
		return nil
	}, `SELECT sense, id, cursor, state, since, error FROM ledger_senses`)
}

func (r *records) loadObservations(ctx context.Context, tx *store.Tx) error {
	return tx.Each(ctx, func(rows *sql.Rows) error {
		var ref string
		var data []byte
		var shown, seen int64
		if err := rows.Scan(&ref, &data, &shown, &seen); err != nil {
			return err
		}
		var stored storedObservation
		if err := json.Unmarshal(data, &stored); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
		if stored.Latest == nil || string(stored.Latest.Ref()) != ref {
			return fmt.Errorf("%s: the row does not hold that observation", ref)
		}
		t := &known{latest: stored.Latest, phase: stored.Phase, occurrences: stored.Occurrences,
			marks: marks{uint64(shown), uint64(seen)}}
		for _, c := range stored.Claims {
			if c.Observation == nil {
				c.Observation = t.latest
			}
			t.claims = append(t.claims, claim{c.Instance, c.Scope, c.Observation})
			id := SenseID{t.latest.Sense, c.Instance}
			src := r.sources[id]
			src.standing++
			r.sources[id] = src
		}
		if (t.phase == standing) != (len(t.claims) > 0) {
			return fmt.Errorf("%s: it is %s with %d claims", ref, t.phase, len(t.claims))
		}
		r.put(subconscious.Ref(ref), t)
		return nil
	}, `SELECT ref, observation, shown, known FROM ledger_observations ORDER BY ref`)
}

func (r *records) loadThreads(ctx context.Context, tx *store.Tx) error {
	return tx.Each(ctx, func(rows *sql.Rows) error {
		var i, overflow int
		var s slot
		if err := rows.Scan(&i, &s.name, &s.active, &overflow); err != nil {
			return err
		}
		if i != len(r.slots) || i >= maxThreads {
			return fmt.Errorf("slot %d of thread %s, where %d was to come", i, s.name, len(r.slots))
		}
		r.slots = append(r.slots, s)
		if s.active {
			r.pending[s.name] = queue{items: map[subconscious.Ref]*subconscious.Observation{}, overflow: overflow}
		}
		return nil
	}, `SELECT slot, name, active, overflow FROM ledger_threads ORDER BY slot`)
}

func (r *records) loadPending(ctx context.Context, tx *store.Tx) error {
	return tx.Each(ctx, func(rows *sql.Rows) error {
		var thread subconscious.ThreadName
		var ref subconscious.Ref
		var data []byte
		var change subconscious.Change
		var severity subconscious.Severity
		var bandOnly bool
		if err := rows.Scan(&thread, &ref, &change, &severity, &bandOnly, &data); err != nil {
			return err
		}
		o, err := r.waiting(ref, data)
		if err != nil || o == nil {
			return err
		}
		o.Change, o.Severity, o.BandOnly = change, severity, bandOnly
		if q, ok := r.pending[thread]; ok {
			q.items[ref] = o
		}
		return nil
	}, `SELECT p.thread, p.ref, p.change, p.severity, p.band_only, c.observation
		FROM ledger_pending p LEFT JOIN ledger_changes c ON c.seq = p.seq`)
}

// waiting returns the change that waits for a thread, or what still stands where
// that change is too old to be read back; nil where neither is there.
func (r *records) waiting(ref subconscious.Ref, data []byte) (*subconscious.Observation, error) {
	o := new(subconscious.Observation)
	if data != nil {
		if err := json.Unmarshal(data, o); err != nil {
			return nil, fmt.Errorf("%s: %w", ref, err)
		}
		return o, nil
	}
	t := r.get(ref)
	if t == nil {
		return nil, nil
	}
	*o = *t.latest
	return o, nil
}

func readChange(ctx context.Context, tx *store.Tx, citation subconscious.Citation) (o subconscious.Observation, found bool, err error) {
	var data []byte
	err = tx.QueryRowContext(ctx, `SELECT observation FROM ledger_changes WHERE seq = ? AND ref = ?`,
		citation.Seq, string(citation.Ref)).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return o, false, nil
	}
	if err != nil {
		return o, false, err
	}
	return o, true, json.Unmarshal(data, &o)
}

func readRows(ctx context.Context, tx *store.Tx, id SenseID, yield func(string, []byte) bool) error {
	stop := errors.New("enough")
	err := tx.Each(ctx, func(rows *sql.Rows) error {
		var key string
		var value sql.RawBytes
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		if !yield(key, value) {
			return stop
		}
		return nil
	}, `SELECT key, value FROM ledger_rows WHERE sense = ? AND id = ?`, id.Sense, id.ID)
	if errors.Is(err, stop) {
		return nil
	}
	return err
}

func readBlind(ctx context.Context, tx *store.Tx, since time.Time) ([]BlindPeriod, error) {
	var periods []BlindPeriod
	err := tx.Each(ctx, func(rows *sql.Rows) error {
		var p BlindPeriod
		var from int64
		var to sql.NullInt64
		if err := rows.Scan(&p.Sense, &p.ID, &from, &to, &p.Error); err != nil {
			return err
		}
		p.From = time.UnixMilli(from)
		if to.Valid {
			p.To = time.UnixMilli(to.Int64)
		}
		periods = append(periods, p)
		return nil
	}, `SELECT sense, id, began, ended, error FROM ledger_blind
		WHERE ended IS NULL OR ended >= ? ORDER BY began, sense, id`, since.UnixMilli())
	return periods, err
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the tables of this package.
func Migrations() []store.Migration { return store.Migrations("senses", migrations) }
