package screen

import (
	"strings"
	"time"
)

// ReadyChannel says where a stand-in for an ntfy server listens, and how to use
// it.
func ReadyChannel(view View, url, snippet string) string {
	p := newPage(view)
	p.wrapped("", bold, "A stand-in for an ntfy server listens at "+clean(url))
	p.line()
	p.wrapped("", plain, "Put this into the configuration, and it takes what your phone would:")
	p.line()
	for line := range strings.Lines(Lines(snippet)) {
		p.line("  ", strings.TrimRight(line, "\n"))
	}
	p.line()
	p.wrapped("", dim, "Then: subconsciousctl notify test. Ctrl-C ends it.")
	p.line()
	return p.String()
}

// Pushed is one message that a stand-in took.
type Pushed struct {
	At          time.Time
	Topic       string
	Title, Text string
	Priority    int // 1 to 5; 0 is the usual one
	Buttons     []Button
}

// Button is a button of a message, and the command that presses it.
type Button struct{ Label, Press string }

const urgentPriority = 5

// Push is one message as a phone would show it, with the commands that press
// its buttons, each on one line that can be copied.
func Push(view View, m Pushed) string {
	p := newPage(view)
	title := clean(m.Title)
	if m.Priority >= urgentPriority {
		title += " (urgent)"
	}
	first := m.At.In(p.Zone).Format(time.TimeOnly) + "  " + truncate(clean(m.Topic), 24) + "  "
	p.wrapped(first, bold, strings.TrimSpace(title))
	for line := range strings.Lines(m.Text) {
		p.wrapped("  ", plain, clean(line))
	}
	for _, b := range m.Buttons {
		p.line("  ", p.in(dim, "press “"+clean(b.Label)+"”: "), clean(b.Press))
	}
	return p.String()
}
