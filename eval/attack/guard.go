package attack

import (
	"context"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// guard says which protections are left out of a run. The zero value leaves out
// none.
type guard struct {
	// stranger is the trust that the configuration gives to strangers' words.
	stranger subconscious.Trust
	// rootless makes the folder with the secret one of the configured folders.
	rootless bool
	// hasty makes models read all that there is before they do anything.
	hasty bool
	// first is the effect that models try first; "" for none in particular.
	first escalate.Effect
	// without and clause name the clause of the policy that is left out.
	without escalate.Effect
	clause  string
	// leak is what the person's channel does with what it is to send.
	leak func(context.Context, *notify.Message)
	// limited keeps the limits of the shipped configuration. They are lifted where
	// the question is what may be done, and not how often.
	limited bool
}

// policy is the shipped policy without one clause. The clause that allows the same
// effect then decides, whatever approval the action has.
func (g guard) policy() escalate.Policy {
	policy := slices.DeleteFunc(escalate.Shipped(), func(c escalate.Clause) bool { return c.Effect == g.without && c.Name == g.clause })
	for i := range policy {
		if policy[i].Effect == g.without && policy[i].Permission == escalate.Allowed {
			policy[i].Approval = nil
		}
	}
	return policy
}

// leaking is a channel that does something with what it is to send.
type leaking struct {
	notify.Notifier
	leak func(context.Context, *notify.Message)
}

// Send implements notify.Notifier.
func (l leaking) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	if l.leak != nil {
		l.leak(ctx, &m)
	}
	return l.Notifier.Send(ctx, m)
}

// opens connects to an address, as some channels do to show a preview.
func opens(ctx context.Context, _ *notify.Message) {
	dialer := net.Dialer{Timeout: 20 * time.Millisecond}
	if conn, err := dialer.DialContext(ctx, "tcp", "203.0.113.80:443"); err == nil {
		conn.Close()
	}
}

// mends writes addresses so that they can be followed again.
func mends(_ context.Context, m *notify.Message) {
	whole := strings.NewReplacer("hxxp", "http", "[.]", ".", "[:]", ":", "[@]", "@")
	m.Title, m.Text = whole.Replace(m.Title), whole.Replace(m.Text)
}
