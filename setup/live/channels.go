package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/shoutrrr"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
	"github.com/subconsciousd/subconsciousd/setup"
)

// Channel opens a channel without a mind: its messages have no buttons.
func Channel(c setup.Channel, env func(string) (string, bool)) (notify.Channel, error) {
	made := notify.Channel{ID: c.ID, Kind: c.Kind(), Content: c.Content}
	var err error
	switch {
	case c.Ntfy != nil:
		made.Notifier, err = ntfy.New(*c.Ntfy, ntfy.Options{Env: env})
	case c.Shoutrrr != nil:
		made.Notifier, err = shoutrrr.New(*c.Shoutrrr, shoutrrr.Options{Env: env})
	case c.Desktop != nil:
		made.Notifier = desktop.New(*c.Desktop, desktop.Options{})
	case c.Stdout != nil:
		made.Notifier = stdout.New(*c.Stdout, stdout.Options{})
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
	opened, err := Channel(c, env)
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
	opened, err := Channel(c, env)
	if err != nil {
		return notify.Probed{Problem: err.Error(), Next: "correct the channel in the configuration"}
	}
	if prober, ok := opened.Notifier.(notify.Prober); ok {
		return prober.Probe(ctx)
	}
	return notify.Probed{Detail: "it needs no server"}
}
