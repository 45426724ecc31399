package calendar

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Years outside these are taken for mistakes. Birthdays without a year are
// written as 1604 by common programs.
const (
	firstYear = 1583
	lastYear  = 2400
)

// moment is a time as a calendar writes it: what a clock shows, and where that
// clock hangs.
type moment struct {
	// wall is the clock's reading, carried in UTC.
	wall time.Time
	// zone is where the clock hangs; nil means wherever the reader is.
	zone *time.Location
	// date: the whole day is meant, wall is its midnight.
	date bool
}

// in returns the instant for a reader in the zone mind.
func (m moment) in(mind *time.Location) time.Time {
	return resolve(m.wall, cmp.Or(m.zone, mind))
}

// name identifies the moment whatever the reader's zone is: RFC 3339 in UTC,
// or the reading itself for a date or a floating time.
func (m moment) name() string {
	if m.zone == nil {
		return m.wall.Format(time.RFC3339)
	}
	return resolve(m.wall, m.zone).UTC().Format(time.RFC3339)
}

// add moves the reading by d on the clock.
func (m moment) add(d time.Duration) moment {
	m.wall = m.wall.Add(d)
	return m
}

// like writes the moment as the series that starts at start would: some
// programs leave out the zone, others the time.
func (m moment) like(start moment) moment {
	switch {
	case start.date:
		return moment{wall: midnight(m.wall), date: true}
	case m.date:
		return moment{wall: m.wall.Add(start.wall.Sub(midnight(start.wall))), zone: start.zone}
	case m.zone == nil:
		m.zone = start.zone
	}
	return m
}

// reading returns what a clock in t's own location shows at t, carried in UTC.
func reading(t time.Time) time.Time {
	_, offset := t.Zone()
	return time.Unix(t.Unix()+int64(offset), 0).UTC()
}

// resolve returns the instant at which a clock in zone shows wall. A reading
// that is skipped in spring is counted with the offset before the jump, one
// that comes twice in autumn is the first of the two (RFC 5545, 3.3.5).
// time.Date promises neither.
func resolve(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	if zone == time.UTC {
		return t
	}
	_, before := t.Add(-4 * time.Hour).Zone()
	early := time.Unix(wall.Unix()-int64(before), 0).In(zone)
	if !reading(t).Equal(wall) {
		return early
	}
	if early.Before(t) && reading(early).Equal(wall) {
		return early
	}
	return t
}

var errNoDate = errors.New("is not a date")

// parseMoment reads a DATE or DATE-TIME value. zone is the location of its
// TZID, nil where it has none.
func parseMoment(value string, zone *time.Location) (moment, error) {
	value = strings.TrimSpace(value)
	layout, date := "20060102T150405", false
	switch {
	case len(value) == 8:
		layout, date, zone = "20060102", true, nil
	case len(value) == 16 && (value[15] == 'Z' || value[15] == 'z'):
		value, zone = value[:15], time.UTC
	}
	wall, err := time.ParseInLocation(layout, value, time.UTC)
	if err != nil || wall.Year() < firstYear || wall.Year() > lastYear {
		return moment{}, fmt.Errorf("%q, which %w", clip(value, 24), errNoDate)
	}
	return moment{wall: wall, zone: zone, date: date}, nil
}

// span is a length as calendars count: whole days on the calendar, then an
// exact time.
type span struct {
	days  int
	exact time.Duration
}

// maxSpan bounds how long one event may be; longer ones are mistakes.
const maxSpan = 10 * 366 * 24 * time.Hour

// parseSpan reads a DURATION value such as P1DT2H or PT30M.
func parseSpan(value string) (span, error) {
	wrong := fmt.Errorf("%q, which is not a duration", clip(value, 24))
	rest := strings.ToUpper(strings.TrimSpace(value))
	negative := strings.HasPrefix(rest, "-")
	rest = strings.TrimLeft(rest, "+-")
	rest, found := strings.CutPrefix(rest, "P")
	if !found || rest == "" || len(rest) > 32 {
		return span{}, wrong
	}
	units := map[byte]time.Duration{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour}
	var s span
	number, digits := 0, 0
	for i := range len(rest) {
		c := rest[i]
		switch unit, known := units[c]; {
		case c >= '0' && c <= '9' && digits < 8:
			number, digits = number*10+int(c-'0'), digits+1
			continue
		case c == 'T' && digits == 0:
			units = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second}
			continue
		case !known || digits == 0:
			return span{}, wrong
		case unit >= 24*time.Hour:
			s.days += number * int(unit/(24*time.Hour))
		default:
			s.exact += time.Duration(number) * unit
		}
		number, digits = 0, 0
	}
	if digits > 0 || negative || s.days > 3660 || s.exact > maxSpan {
		return span{}, wrong
	}
	return s, nil
}
