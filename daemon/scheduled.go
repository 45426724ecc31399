package daemon

import (
	"context"
	"fmt"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TickAs runs one tick of any kind now, as the schedule does: for whoever
// measures a mind that is Unscheduled and whose clock is made up.
func (d *Daemon) TickAs(ctx context.Context, kind subconscious.TickKind) (api.TickReport, error) {
	return d.think(ctx, tickRequest{kind: kind})
}

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
