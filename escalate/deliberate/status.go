package deliberate

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Status is how the worker does.
type Status struct {
	Enabled bool
	// Problem says why no model can be asked; "" where one can.
	Problem string
	Model   string // PROVIDER/MODEL
	Waiting int    // those that run included
	// Running is the id of the escalation under way, and Since when it began.
	Running string
	Since   time.Time
	// Today counts the outcomes of escalations that ended since midnight,
	// ByRule those of them that the words of the gate told, and Cost what they
	// cost in billionths of a US dollar.
	Today  map[subconscious.OutcomeKind]int
	ByRule int
	Cost   int64
	// Failure is what went wrong in the database; "" for nothing.
	Failure string
}

// Status says how the worker does, at a time in the mind's zone.
func (w *Worker) Status(ctx context.Context, at time.Time) (Status, error) {
	asker := w.Asker()
	s := Status{Enabled: w.Config.Enabled, Problem: asker.Problem, Today: map[subconscious.OutcomeKind]int{}}
	switch {
	case asker.Generator != nil:
		s.Model = asker.Identity.String()
	case s.Problem == "":
		s.Problem = "no model is assigned to the role"
	}
	w.mu.Lock()
	s.Failure = w.failure
	w.mu.Unlock()
	midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	if err := w.DB.Read(ctx, func(tx *store.Tx) error { return s.read(ctx, tx, midnight) }); err != nil {
		return Status{}, fmt.Errorf("deliberate: status: %w", err)
	}
	return s, nil
}

func (s *Status) read(ctx context.Context, tx *store.Tx, midnight time.Time) error {
	running, _, err := store.One(ctx, tx, func(r *row) []any { return []any{&s.Waiting, &r.ID, store.Time(&r.Started)} },
		"SELECT count(*), coalesce(min(id) FILTER (WHERE state = 'running'), ''), min(started) FILTER (WHERE state = 'running') FROM escalations WHERE state <> 'ended'")
	if err != nil {
		return err
	}
	s.Running = running.ID
	s.Since = inZone(running.Started, midnight)
	ended, err := store.All(ctx, tx, func(r *row) []any { return []any{&r.Cost, packed{&r.ending}} },
		"SELECT cost, ending FROM escalations WHERE state = 'ended' AND ended >= ?", midnight.UnixNano())
	for _, r := range ended {
		if r.ending == nil {
			continue // it could not be read, and was let go
		}
		s.Today[r.ending.Outcome.Kind]++
		s.Cost += r.Cost
		if r.ending.Fallback != "" && r.ending.Outcome.Kind.Tells() {
			s.ByRule++
		}
	}
	return err
}
