// Package deliberate lets a frontier model deliberate on what the gate wants a
// person to be told. A worker beside the ticks takes one escalation after the
// other: the model is shown the escalation, may read more with tools, and ends
// in exactly one outcome. What it asks for happens only where the policy,
// which is outside any model, allows it by all that the model was shown. Where
// there is no model, no money or no time, the words of the gate tell the
// person.
//
// It stores the tables escalations, deliberation_steps and
// deliberation_systems: each escalation, and all that was said and done in it,
// written down as it happens, so that a crash neither loses nor repeats
// anything. The tick adds escalations in its transaction; the daemon starts and
// stops the worker and hands it what an effect needs.
package deliberate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
)

// Worker deliberates on one escalation after the other. It is the only one that
// writes its tables, and is safe for concurrent use.
type Worker struct {
	Options
	packer store.Packer
	bell   *wake.Bell
	turn   chan struct{} // held while it deliberates, or may not

	mu      sync.Mutex
	started bool
	ended   bool
	cancel  context.CancelFunc
	group   sync.WaitGroup
}

const (
	// pauseMin and pauseMax are how long to wait when the database fails.
	pauseMin = time.Second
	pauseMax = time.Minute
	// writeTimeout bounds a transaction; it is not broken off by Stop, so that
	// what happened is written down.
	writeTimeout = 10 * time.Second
)

// New returns a worker that does nothing before Start.
func New(options Options) (*Worker, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("deliberate: %w", err)
	}
	return &Worker{Options: options.withDefaults(), bell: wake.New(), turn: make(chan struct{}, 1)}, nil
}

// Start begins to deliberate, with what an earlier process left first, until
// Stop. A worker is started once; nothing else may deliberate on the same
// database.
func (w *Worker) Start(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started || w.ended {
		return errors.New("deliberate: start: the worker was started or stopped before")
	}
	w.started = true
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.group.Go(func() { w.run(ctx) })
	return nil
}

// Stop breaks off what is being asked and waits for the worker. An escalation that is
// under way goes on with the next start, if its deadline is not over then. It
// may be called more than once.
func (w *Worker) Stop(ctx context.Context) error {
	w.mu.Lock()
	w.ended = true
	started, cancel := w.started, w.cancel
	w.mu.Unlock()
	if !started {
		return nil
	}
	cancel()
	if wake.Joined(ctx, &w.group) {
		return nil
	}
	return fmt.Errorf("deliberate: stop: an escalation does not let go: %w", ctx.Err())
}

// Wake lets the worker look for escalations. Call it after the transaction of Add.
func (w *Worker) Wake() { w.bell.Ring() }

// Idle waits until all escalations have ended that Wake was called for. While the
// database fails they have not.
func (w *Worker) Idle(ctx context.Context) error { return w.bell.Idle(ctx) }

// Hold keeps the next escalation from being taken, for good; it is false, and nothing is
// held, while one is deliberated on.
func (w *Worker) Hold() bool {
	select {
	case w.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

// run takes escalations until ctx is done.
func (w *Worker) run(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		select {
		case w.turn <- struct{}{}:
		case <-ctx.Done():
			return
		}
		worked, err := w.next(ctx)
		<-w.turn
		switch {
		case ctx.Err() != nil:
		case err != nil:
			failures++
			wait := min(pauseMin<<min(failures-1, 10), pauseMax)
			w.Logger.Error("an escalation cannot be deliberated on now", "error", err, "again_in", wait)
			wake.Pause(ctx, wait) // a database that fails is left alone
		case worked:
			failures = 0
		default:
			failures = 0
			w.bell.Sleep(ctx, 0)
		}
	}
}
