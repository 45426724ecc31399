package deliberate

import (
	"context"
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Add puts a case into the queue, in the transaction of the tick. A tick has one
// case of an incident: adding it again does nothing.
func (w *Worker) Add(ctx context.Context, tx *store.Tx, c Case) error { return errors.New("x") }

// Of returns the cases of an incident by its name for people, newest first, at
// most 20.
func (w *Worker) Of(ctx context.Context, person subconscious.IncidentID) ([]Record, error) {
	return nil, nil
}

// ErrUnknown is the error of Record for an id that no case has.
var ErrUnknown = errors.New("there is no such deliberation")

// Record returns a case by its id.
func (w *Worker) Record(ctx context.Context, id string) (Record, error) { return Record{}, nil }

// Waiting returns how many cases have not ended.
func (w *Worker) Waiting(ctx context.Context) (int, error) { return 0, nil }

// Status is how the worker does.
type Status struct {
	Enabled bool
	// Problem says why no model can be asked; "" where one can.
	Problem string
	Model   string // PROVIDER/MODEL
	Waiting int    // those that run included
	// Running is the id of the case under way, and Since when it began.
	Running string
	Since   time.Time
	// Today counts the outcomes of cases that ended since midnight, ByRule those
	// of them that the words of the gate told, and Cost what they cost in
	// billionths of a US dollar.
	Today  map[subconscious.OutcomeKind]int
	ByRule int
	Cost   int64
	// Failure is what went wrong in the database; "" for nothing.
	Failure string
}

// Status says how the worker does, at a time in the mind's zone.
func (w *Worker) Status(ctx context.Context, at time.Time) (Status, error) { return Status{}, nil }

// Sweep removes what is kept no more: what was said 30 days after a case ended,
// the case a year after.
func (w *Worker) Sweep(ctx context.Context, at time.Time) error { return nil }

func (w *Worker) next(ctx context.Context) (bool, error) { return false, nil }
