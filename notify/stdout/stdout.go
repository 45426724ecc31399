// Package stdout is a channel that prints messages, one a line, for who runs
// the daemon in a terminal or reads its log.
//
// It stores nothing. The daemon makes it from the configuration.
package stdout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/notify"
)

// Config of the channel: there is nothing to choose.
type Config struct{}

// Validate finds nothing wrong.
func (Config) Validate() error { return nil }

// Options say where lines go.
type Options struct {
	// Writer gets one Write a line. Nil is standard output.
	Writer io.Writer
	// Now dates the lines, in the zone that it has; nil is time.Now.
	Now func() time.Time
}

// Channel prints messages. It is safe for concurrent use.
type Channel struct {
	options Options
	// turn is held by who writes: a writer that hangs, such as a full pipe,
	// holds up nobody beyond their context.
	turn chan struct{}
}

var _ notify.Notifier = (*Channel)(nil)

// New returns the channel.
func New(_ Config, options Options) *Channel {
	if options.Writer == nil {
		options.Writer = os.Stdout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Channel{options: options, turn: make(chan struct{}, 1)}
}

// Send implements notify.Notifier.
func (c *Channel) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Err: err,
			Text: "the line could not be printed in time", Next: "Check who reads the daemon's standard output"}
	}
	at := c.options.Now()
	done := make(chan error, 1)
	go func() {
		defer func() { <-c.turn }()
		n, err := io.WriteString(c.options.Writer, line(at, m))
		if err != nil && n > 0 {
			err = partly{err}
		}
		done <- err
	}()
	select {
	case err := <-done:
		return notify.Receipt{At: at}, failure(err)
	case <-ctx.Done():
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unknown, Err: ctx.Err(),
			Text: "the line is not known to have been printed", Next: "Check who reads the daemon's standard output"}
	}
}

// partly: some of the line is out.
type partly struct{ error }

// failure puts what a writer said into words.
func failure(err error) error {
	if err == nil {
		return nil
	}
	e := &notify.Error{Trouble: notify.Unavailable, Err: err, Text: "the line could not be printed",
		Next: "Check where the daemon's standard output goes"}
	if _, ok := errors.AsType[partly](err); ok {
		e.Trouble, e.Text = notify.Unknown, "a part of the line was printed"
	}
	if errors.Is(err, os.ErrClosed) {
		e.Trouble, e.Text, e.Next = notify.Refused, "standard output is closed", "Start the daemon with an output, or remove the channel"
	}
	return e
}

// line is "10:42 ! The backup failed: Nothing was saved. [i-backup-1a0]".
func line(at time.Time, m notify.Message) string {
	mark := "-"
	if m.Urgent {
		mark = "!"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", at.Format("15:04"), mark, clean(m.Title))
	if text := clean(m.Text); text != "" {
		b.WriteString(": " + text)
	}
	if id := cmp.Or(m.Proposal, string(m.Incident)); id != "" && !strings.Contains(m.Text, id) {
		b.WriteString(" [" + clean(id) + "]")
	}
	if m.Link != "" {
		b.WriteString(" <" + clean(m.Link) + ">")
	}
	b.WriteByte('\n')
	return b.String()
}

// clean keeps a line one line, and the terminal as it is.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
