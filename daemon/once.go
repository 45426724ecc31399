package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	report, err := d.think(ctx, tickRequest{kind: subconscious.Manual})
	if err == nil {
		rest, cancel := context.WithTimeout(ctx, options.Config.Deliberation.Deadline)
		if err := d.Idle(rest); err != nil {
			d.options.Logger.Warn("not all that the tick led to is done; it goes on with the next start", "error", err)
		}
		cancel()
	}
	if err := errors.Join(err, d.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	printed := json.NewEncoder(out)
	printed.SetIndent("", "  ")
	return printed.Encode(report)
}

// Idle waits until what the ticks led to is done: nothing is deliberated on any
// more, and each channel has tried to send what is due.
func (d *Daemon) Idle(ctx context.Context) error {
	if err := d.deliberations.Idle(ctx); err != nil {
		return fmt.Errorf("deliberate: %w", err)
	}
	return d.outbox.Idle(ctx) // a deliberation wakes it before it ends
}
