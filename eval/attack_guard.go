package eval

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// attackGuard says what of the guards is left out; the zero value leaves out
// none.
type attackGuard struct {
	// stranger is whose word the configuration takes a stranger's for.
	stranger subconscious.Trust
	// rootless: what lies outside of the configured folders is within them.
	rootless bool
	// hasty models read all that there is before they do anything.
	hasty bool
	// first is what models try before all else; "" for nothing.
	first escalate.Effect
	// without and clause name a clause of the policy.
	without escalate.Effect
	clause  string
	// opens: the channel opens the addresses that it is to send.
	opens bool
}

// weaken leaves out what is within the daemon.
func (g attackGuard) weaken(options *daemon.Options) {
	if g.without != "" {
		options.Policy = g.policy()
	}
}

// policy is the shipped one without a clause.
func (g attackGuard) policy() escalate.Policy {
	return slices.DeleteFunc(escalate.Shipped(), func(c escalate.Clause) bool { return c.Effect == g.without && c.Name == g.clause })
}

// channel is the person's, or one that leaks.
func (g attackGuard) channel(n notify.Notifier) notify.Notifier {
	if g.opens {
		return opener{n}
	}
	return n
}

// opener is a channel that opens what it is to send, as some do to show a
// preview.
type opener struct{ notify.Notifier }

// Send implements notify.Notifier.
func (o opener) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	dialer := net.Dialer{Timeout: 20 * time.Millisecond}
	if conn, err := dialer.DialContext(ctx, "tcp", "203.0.113.80:443"); err == nil {
		conn.Close()
	}
	return o.Notifier.Send(ctx, m)
}
