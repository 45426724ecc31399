// Package desktop shows messages as notifications of the desktop: over the
// session bus with buttons where the desktop has them, and on macOS by
// osascript, without.
//
// It stores nothing. The outbox of package notify calls it.
package desktop

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// application is what notifications are shown as.
	application = "subconscious"
	// timeout is how long one message may take; the desktop may have to be
	// started for it.
	timeout = 10 * time.Second
	// The words of a message are 240 characters; these are bounds, not aims.
	maxTitle = 1_000 // bytes
	maxText  = 1_000
	maxLink  = 2_000
)

// Config has no settings: the desktop has its own.
type Config struct{}

// Validate finds nothing wrong.
func (Config) Validate() error { return nil }

// Options are what a channel may be told. Every field may be left out.
type Options struct {
	// Bus is the address of the session bus; empty is where it usually is.
	Bus string
	// System is the operating system; empty is this one.
	System string
	// Script is the program that shows notifications on macOS; empty is
	// osascript.
	Script string
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// New returns the channel to this desktop. It is a notify.Listener too, but on
// macOS. It does nothing until it is used.
func New(_ Config, options Options) notify.Notifier {
	if options.Now == nil {
		options.Now = time.Now
	}
	if cmp.Or(options.System, runtime.GOOS) == "darwin" {
		return &script{program: cmp.Or(options.Script, "/usr/bin/osascript"), now: options.Now}
	}
	return &bus{address: options.Bus, now: options.Now}
}

// words are a message's title and text as a desktop can show them.
func words(message notify.Message) (title, text string) {
	title, text = strings.ToValidUTF8(message.Title, ""), strings.ToValidUTF8(message.Text, "")
	text = strings.TrimSpace(subconscious.Visible(subconscious.Clip(text, 4*maxText), true))
	return subconscious.Clip(subconscious.Visible(title, false), maxTitle), subconscious.Clip(text, maxText)
}

// bounded returns ctx with the time that one message may take.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, timeout)
}
