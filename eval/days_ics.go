package eval

import (
	"fmt"
	"strings"
	"time"
)

// dayEvents is a calendar as days write it: events, and what stands around
// them.
type dayEvents struct {
	head, tail []string
	events     []dayVEvent
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
			return c, fmt.Errorf("an event begins before the end of %q", clipDay(event.uid))
		case event == nil && len(c.events) == 0:
			c.head = append(c.head, line)
			continue
		case event == nil:
			c.tail = append(c.tail, line)
			continue
		case name == "UID":
			event.uid = value
		case name == "DTSTART":
			starts = true
		}
		if zone, ok := strings.CutPrefix(parameters, "TZID="); ok && !strings.Contains(text, "BEGIN:VTIMEZONE") {
			if _, err := time.LoadLocation(zone); err != nil {
				return c, fmt.Errorf("the event %q is in a zone %q that is not known", clipDay(event.uid), clipDay(zone))
			}
		}
		event.lines = append(event.lines, line)
		if line == "END:VEVENT" {
			if event.uid == "" || !starts {
				return c, fmt.Errorf("an event (%q) has no UID or no DTSTART", clipDay(event.uid))
			}
			c.events, event = append(c.events, *event), nil
		}
	}
	if event != nil {
		return c, fmt.Errorf("the event %q does not end", clipDay(event.uid))
	}
	return c, nil
}

// text is the whole calendar, as programs write it: with what was left out
// around the events, and a stamp for each.
func (c dayEvents) text() string {
	head, tail := c.head, c.tail
	if len(head) == 0 {
		head, tail = []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//subconsciousd//days//EN"}, []string{"END:VCALENDAR"}
	}
	if len(c.events) == 0 { // what was around none is all in the head
		tail = nil
		if len(c.head) == 0 {
			tail = []string{"END:VCALENDAR"}
		}
	}
	lines := append([]string{}, head...)
	for _, e := range c.events {
		lines = append(lines, e.lines[0])
		if !strings.Contains(strings.Join(e.lines, "\n"), "\nDTSTAMP") {
			lines = append(lines, "DTSTAMP:20200101T000000Z")
		}
		lines = append(lines, e.lines[1:]...)
	}
	return strings.Join(append(append(lines, tail...), ""), "\r\n")
}

// without is the calendar without the event of that UID, in all its
// recurrences; ok: there was one.
func (c dayEvents) without(uid string) (rest dayEvents, ok bool) {
	rest = dayEvents{head: c.head, tail: c.tail}
	for _, e := range c.events {
		if e.uid == uid {
			ok = true
			continue
		}
		rest.events = append(rest.events, e)
	}
	if len(rest.events) == 0 {
		rest.head, rest.tail = append(append([]string{}, c.head...), c.tail...), nil
	}
	return rest, ok
}

// with is the calendar with these events, in the place of those of their UID.
func (c dayEvents) with(more dayEvents) dayEvents {
	rest := c
	for _, e := range more.events {
		rest, _ = rest.without(e.uid)
	}
	if len(rest.events) == 0 {
		if n := len(rest.head); n > 0 && rest.head[n-1] == "END:VCALENDAR" {
			rest.head, rest.tail = rest.head[:n-1], []string{"END:VCALENDAR"}
		}
	}
	rest.events = append(append([]dayVEvent{}, rest.events...), more.events...)
	return rest
}

// applyICS changes a calendar's text by `event` or `cancel`.
func applyICS(text string, d dayDeed) (string, error) {
	c, err := parseICS(text)
	if err != nil {
		return "", err
	}
	if d.verb == verbCancel {
		rest, ok := c.without(d.text)
		if !ok {
			return "", fmt.Errorf("%s has no event %q", d.path, clipDay(d.text))
		}
		return rest.text(), nil
	}
	more, err := parseICS(d.text)
	if err == nil && len(more.events) == 0 {
		err = fmt.Errorf("there is no event from BEGIN:VEVENT to END:VEVENT")
	}
	if err != nil {
		return "", err
	}
	return c.with(more).text(), nil
}
