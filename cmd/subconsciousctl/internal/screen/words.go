package screen

import (
	"fmt"
	"strings"
	"time"
)

// length says a length of time in its largest unit, rounded down; from one to
// ten hours with the minutes, which matter to somebody who has to be somewhere.
func length(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return number(int(d/time.Minute), "minute")
	case d < 10*time.Hour && d%time.Hour >= time.Minute:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d < 48*time.Hour:
		return number(int(d/time.Hour), "hour")
	default:
		return number(int(d/(24*time.Hour)), "day")
	}
}

// relative says how far t is from now: "2 minutes ago", "in 3 hours".
func (p *page) relative(t time.Time) string {
	d := t.Sub(p.At)
	switch {
	case d > -10*time.Second && d <= 0:
		return "just now"
	case d < 0 && d > -time.Minute:
		return number(int(-d/time.Second), "second") + " ago"
	case d < 0:
		return length(-d) + " ago"
	case d < time.Minute:
		return "in less than a minute"
	default:
		// What is due in 2 h 59 min 59 s is "in 3 hours" to anybody.
		return "in " + length(d+30*time.Second)
	}
}

// clock says when t is on a clock in the person's zone, with as much of the
// date as is needed.
func (p *page) clock(t time.Time) string {
	t, at := t.In(p.Zone), p.At.In(p.Zone)
	far := t.Sub(at).Abs()
	switch {
	case t.Format(time.DateOnly) == at.Format(time.DateOnly):
		return t.Format("15:04")
	case far < 6*24*time.Hour:
		return t.Format("Mon 15:04")
	case far < 300*24*time.Hour:
		return t.Format("2 Jan 15:04")
	default:
		return t.Format(time.DateOnly)
	}
}

// when says both: "2 minutes ago (14:03)".
func (p *page) when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return p.relative(t) + " (" + p.clock(t) + ")"
}

// number says a count of things: "1 hour", "2 hours".
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// senseLabel is what a sense is called: its kind, and its id where that says
// more.
func senseLabel(kind, id string) string {
	if id == "" || id == kind {
		return clean(kind)
	}
	return clean(kind) + " " + clean(id)
}

// sentence sets the first letter large and ends with a full stop.
func sentence(text string) string {
	text = clean(text)
	if text == "" {
		return ""
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	runes := []rune(text)
	return strings.ToUpper(string(runes[0])) + string(runes[1:])
}
