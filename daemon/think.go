package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

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
	d.setRunning(true)
	defer d.setRunning(false)
	report, err := d.contained(d.options.Now(), request)
	if err != nil {
		d.noteFailure(d.options.Now(), err.Error())
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

func (d *Daemon) setRunning(running bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view.running = running
}

func (d *Daemon) currentState() subconscious.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.view.state
}

// refusePaused answers a tick while the mind is paused.
func (d *Daemon) refusePaused() error {
	d.mu.Lock()
	paused := d.view.paused
	d.mu.Unlock()
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
