package eval

import (
	"context"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// dayPhone is the channel of a day: it records what arrives, and when.
type dayPhone struct {
	now func() time.Time

	mu      sync.Mutex
	arrived []arrival
	down    bool
}

// arrival is a message that the person got.
type arrival struct {
	at time.Time
	notify.Message
}

var _ notify.Notifier = (*dayPhone)(nil)

// Send implements notify.Notifier.
func (p *dayPhone) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Text: "The phone cannot be reached", Next: "Nothing; it is sent again"}
	}
	p.arrived = append(p.arrived, arrival{p.now(), m})
	return notify.Receipt{ID: m.Sequence, At: p.now()}, ctx.Err()
}

func (p *dayPhone) fail(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// since returns what arrived after the first n.
func (p *dayPhone) since(n int) []arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]arrival{}, p.arrived[n:]...)
}
