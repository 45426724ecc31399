// Package notifytest has the suite that every channel must pass, and Recorder,
// a channel that keeps what it is sent for the tests of others.
//
// It stores nothing, and only tests import it.
package notifytest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// Driver is what the suite is told of a kind of channel.
type Driver struct {
	// Open returns a channel and the service behind it, fresh for each check,
	// and closes them with the test. The service must be a real one as far as
	// the driver can tell: a server on the loopback, a fake bus.
	Open func(t testing.TB) Service
	// Faults are those that Service.Fail knows. What a kind of channel cannot
	// meet is left out: nobody refuses a line on standard output.
	Faults []Fault
	// Secrets that the channel was configured with: in no error, and nowhere
	// that it prints itself.
	Secrets []string
	// Buttons: the service shows them. Sequence: it is told the message's.
	// Link: it opens it. Urgent: urgent messages look other than others.
	Buttons, Sequence, Link, Urgent bool

	patience time.Duration // for the tests of the suite; 0 is patience
}

// wait bounds what is waited for.
func (d Driver) wait() time.Duration { return cmp.Or(d.patience, patience) }

// Service is a channel and what is behind it.
type Service struct {
	Notifier notify.Notifier
	// Received are the messages that arrived, in order, as the person sees
	// them.
	Received func() []Received
	// Fail lets the service fail so from now on; Healthy ends it.
	Fail func(Fault)
	// Requests counts what reached the service, failed or not; nil where it
	// never hangs.
	Requests func() int
	// Press sends a token back, as a button that is pressed does, once
	// somebody listens; nil where no answers come back. Break has ended the
	// connections of those who listen when it returns.
	Press func(token string) error
	Break func()
}

// Received is a message as the person sees it. A service that shows all words
// in one has them in Title.
type Received struct {
	Title, Text string
	Urgent      bool
	Sequence    string
	Link        string
	Buttons     []string // labels
}

// Fault is a way in which a service can fail.
type Fault string

const (
	Healthy Fault = ""
	// Refuses: the service says no for good: a wrong key. The driver says
	// notify.Refused.
	Refuses Fault = "refuses"
	// Down: nobody answers, the message cannot have arrived:
	// notify.Unavailable.
	Down Fault = "down"
	// Broken: the service says that it fails now: notify.Unavailable.
	Broken Fault = "broken"
	// Limits: too many messages, and the service says to come back in a
	// minute: notify.Unavailable, with that in After.
	Limits Fault = "limits"
	// Cuts: the connection ends when the message has been sent and before it
	// is answered: notify.Unknown.
	Cuts Fault = "cuts"
	// Hangs: the message is read and never answered, until the service is
	// closed: notify.Unknown.
	Hangs Fault = "hangs"
	// Endless: the answer never ends; 64 MiB and then silence will do.
	Endless Fault = "endless"
	// Garbles: the answer, though one of success, is not to be understood. The
	// driver may take it for success, or say notify.Unknown.
	Garbles Fault = "garbles"
)

// Faults are all of them.
func Faults() []Fault { return []Fault{Refuses, Down, Broken, Limits, Cuts, Hangs, Endless, Garbles} }

// Run checks a driver against what the outbox relies on.
func Run(t *testing.T, d Driver) {
	t.Helper()
	ran := 0
	for _, c := range checks() {
		if c.fault != Healthy && !slices.Contains(d.Faults, c.fault) {
			continue
		}
		ran++
		t.Run(c.name, func(t *testing.T) {
			s := d.Open(t)
			if c.fault != Healthy {
				s.Fail(c.fault)
			}
			if err := c.run(t.Context(), d, s); err != nil {
				t.Error(err)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no check was run")
	}
}
