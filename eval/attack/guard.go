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
	// leak is what the person's channel does with what it is to send.
	leak func(context.Context, *notify.Message)
	// limited: the limits of the shipped configuration hold. They are lifted
	// where it is asked what may be done, and not how often.
	limited bool
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

// opens an address, as some channels do to show a preview.
func opens(ctx context.Context, _ *notify.Message) {
	dialer := net.Dialer{Timeout: 20 * time.Millisecond}
	if conn, err := dialer.DialContext(ctx, "tcp", "203.0.113.80:443"); err == nil {
		conn.Close()
	}
}

// mends the addresses that were broken.
func mends(_ context.Context, m *notify.Message) {
	whole := strings.NewReplacer("hxxp", "http", "[.]", ".", "[:]", ":", "[@]", "@")
	m.Title, m.Text = whole.Replace(m.Title), whole.Replace(m.Text)
}
