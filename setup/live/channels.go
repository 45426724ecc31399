package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/shoutrrr"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
	"github.com/subconsciousd/subconsciousd/setup"
)

// ChannelOptions are what a channel is opened with.
type ChannelOptions struct {
	// Env looks variables up.
	Env func(string) (string, bool)
	// Now is the clock, Dated the one that dates lines of the standard output, in
	// their zone; nil is time.Now.
	Now, Dated func() time.Time
	// Out takes the place of the standard output.
	Out io.Writer
	// ReplyTopic is where answers over ntfy come back; "" is nowhere.
	ReplyTopic string
}

// Channel opens a channel. Its messages have no buttons yet.
func Channel(c setup.Channel, o ChannelOptions) (notify.Channel, error) {
	made := notify.Channel{ID: c.ID, Kind: c.Kind(), Content: c.Content, Home: c.Desktop != nil || c.Stdout != nil}
	var err error
	switch {
	case c.Ntfy != nil:
		made.Notifier, err = ntfy.New(*c.Ntfy, ntfy.Options{ReplyTopic: o.ReplyTopic, Env: o.Env, Now: o.Now})
	case c.Shoutrrr != nil:
		made.Notifier, err = shoutrrr.New(*c.Shoutrrr, shoutrrr.Options{Env: o.Env, Now: o.Now})
	case c.Desktop != nil:
		made.Notifier = desktop.New(*c.Desktop, desktop.Options{Now: o.Now})
	case c.Stdout != nil:
		made.Notifier = stdout.New(*c.Stdout, stdout.Options{Writer: o.Out, Now: o.Dated})
	default:
		err = errors.New("it names no kind of channel")
	}
	if err != nil {
		return notify.Channel{}, fmt.Errorf("open the channel %s: %w", c.ID, err)
	}
	return made, nil
}

// Send sends one message over a channel, past the outbox of any mind. A failure
// to send is a *notify.Error.
func Send(ctx context.Context, c setup.Channel, env func(string) (string, bool), message notify.Message) error {
	opened, err := Channel(c, ChannelOptions{Env: env})
	if err != nil {
		return err
	}
	if closer, ok := opened.Notifier.(interface{ Close() }); ok {
		defer closer.Close()
	}
	_, err = opened.Notifier.Send(ctx, message)
	return err
}

// Reach tries a channel without sending anything.
func Reach(ctx context.Context, c setup.Channel, env func(string) (string, bool)) notify.Probed {
	opened, err := Channel(c, ChannelOptions{Env: env})
	if err != nil {
		return notify.Probed{Problem: err.Error(), Next: "correct the channel in the configuration"}
	}
	if prober, ok := opened.Notifier.(notify.Prober); ok {
		return prober.Probe(ctx)
	}
	return notify.Probed{Detail: "it needs no server"}
}
