package daemon

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Gather makes what a deliberation on an escalation is shown first.
func (d *Daemon) Gather(ctx context.Context, e deliberate.Escalation, at time.Time) (deliberate.Sources, error) {
	return d.deliberations.Gather(ctx, e, at)
}

// StandingMail are the mails that stand.
func (d *Daemon) StandingMail() (all []subconscious.Observation) {
	d.ledger.View().Of("mail", func(o subconscious.Observation) bool {
		all = append(all, o)
		return true
	})
	return all
}
