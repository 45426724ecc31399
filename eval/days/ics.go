package days

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// dayEvents is a calendar as days write it: events, and the lines that stand
// around them.
type dayEvents struct {
	around []string
	events []dayVEvent
}

type dayVEvent struct {
	uid   string
	lines []string
}

// parseICS takes a calendar apart. It looks at no more than it needs: whether
// each event has a beginning, an end, a UID and a start, in a zone that there
// is.
func parseICS(text string) (c dayEvents, err error) {
	var event *dayVEvent
	starts := false
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		name, parameters, _ := strings.Cut(name, ";")
		switch {
		case line == "BEGIN:VEVENT" && event == nil:
			event, starts = &dayVEvent{}, false
		case line == "BEGIN:VEVENT":
			return c, fmt.Errorf("an event begins before the end of %q", clip(event.uid))
		case event == nil:
			c.around = append(c.around, line)
			continue
		case name == "UID":
			event.uid = value
		case name == "DTSTART":
			starts = true
		}
		if zone, ok := strings.CutPrefix(parameters, "TZID="); ok && !strings.Contains(text, "BEGIN:VTIMEZONE") {
			if _, err := time.LoadLocation(zone); err != nil {
				return c, fmt.Errorf("the event %q is in a zone %q that is not known", clip(event.uid), clip(zone))
			}
		}
		event.lines = append(event.lines, line)
		if line == "END:VEVENT" {
			if event.uid == "" || !starts {
				return c, fmt.Errorf("an event (%q) has no UID or no DTSTART", clip(event.uid))
			}
			c.events, event = append(c.events, *event), nil
		}
	}
	if event != nil {
		return c, fmt.Errorf("the event %q does not end", clip(event.uid))
	}
	return c, nil
}

// text is the whole calendar, as programs write it: with what was left out
// around the events, and a stamp for each.
func (c dayEvents) text() string {
	around := c.around
	if len(around) == 0 {
		around = []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//subconsciousd//days//EN", "END:VCALENDAR"}
	}
	end := len(around) - 1 // before its last line
	lines := slices.Clone(around[:end])
	for _, e := range c.events {
		lines = append(lines, e.lines[0])
		if !strings.Contains(strings.Join(e.lines, "\n"), "\nDTSTAMP") {
			lines = append(lines, "DTSTAMP:20200101T000000Z")
		}
		lines = append(lines, e.lines[1:]...)
	}
	return strings.Join(append(lines, around[end], ""), "\r\n")
}

// applyICS changes a calendar's text by `event` or `cancel`: events take the
// place of those of their UID, and go with all their recurrences.
func applyICS(text string, d dayDeed) (string, error) {
	c, err := parseICS(text)
	if err != nil {
		return "", err
	}
	without := func(uid string) bool {
		before := len(c.events)
		c.events = slices.DeleteFunc(c.events, func(e dayVEvent) bool { return e.uid == uid })
		return len(c.events) < before
	}
	if d.verb == verbCancel {
		if !without(d.text) {
			return "", fmt.Errorf("%s has no event %q", d.path, clip(d.text))
		}
		return c.text(), nil
	}
	more, err := parseICS(d.text)
	if err != nil {
		return "", err
	}
	if len(more.events) == 0 {
		return "", errors.New("there is no event from BEGIN:VEVENT to END:VEVENT")
	}
	for _, e := range more.events {
		without(e.uid)
	}
	c.events = append(c.events, more.events...)
	return c.text(), nil
}
