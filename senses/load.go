package senses

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// load reads the records back.
func load(ctx context.Context, tx *store.Tx) (*records, error) {
	r, counted := newRecords(), false
	for _, part := range []struct {
		table, query string
		load         func(*sql.Rows) error
	}{
		{"ledger_counter", `SELECT seq, (SELECT count(*) FROM ledger_changes) FROM ledger_counter`,
			func(rows *sql.Rows) error { counted = true; return rows.Scan(&r.seq, &r.kept) }},
		{"ledger_senses", `SELECT sense, id, cursor, state, since, error FROM ledger_senses`, r.loadSense},
		{"ledger_observations", `SELECT ref, observation, shown, known FROM ledger_observations ORDER BY ref`, r.loadObservation},
		{"ledger_threads", `SELECT slot, name, active, overflow FROM ledger_threads ORDER BY slot`, r.loadThread},
		{"ledger_pending", `SELECT p.thread, p.ref, p.change, p.severity, p.band_only, c.observation
			FROM ledger_pending p LEFT JOIN ledger_changes c ON c.seq = p.seq`, r.loadPending},
	} {
		if err := tx.Each(ctx, part.load, part.query); err != nil {
			return nil, fmt.Errorf("read %s: %w", part.table, err)
		}
	}
	if !counted {
		return nil, errors.New("read ledger_counter: it has no row")
	}
	var err error
	r.oldest, err = oldestChange(ctx, tx)
	return r, err
}

// oldestChange is when the first change was recorded that can still be read back,
// in Unix seconds; 0 where there is none.
func oldestChange(ctx context.Context, tx *store.Tx) (int64, error) {
	recorded, _, err := store.One(ctx, tx, store.Value[int64], `SELECT recorded FROM ledger_changes ORDER BY seq LIMIT 1`)
	if err != nil {
		return 0, fmt.Errorf("read the oldest of ledger_changes: %w", err)
	}
	return recorded, nil
}

func (r *records) loadSense(rows *sql.Rows) error {
	var id SenseID
	var src source
	var since string
	err := rows.Scan(&id.Sense, &id.ID, &src.cursor, &src.health.State, &since, &src.health.Error)
	if err != nil {
		return err
	}
	if src.health.Since, err = time.Parse(time.RFC3339Nano, since); err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	src.health.ID, src.health.Kind = id.ID, id.Sense
	r.sources[id] = src
	return nil
}

func (r *records) loadObservation(rows *sql.Rows) error {
	var ref subconscious.Ref
	var stored storedObservation
	var shown, told int64
	if err := rows.Scan(&ref, store.JSON(&stored), &shown, &told); err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	if stored.Latest == nil || stored.Latest.Ref() != ref {
		return fmt.Errorf("%s: the row does not hold that observation", ref)
	}
	t := &known{latest: stored.Latest, phase: stored.Phase, occurrences: stored.Occurrences,
		marks: marks{uint64(shown), uint64(told)}}
	for _, c := range stored.Claims {
		t.claims = append(t.claims, claim{c.Instance, c.Scope, cmp.Or(c.Observation, t.latest)})
		id := SenseID{t.latest.Sense, c.Instance}
		src := r.sources[id]
		src.standing++
		r.sources[id] = src
	}
	if (t.phase == standing || t.phase == away) != (len(t.claims) > 0) {
		return fmt.Errorf("%s: it is %s with %d claims", ref, t.phase, len(t.claims))
	}
	r.put(ref, t)
	return nil
}

func (r *records) loadThread(rows *sql.Rows) error {
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
}

// loadPending reads a change that waits for a thread. Where it is too old to be
// read back, what still stands takes its place.
func (r *records) loadPending(rows *sql.Rows) error {
	var thread subconscious.ThreadName
	var ref subconscious.Ref
	var o, change subconscious.Observation
	if err := rows.Scan(&thread, &ref, &change.Change, &change.Severity, &change.BandOnly, store.JSON(&o)); err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	if o.ID == "" {
		t := r.get(ref)
		if t == nil {
			return nil
		}
		o = *t.latest
	}
	o.Change, o.Severity, o.BandOnly = change.Change, change.Severity, change.BandOnly
	if q, ok := r.pending[thread]; ok {
		q.items[ref] = &o
	}
	return nil
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the tables of this package.
func Migrations() []store.Migration { return store.Migrations("senses", migrations) }
