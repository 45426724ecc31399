package daemon

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// Spent is what the budget counts now.
func (d *Daemon) Spent(ctx context.Context) (budget.Overview, error) {
	return d.budget.Spent(ctx, d.options.Now().In(d.zoneOrUTC()))
}

// CallsOnRecord are the calls to models that are written down.
func (d *Daemon) CallsOnRecord(ctx context.Context) ([]mind.ModelCall, error) {
	return d.mind.Calls(ctx, time.Unix(0, 0), 1<<20)
}
