package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// How long a stop may take, together at most ten seconds. The tick that runs
// has finishTick to end by itself, and once it is abandoned a moment to notice;
// the programs of actions have endActions: two seconds to end by themselves, and
// one for those that do not to be killed and written down. Every other step has
// stepWithin.
const (
	stopWithin  = 10 * time.Second
	finishTick  = 5 * time.Second
	abandonTick = time.Second
	endActions  = 3 * time.Second
	stepWithin  = 750 * time.Millisecond
)

// cleanup undoes one step of Start.
type cleanup struct {
	name   string
	within time.Duration
	undo   func(context.Context) error
}

// cleanups are those of the steps that were taken, in order.
type cleanups []cleanup

func (all *cleanups) later(name string, undo func(context.Context) error) {
	all.laterWithin(stepWithin, name, undo)
}

// laterWithin is later for a step that has a time of its own.
func (all *cleanups) laterWithin(within time.Duration, name string, undo func(context.Context) error) {
	*all = append(*all, cleanup{name, within, undo})
}

// undo runs the clean-ups, last first, each once and each in its own time, so that
// one that hangs takes nothing from the others, and all within stopWithin; or each in
// patience, where that is more.
func (all *cleanups) undo(ctx context.Context, patience time.Duration) error {
	if patience == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, stopWithin)
		defer cancel()
	}
	var problems []error
	for _, c := range slices.Backward(*all) {
		ctx, cancel := context.WithTimeout(ctx, max(c.within, patience))
		if err := c.undo(ctx); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", c.name, err))
		}
		cancel()
	}
	*all = nil
	return errors.Join(problems...)
}

// Stop lets a running tick finish for a few seconds, abandons it after that,
// and ends everything that Start began. A second Stop does nothing.
func (d *Daemon) Stop(ctx context.Context) error {
	d.lifecycle.Lock()
	defer d.lifecycle.Unlock()
	return d.undo(ctx, 0)
}

// turns lets one tick run at a time, until the daemon ends.
type turns struct {
	turn    chan struct{} // held by whoever ticks
	seized  bool          // for good, by who ends the daemon
	ending  chan struct{} // closed when no tick may begin
	ticking context.Context
	abandon context.CancelFunc // ends the tick that runs
}

// take waits for the turn, which who has it gives back.
func (t *turns) take(ctx context.Context) (giveBack func(), err error) {
	ending := func() error {
		if t.seized {
			return api.Errorf(api.CodeUnavailable, "ask again in a moment", "the daemon takes up its configuration")
		}
		return api.Errorf(api.CodeUnavailable, "start it again", "the daemon is stopping")
	}
	select {
	case <-t.ending:
		return nil, ending()
	default:
	}
	select {
	case t.turn <- struct{}{}:
		return func() { <-t.turn }, nil
	case <-t.ending:
		return nil, ending()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the running tick: %w", ctx.Err())
	}
}

// finish keeps further ticks from beginning and waits for the one that runs;
// after a while, or when ctx is done, that one is abandoned: nothing of it was
// committed, so nothing is lost.
func (t *turns) finish(ctx context.Context) error {
	close(t.ending)
	if t.seized {
		t.abandon()
		return nil
	}
	timer := time.AfterFunc(finishTick, t.abandon)
	defer timer.Stop()
	defer t.abandon()
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a tick was abandoned and has not ended: %w", ctx.Err())
	}
}
