package days

import (
	"context"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// Shown is a message as the phone shows it.
type Shown struct {
	At time.Time `json:"at"`
	ntfytest.Message
	// Replaces: it takes the place of one that is shown already.
	Replaces bool `json:"replaces,omitempty"`
}

// ring is the phone of a day behind an ntfy server, over HTTP.
type ring struct {
	*harness.Phone
	client *ntfy.Client
	server *ntfytest.Server
	shown  []Shown
}

// topic is where its messages go.
const topic = "phone"

// openRing starts the server.
func (p *Player) openRing() (err error) {
	r := &ring{Phone: p.Phone, server: ntfytest.New(ntfytest.Options{})}
	p.ring = r
	p.Later(func(context.Context) error {
		if r.client != nil {
			r.client.Close()
		}
		r.server.Close()
		return nil
	})
	r.client, err = ntfy.New(ntfy.Config{URL: r.server.URL(), Topic: topic}, ntfy.Options{ReplyTopic: ntfy.NewReplyTopic()})
	return err
}

// Send implements notify.Notifier.
func (r *ring) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	receipt, err := r.Phone.Send(ctx, m)
	if err == nil {
		_, err = r.client.Send(ctx, m)
	}
	if err != nil {
		return receipt, err
	}
	for _, m := range r.server.Messages(topic)[len(r.shown):] {
		again := slices.ContainsFunc(r.shown, func(before Shown) bool { return m.Sequence != "" && before.Sequence == m.Sequence })
		r.shown = append(r.shown, Shown{r.Now(), m, again})
	}
	return receipt, nil
}
