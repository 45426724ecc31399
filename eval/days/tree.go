package days

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tree is the files of a day as they come to be, by path. What edits files is a
// method of it, which says why that can not be.
type tree map[string]string

func (t tree) write(d deed) error {
	if !isCalendar(d.path) {
		err := t.blocked(d.path)
		t[d.path] = d.text
		return err
	}
	c, err := parseICS(d.text)
	if _, there := t[d.path]; !there {
		err = fmt.Errorf("a calendar is there from the start: %s is not", d.path)
	}
	if err == nil {
		t[d.path] = c.text()
	}
	return err
}

func (t tree) append(d deed) error {
	if isCalendar(d.path) {
		return fmt.Errorf("a calendar is written whole, or changed with event and cancel: %s", d.path)
	}
	d.text = t[d.path] + d.text
	return t.write(d)
}

func (t tree) replace(d deed) error {
	if d.old == "" || !strings.Contains(t[d.path], d.old) {
		return fmt.Errorf("%s does not have %q then", d.path, clip(d.old))
	}
	t[d.path] = strings.Replace(t[d.path], d.old, d.text, 1)
	return nil
}

// take takes a file or a folder away, by what stands behind its path.
func (t tree) take(path string) (taken tree, err error) {
	taken = tree{}
	for name, text := range t {
		if rest, ok := strings.CutPrefix(name, path); ok && (rest == "" || rest[0] == '/') {
			taken[rest] = text
			delete(t, name)
		}
	}
	switch {
	case isCalendar(path):
		return nil, errors.New("a calendar stays where it is")
	case len(taken) == 0:
		return nil, fmt.Errorf("%s is not there then", path)
	}
	return taken, nil
}

func (t tree) delete(d deed) error {
	_, err := t.take(d.path)
	return err
}

func (t tree) move(d deed) error {
	if isCalendar(d.to) || strings.HasPrefix(d.to+"/", d.path+"/") {
		return fmt.Errorf("%s cannot be moved into itself, nor to the name of a calendar", d.path)
	}
	moved, err := t.take(d.path)
	if err != nil {
		return err
	}
	if _, there := t[d.to]; there {
		return fmt.Errorf("%s is there already", d.to)
	}
	err = t.blocked(d.to)
	for rest, text := range moved {
		t[d.to+rest] = text
	}
	return err
}

// blocked says why there can be no file of that name: it is a folder, or a
// folder of it is a file.
func (t tree) blocked(path string) error {
	for name := range t {
		if strings.HasPrefix(name, path+"/") {
			return fmt.Errorf("%s is a folder then", path)
		}
		if strings.HasPrefix(path, name+"/") {
			return fmt.Errorf("%s is a file then", name)
		}
	}
	return nil
}

// event puts events into a calendar. They take the place of those of their UID.
func (t tree) event(d deed) error {
	c, err := t.calendar(d.path)
	more, wrong := parseICS(d.text)
	if wrong == nil && len(more.events) == 0 {
		wrong = errors.New("there is no event from BEGIN:VEVENT to END:VEVENT")
	}
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	for _, e := range more.events {
		c.drop(e.uid)
	}
	c.events = append(c.events, more.events...)
	t[d.path] = c.text()
	return nil
}

// cancel takes an event out of a calendar, with all its recurrences.
func (t tree) cancel(d deed) error {
	c, err := t.calendar(d.path)
	if err == nil && !c.drop(d.text) {
		err = fmt.Errorf("%s has no event %q", d.path, clip(d.text))
	}
	if err == nil {
		t[d.path] = c.text()
	}
	return err
}

func (t tree) calendar(path string) (ics, error) {
	if text, there := t[path]; there {
		return parseICS(text)
	}
	return ics{}, fmt.Errorf("there is no calendar %s at the start", path)
}

// ics is a calendar as days write it: events, and the lines around them.
type ics struct {
	around []string
	events []vevent
}

type vevent struct {
	uid   string
	lines []string
}

// property is the value of the first line of that name.
func (e vevent) property(name string) string {
	for _, line := range e.lines {
		if before, value, _ := strings.Cut(line, ":"); before == name || strings.HasPrefix(before, name+";") {
			return value
		}
	}
	return ""
}

// parseICS takes a calendar apart. It looks at no more than it needs: whether
// each event has a beginning, an end, a UID and a start, in a zone that there
// is.
func parseICS(text string) (c ics, err error) {
	var event *vevent
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		switch {
		case line == "BEGIN:VEVENT" && event != nil:
			return c, fmt.Errorf("an event begins before the end of %q", clip(event.property("UID")))
		case line == "BEGIN:VEVENT":
			event = &vevent{}
		case event == nil:
			c.around = append(c.around, line)
			continue
		}
		event.lines = append(event.lines, line)
		name, _, _ := strings.Cut(line, ":")
		if _, zone, ok := strings.Cut(name, ";TZID="); ok && !strings.Contains(text, "BEGIN:VTIMEZONE") {
			if _, err := time.LoadLocation(zone); err != nil {
				return c, fmt.Errorf("the event %q is in a zone %q that is not known", clip(event.property("UID")), clip(zone))
			}
		}
		if line == "END:VEVENT" {
			if event.uid = event.property("UID"); event.uid == "" || event.property("DTSTART") == "" {
				return c, fmt.Errorf("an event (%q) has no UID or no DTSTART", clip(event.uid))
			}
			c.events, event = append(c.events, *event), nil
		}
	}
	if event != nil {
		return c, fmt.Errorf("the event %q does not end", clip(event.property("UID")))
	}
	return c, nil
}

// drop takes the events of that UID out, and reports whether there were any.
func (c *ics) drop(uid string) bool {
	before := len(c.events)
	c.events = slices.DeleteFunc(c.events, func(e vevent) bool { return e.uid == uid })
	return len(c.events) < before
}

// text is the whole calendar, as programs write it: with what was left out
// around the events, and a stamp for each.
func (c ics) text() string {
	around := c.around
	if len(around) == 0 {
		around = []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//subconsciousd//days//EN", "END:VCALENDAR"}
	}
	end := len(around) - 1 // before its last line
	lines := slices.Clone(around[:end])
	for _, e := range c.events {
		if e.property("DTSTAMP") == "" {
			e.lines = slices.Insert(slices.Clone(e.lines), 1, "DTSTAMP:20200101T000000Z")
		}
		lines = append(lines, e.lines...)
	}
	return strings.Join(append(lines, around[end], ""), "\r\n")
}
