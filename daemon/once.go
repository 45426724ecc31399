package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/store/mind"
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
// more, each channel has tried to send what is due, and the heartbeat was sent.
func (d *Daemon) Idle(ctx context.Context) error {
	if err := d.deliberations.Idle(ctx); err != nil {
		return fmt.Errorf("deliberate: %w", err)
	}
	if err := d.outbox.Idle(ctx); err != nil { // a deliberation wakes it before it ends
		return err
	}
	return d.heart.Idle(ctx)
}

// TickAs runs one tick of any kind now, as the schedule does: for whoever
// measures a mind that is Unscheduled and whose clock is made up.
func (d *Daemon) TickAs(ctx context.Context, kind subconscious.TickKind) (api.TickReport, error) {
	return d.think(ctx, tickRequest{kind: kind})
}

// Reminds is when the person is to be reminded next, as the last tick knew: the
// schedule has an early tick then. Zero: not within a day.
func (d *Daemon) Reminds() time.Time { return d.board.Now().Reminds }

// Merged is a tick of the record as its mechanics saw it.
type Merged struct {
	Input   aggregator.Input
	State   subconscious.State // after the tick
	Changes aggregator.Changes
	Calls   []mind.ModelCall
}

// Merged merges a recorded tick again and returns what went in, what came out,
// and which models were asked for it.
func (d *Daemon) Merged(ctx context.Context, tick int64) (Merged, error) {
	record, ok, err := d.mind.Record(ctx, tick)
	if err != nil {
		return Merged{}, err
	}
	if !ok {
		return Merged{}, fmt.Errorf("there is no record of tick %d", tick)
	}
	in, err := view.Merged(record)
	if err != nil {
		return Merged{}, err
	}
	merged := Merged{Input: in}
	merged.State, merged.Changes = aggregator.Merge(in)
	merged.Calls, err = d.mind.CallsOfTick(ctx, tick)
	return merged, err
}
