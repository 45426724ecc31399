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
	// solo writes: a writer that hangs, such as a full pipe, holds up nobody
	// beyond their context.
	solo *notify.Solo
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
	return &Channel{options: options, solo: notify.NewSolo()}
}

// Send implements notify.Notifier.
func (c *Channel) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	at := c.options.Now()
	err := c.solo.Do(ctx, func() error {
		n, err := io.WriteString(c.options.Writer, line(at, m))
		if err != nil && n > 0 {
			err = partly{err}
		}
		return err
	})
	const next = "Check who reads the daemon's standard output"
	switch {
	case errors.Is(err, notify.ErrHangs):
		err = &notify.Error{Trouble: notify.Unavailable, Err: err, Text: "the line could not be printed in time", Next: next}
	case errors.Is(err, notify.ErrLeft):
		err = &notify.Error{Trouble: notify.Unknown, Err: err, Text: "the line is not known to have been printed", Next: next}
	default:
		err = failure(err)
	}
	return notify.Receipt{At: at}, err
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
