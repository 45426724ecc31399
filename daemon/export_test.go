package daemon

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Watcher is the one that the senses share.
func (d *Daemon) Watcher() *watch.Watcher { return d.watcher }

// State is the state of the last committed tick; Mind is where it is kept.
func (d *Daemon) State() subconscious.State { return d.board.Now().State }
func (d *Daemon) Mind() *mind.Store         { return d.mind }

// World is what stands.
func (d *Daemon) World() subconscious.World { return d.ledger.View() }

// BlindPeriods are those that are recorded.
func (d *Daemon) BlindPeriods(ctx context.Context, since time.Time) ([]senses.BlindPeriod, error) {
	return d.ledger.BlindPeriods(ctx, since)
}

// SearchMail is what read_mail finds.
func (d *Daemon) SearchMail(ctx context.Context, words string) ([]threads.Mail, error) {
	return d.Mailbox().SearchMail(ctx, words, 30)
}

// Outbox is where messages wait to be sent.
func (d *Daemon) Outbox() *notify.Outbox { return d.outbox }

// GateIncidents are the incidents that the gate looks at.
func GateIncidents(all map[subconscious.IncidentKey]subconscious.Incident, named []subconscious.IncidentKey) []subconscious.Incident {
	return gateIncidents(all, named)
}

// NewDecisions are what a tick's report shows of an outcome.
var NewDecisions = newDecisions

// Hurries is what the schedule does when it goes on: does it ask for an early tick?
func (d *Daemon) Hurries() bool {
	d.alive()()
	select {
	case <-d.requests:
		return true
	default:
		return false
	}
}

// ReadEdited and CompareEdited are how an edited document is read.
var (
	ReadEdited    = readEdited
	CompareEdited = compareEdited
)

// Compare thinks a recorded tick again.
var Compare = compare
