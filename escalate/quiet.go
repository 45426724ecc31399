package escalate

import (
	"fmt"
	"time"
)

// clock is a local time of the day, in minutes after midnight.
type clock int

// parseClock reads "23:00".
func parseClock(text string) (clock, error) {
	if t, err := time.Parse("15:04", text); err == nil && len(text) == len("15:04") {
		return clock(t.Hour()*60 + t.Minute()), nil
	}
	return 0, fmt.Errorf("%.20q is no time of the day; write it as \"08:30\"", text)
}

// instants are the first and the last moment at which the clocks show this
// time on the local day of that date. Where clocks are put back and show it
// twice they differ; where clocks are put forward over it, both are the moment
// of the change.
func (c clock) instants(year int, month time.Month, day int, zone *time.Location) (first, last time.Time) {
	wall := time.Date(year, month, day, int(c)/60, int(c)%60, 0, 0, time.UTC)
	guess := time.Date(year, month, day, int(c)/60, int(c)%60, 0, 0, zone)
	reading := func(around time.Time) (time.Time, bool) {
		_, offset := around.In(zone).Zone()
		at := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		return at, at.Year() == wall.Year() && at.YearDay() == wall.YearDay() && at.Hour() == wall.Hour() && at.Minute() == wall.Minute()
	}
	before, shows := reading(guess.Add(-24 * time.Hour))
	after, showsAfter := reading(guess.Add(24 * time.Hour))
	switch {
	case shows && showsAfter && after.Before(before):
		return after, before
	case shows && showsAfter:
		return before, after
	case shows:
		return before, before
	case showsAfter:
		return after, after
	}
	change, _ := before.ZoneBounds()
	if change.IsZero() {
		return guess, guess
	}
	return change.In(zone), change.In(zone)
}

// None reports whether the hours are none: from equal to to.
func (h Hours) None() bool { return h.From == h.To }

// Validate names what is wrong with either end.
func (h Hours) Validate() error {
	if _, err := parseClock(h.From); err != nil && h != (Hours{}) {
		return fmt.Errorf("from: %w", err)
	}
	if _, err := parseClock(h.To); err != nil && h != (Hours{}) {
		return fmt.Errorf("to: %w", err)
	}
	return nil
}

// Until returns when the hours that at lies in are over; ok is false outside
// them. They begin when the clocks first show From and end when they last show
// To, so that an hour that comes twice is not quiet by halves. Hours that do not
// parse are none.
func (h Hours) Until(at time.Time) (end time.Time, ok bool) {
	_, end, ok = h.span(at)
	return end, ok
}

// span is when the hours begin and end that at lies in.
func (h Hours) span(at time.Time) (begin, end time.Time, ok bool) {
	from, err := parseClock(h.From)
	to, err2 := parseClock(h.To)
	if err != nil || err2 != nil || from == to {
		return begin, end, false
	}
	over := 0
	if to < from {
		over = 1
	}
	year, month, day := at.Date()
	for _, d := range []int{day - 1, day} {
		start, _ := from.instants(year, month, d, at.Location())
		_, last := to.instants(year, month, d+over, at.Location())
		if !at.Before(start) && at.Before(last) {
			return start, last, true
		}
	}
	return begin, end, false
}

// QuietUntil returns when the quiet hours that at lies in are over; ok is false
// outside them.
func QuietUntil(rules Rules, at time.Time) (until time.Time, ok bool) { return rules.Quiet.Until(at) }
