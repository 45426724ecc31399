package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Think implements api.Mind: one manual tick.
func (d *Daemon) Think(ctx context.Context, request api.TickRequest) (api.TickReport, error) {
	thread := subconscious.ThreadName(request.Thread)
	if thread != "" && !slices.Contains(d.runner.Names(), thread) {
		return api.TickReport{}, view.UnknownThread(thread)
	}
	report, err := d.think(ctx, tickRequest{kind: subconscious.Manual, dryRun: request.DryRun, thread: thread})
	return report, view.Answer(err)
}

// think waits for its turn and runs one tick. A tick, once begun, is not cut
// short by ctx, but by the daemon's stop and by tick_timeout.
func (d *Daemon) think(ctx context.Context, request tickRequest) (api.TickReport, error) {
	giveBack, err := d.take(ctx)
	if err != nil {
		return api.TickReport{}, err
	}
	defer giveBack()
	if err := d.refusePaused(); err != nil {
		return api.TickReport{}, err
	}
	d.board.Set(func(n *view.Now) { n.Running = true })
	defer d.board.Set(func(n *view.Now) { n.Running = false })
	report, err := d.contained(d.options.Now(), request)
	if err != nil {
		d.board.Set(func(n *view.Now) { n.Fail(d.options.Now(), err.Error()) })
	}
	return report, err
}

// contained is a tick whose panic is an error. What the senses brought to a
// tick that did not commit they bring again to the next one, which hands them
// the last cursor that was committed.
func (d *Daemon) contained(at time.Time, request tickRequest) (report api.TickReport, err error) {
	ctx, cancel := context.WithTimeout(d.ticking, d.options.Config.TickTimeout)
	defer cancel()
	defer func() {
		if problem := recover(); problem != nil {
			d.options.Logger.Error("a tick panicked", "panic", fmt.Sprint(problem), "stack", string(debug.Stack()))
			err = fmt.Errorf("the tick panicked: %v", problem)
		}
	}()
	return d.tick(ctx, at, request)
}

// refusePaused answers a tick while the mind is paused.
func (d *Daemon) refusePaused() error {
	paused := d.board.Now().Paused
	if !paused.Active(d.options.Now()) {
		return nil
	}
	until := "until it is resumed"
	if !paused.Until.IsZero() {
		until = "until " + paused.Until.In(d.zoneOrUTC()).Format("Mon 15:04")
	}
	return api.Errorf(api.CodePaused, "run `subconsciousctl resume` first", "the mind is paused %s", until)
}

func isPaused(err error) bool {
	var refusal *api.Error
	return errors.As(err, &refusal) && refusal.Code == api.CodePaused
}
