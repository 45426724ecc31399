package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// RunOnce thinks one tick, as if the person had asked for it, and prints its
// report as JSON. There is no schedule and no API meanwhile.
func RunOnce(ctx context.Context, options Options, out io.Writer) error {
	options.Unscheduled, options.NoSocket, options.Patient = true, true, true
	d, err := New(options)
	if err != nil {
		return err
	}
	if err := d.Start(ctx); err != nil {
		return err
	}
	report, err := d.think(ctx, tickWish{kind: subconscious.Manual})
	if err == nil {
		err = d.concluded(ctx)
	}
	if err := errors.Join(err, d.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	printed := json.NewEncoder(out)
	printed.SetIndent("", "  ")
	return printed.Encode(report)
}

// concluded waits until nothing is deliberated on any more. What has not ended
// by the deadline of a deliberation goes on with the next start.
func (d *Daemon) concluded(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.options.Config.Deliberation.Deadline)
	defer cancel()
	poll := time.NewTicker(concludedEvery)
	defer poll.Stop()
	for {
		open, err := d.deliberations.Waiting(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil || open == 0:
			return err
		}
		select {
		case <-ctx.Done():
		case <-poll.C:
		}
	}
}

// concludedEvery is how often is looked whether deliberations have ended.
const concludedEvery = 50 * time.Millisecond
