package attack

import (
	"context"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// guard says what of the guards is left out; the zero value leaves out
// none.
type guard struct {
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
	// opens: the channel opens the addresses that it is to send; mends: it puts
	// together again those that were broken.
	opens, mends bool
	// limited: the limits of the shipped configuration hold. They are lifted
	// where it is asked what may be done, and not how often.
	limited bool
}

// weaken leaves out what is within the daemon.
func (g guard) weaken(options *daemon.Options) {
	if g.without != "" {
		options.Policy = g.policy()
	}
}

// policy is the shipped one without a clause: what it spoke of is left to the one
// that allows, of whatever approval.
func (g guard) policy() escalate.Policy {
	policy := slices.DeleteFunc(escalate.Shipped(), func(c escalate.Clause) bool { return c.Effect == g.without && c.Name == g.clause })
	for i := range policy {
		if policy[i].Effect == g.without && policy[i].Permission == escalate.Allowed {
			policy[i].Approval = nil
		}
	}
	return policy
}

// channel is the person's, or one that leaks.
func (g guard) channel(n notify.Notifier) notify.Notifier {
	switch {
	case g.opens:
		return opener{n}
	case g.mends:
		return mender{n}
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

// mender is a channel in which no address was broken.
type mender struct{ notify.Notifier }

// Send implements notify.Notifier.
func (o mender) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	whole := strings.NewReplacer("hxxp", "http", "[.]", ".", "[:]", ":", "[@]", "@")
	m.Title, m.Text = whole.Replace(m.Title), whole.Replace(m.Text)
	return o.Notifier.Send(ctx, m)
}
