package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
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

func (d *Daemon) later(name string, undo func(context.Context) error) {
	d.laterWithin(stepWithin, name, undo)
}

// laterWithin is later for a step that has a time of its own.
func (d *Daemon) laterWithin(within time.Duration, name string, undo func(context.Context) error) {
	d.cleanup = append(d.cleanup, cleanup{name, within, undo})
}

// undo runs the clean-ups, last first, each once and each in its own time, so
// that one that hangs takes nothing from the others.
func (d *Daemon) undo(ctx context.Context) error {
	var problems []error
	for _, c := range slices.Backward(d.cleanup) {
		ctx, cancel := context.WithTimeout(ctx, c.within)
		if err := c.undo(ctx); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", c.name, err))
		}
		cancel()
	}
	d.cleanup = nil
	return errors.Join(problems...)
}

// Stop lets a running tick finish for a few seconds, abandons it after that,
// and ends everything that Start began. A second Stop does nothing.
func (d *Daemon) Stop(ctx context.Context) error {
	d.lifecycle.Lock()
	defer d.lifecycle.Unlock()
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	return d.undo(ctx)
}

// finish keeps further ticks from beginning and waits for the one that runs;
// after a while, or when ctx is done, that one is abandoned: nothing of it was
// committed, so nothing is lost.
func (d *Daemon) finish(ctx context.Context) error {
	close(d.ending)
	timer := time.AfterFunc(finishTick, d.abandon)
	defer timer.Stop()
	defer d.abandon()
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a tick was abandoned and has not ended: %w", ctx.Err())
	}
}

// isEnding reports whether the daemon stops.
func (d *Daemon) isEnding() bool {
	select {
	case <-d.ending:
		return true
	default:
		return false
	}
}
