package days

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// Shown is a message as the phone shows it.
type Shown struct {
	At       time.Time `json:"at"`
	Title    string    `json:"title,omitempty"`
	Body     string    `json:"body"`
	Priority int       `json:"priority"`
	Tags     []string  `json:"tags,omitempty"`
	Click    string    `json:"click,omitempty"`
	Buttons  []string  `json:"buttons,omitempty"`
	// Replaces: it takes the place of one that is shown already.
	Replaces bool `json:"replaces,omitempty"`
}

// ring is the phone of a day behind an ntfy server, over HTTP.
type ring struct {
	*harness.Phone
	client *ntfy.Client
	server *ntfytest.Server
	shown  []Shown
	// sequences are those of what was shown.
	sequences []string
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
		s := Shown{At: r.Now(), Title: m.Title, Body: m.Message, Priority: m.Priority, Tags: m.Tags, Click: m.Click,
			Replaces: m.Sequence != "" && slices.Contains(r.sequences, m.Sequence)}
		r.sequences = append(r.sequences, m.Sequence)
		for _, a := range m.Actions {
			s.Buttons = append(s.Buttons, a.Label)
		}
		r.shown = append(r.shown, s)
	}
	return receipt, nil
}

// String is what one reads of it.
func (s Shown) String() string {
	text := fmt.Sprintf("%s  priority %d  %s  %s\n    %s", s.At.Format("02 15:04"), s.Priority, strings.Join(s.Tags, " "), s.Title, strings.ReplaceAll(s.Body, "\n", "\n    "))
	if s.Replaces {
		text += "\n    in the place of one before"
	}
	if s.Click != "" {
		text += "\n    click: " + s.Click
	}
	if len(s.Buttons) > 0 {
		text += "\n    buttons: " + strings.Join(s.Buttons, " · ")
	}
	return text
}
