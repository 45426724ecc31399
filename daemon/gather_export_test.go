package daemon

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Gather makes what a deliberation on a case is shown first.
func (d *Daemon) Gather(ctx context.Context, c deliberate.Case, at time.Time) (deliberate.Material, error) {
	return material{d}.Gather(ctx, c, at)
}

// StandingMail are the mails that stand.
func (d *Daemon) StandingMail() (all []subconscious.Observation) {
	d.ledger.View().Of("mail", func(o subconscious.Observation) bool {
		all = append(all, o)
		return true
	})
	return all
}
