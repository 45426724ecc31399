package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// sweepEvery is how often what is kept no more is let go.
const sweepEvery = 24 * time.Hour

// sweep lets go of what conversations, deliberations and actions keep no more,
// once a day and after a start. What fails is tried again a day later.
func (d *Daemon) sweep(ctx context.Context, at time.Time) {
	if since := at.Sub(d.swept); since >= 0 && since < sweepEvery {
		return
	}
	d.swept = at
	_, chatted := d.chat.Sweep(ctx, at)
	if err := errors.Join(chatted, d.deliberations.Sweep(ctx, at), d.db.Write(ctx, func(tx *store.Tx) error { return d.actions.Sweep(ctx, tx) })); err != nil {
		d.options.Logger.Error("what is old could not be let go", "error", err)
	}
}
