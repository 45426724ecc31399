// Package shoutrrr sends messages over the many services that the library of
// that name knows: chats, mail, push and incident services, any webhook. They
// have no buttons.
//
// The library knows no contexts, and the text of its errors can hold the
// address with the secrets in it. So each message is sent in a goroutine, of
// which a channel has one at a time, even where it hangs; and of an error
// nothing is passed on but the status of HTTP in it.
//
// Services that the library asks by http.DefaultClient wait and read without
// end; Bound ends that.
//
// It stores nothing. The outbox of package notify calls it.
package shoutrrr

import (
	"context"
	"errors"
	"io"
	"log"
	"strings"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// timeout is how long a message may take, where the context allows it.
const timeout = 30 * time.Second

// Options are what a channel may be told. Every field may be left out.
type Options struct {
	// Env are the variables; nil is os.LookupEnv.
	Env func(string) (string, bool)
	// Timeout is how long one message may take; 0 is 30 s.
	Timeout time.Duration
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// Notifier is one channel.
type Notifier struct {
	ref     secret.Ref
	options Options
	solo    *notify.Solo
}

var _ notify.Notifier = (*Notifier)(nil)

// New returns the channel. It does nothing until it is used; the address is
// read for each message.
func New(config Config, options Options) (*Notifier, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if options.Timeout <= 0 {
		options.Timeout = timeout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Notifier{ref: config.URL, options: options, solo: notify.NewSolo()}, nil
}

// Probe implements notify.Prober: it looks whether the address is there.
func (n *Notifier) Probe(context.Context) notify.Probed {
	if _, err := n.ref.Resolve(n.options.Env); err != nil {
		return notify.Probed{Problem: "its address is not to be had: " + err.Error(), Next: "put the address of the service there, as docs/notifications.md shows"}
	}
	return notify.Probed{Detail: "its address is there; only sending shows whether it is right"}
}

// Send sends title and text as one text. After the time that it has nobody
// knows whether it arrives: what was begun cannot be called back. Until that
// has come to an end the channel is not available.
func (n *Notifier) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	address, err := n.ref.Resolve(n.options.Env)
	if err != nil {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Err: err,
			Text: "the address of the service cannot be had: " + err.Error(), Next: "put it there; then it is tried again"}
	}
	if err := Check(address); err != nil {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Refused, Err: err,
			Text: "the address of the service cannot be used: " + err.Error(), Next: "write it anew: " + form}
	}
	scheme := schemeOf(address.Reveal())
	err = n.solo.Do(ctx, func() error { return deliver(address, scheme, text(scheme, message)) })
	switch {
	case errors.Is(err, notify.ErrHangs):
		err = &notify.Error{Trouble: notify.Unavailable, After: n.options.Timeout, Err: err,
			Text: "an earlier message to this service still hangs", Next: "look whether the service answers; a restart of the daemon frees the channel at once"}
	case err != nil && err == ctx.Err():
		err = &notify.Error{Trouble: notify.Unavailable, Err: err, Text: "there was no time left to send the message", Next: "nothing; it is tried again"}
	case errors.Is(err, notify.ErrLeft):
		err = &notify.Error{Trouble: notify.Unknown, Err: ctx.Err(), Text: scheme + " did not answer in time", Next: "look whether the service answers"}
	}
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{At: n.options.Now()}, nil
}

// deliver sends over a service that is made for this message. What it says on
// the way can hold the address, and is heard by nobody.
func deliver(address secret.Value, scheme, text string) (err error) {
	defer func() {
		if recover() != nil {
			err = &notify.Error{Trouble: notify.Unknown, Text: "sending over " + scheme + " broke down inside the library",
				Next: "look at its address, and report it"}
		}
	}()
	services := router.ServiceRouter{}
	service, err := services.Locate(address.Reveal())
	if err != nil {
		return unusable(scheme)
	}
	service.SetLogger(log.New(io.Discard, "", 0))
	if err := service.Send(text, &types.Params{}); err != nil {
		return classify(scheme, err)
	}
	return nil
}

// text is title and text in one: not every service has a title, and some fail
// over what they do not know. What stands above it is for the address to say
// (title=…). It is without what chats take for a call to everybody.
func text(scheme string, message notify.Message) string {
	var lines []string
	for line := range strings.SplitSeq(message.Title+"\n"+message.Text, "\n") {
		if line = strings.TrimSpace(subconscious.Line(line)); line != "" {
			lines = append(lines, line)
		}
	}
	all := strings.Join(lines, "\n")
	const limit = 2_000 // bytes; a message has 240 characters
	if len(all) > limit {
		all = strings.ToValidUTF8(all[:limit], "")
	}
	if scheme == "generic" || scheme == "smtp" {
		return all
	}
	return quiet.Replace(called().ReplaceAllString(all, "$1@\u200b$2"))
}

// called is a name with an @ before it, which chats make a link of, or a call to
// whoever bears it. A mail address is none.
var called = lazy.Regexp(`(^|[^\pL\pN_.+-])@([\pL\pN_])`)

// quiet puts a character without width into what a chat could take for a call
// to many, or for markup of its own.
var quiet = strings.NewReplacer(
	"@everyone", "@\u200beveryone", "@here", "@\u200bhere", "@channel", "@\u200bchannel", "@all", "@\u200ball", "@room", "@\u200broom",
	"<!", "<\u200b!", "<@", "<\u200b@", "<#", "<\u200b#",
)
