package calendartest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// AllDay is the zone of a Series that has dates and no times.
const AllDay = "all day"

// Series is an event or a series, with what can happen to it. Its times are as the
// clock of its zone shows them, written in UTC.
type Series struct {
	UID, Zone string
	Start     time.Time
	Rule      string // that of RRULE, "" for an event that does not repeat
	// Out is a date that falls out, Moved one that begins at MovedTo instead; zero
	// for none.
	Out, Moved, MovedTo time.Time
}

// Calendar is an iCalendar object (RFC 5545) that holds all of them.
func Calendar(all []Series) string {
	var text strings.Builder
	text.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example.org//drawn//EN\r\n")
	for _, s := range all {
		fmt.Fprintf(&text, "BEGIN:VEVENT\r\nUID:%s\r\nDTSTAMP:20240101T000000Z\r\nDTSTART%s\r\n", s.UID, s.at(s.Start))
		if s.Rule != "" {
			text.WriteString("RRULE:" + s.Rule + "\r\n")
		}
		if !s.Out.IsZero() {
			text.WriteString("EXDATE" + s.at(s.Out) + "\r\n")
		}
		text.WriteString("END:VEVENT\r\n")
		if !s.Moved.IsZero() {
			fmt.Fprintf(&text, "BEGIN:VEVENT\r\nUID:%s\r\nDTSTAMP:20240101T000000Z\r\nRECURRENCE-ID%s\r\nDTSTART%s\r\nEND:VEVENT\r\n", s.UID, s.at(s.Moved), s.at(s.MovedTo))
		}
	}
	text.WriteString("END:VCALENDAR\r\n")
	return text.String()
}

// at is the rest of a line behind the name of a property.
func (s Series) at(m time.Time) string {
	switch s.Zone {
	case AllDay:
		return ";VALUE=DATE:" + m.Format("20060102")
	case "UTC":
		return ":" + m.Format("20060102T150405Z")
	}
	return ";TZID=" + s.Zone + ":" + m.Format("20060102T150405")
}

// draw draws a Series whose dates change near the times of Run.
func draw(random *rand.Rand, uid string) Series {
	s := Series{UID: uid, Zone: []string{"Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "UTC", AllDay}[random.IntN(6)]}
	// No time that a clock change skips, or that comes twice: there the other takes
	// the second one, and RFC 5545 the first.
	start := time.Date(2024, 1, 1, 3+random.IntN(17), 15*random.IntN(4), 0, 0, time.UTC).AddDate(0, 0, random.IntN(1300))
	day := min(start.Day(), 28)
	start = start.AddDate(0, 0, day-start.Day())
	s.Start = start
	weekday := func(m time.Time) string { return strings.ToUpper(m.Weekday().String()[:2]) }
	interval := 1 + random.IntN(3)
	step := 24 * time.Hour * time.Duration(interval)
	s.Rule = fmt.Sprintf("FREQ=DAILY;INTERVAL=%d", interval)
	switch random.IntN(8) {
	case 0:
		s.Rule, step = "", 0
	case 1, 2:
		s.Rule, step = fmt.Sprintf("FREQ=WEEKLY;INTERVAL=%d;BYDAY=%s,%s", interval, weekday(start), weekday(start.AddDate(0, 0, 2))), 7*step
	case 3:
		s.Rule, step = fmt.Sprintf("FREQ=MONTHLY;INTERVAL=%d", interval), 0
	case 4:
		s.Rule, step = fmt.Sprintf("FREQ=MONTHLY;BYDAY=%d%s", (day+6)/7, weekday(start)), 0
	case 5:
		s.Rule, step = "FREQ=YEARLY", 0
	case 6:
		s.Rule += fmt.Sprintf(";COUNT=%d", 1+random.IntN(600))
	}
	if step == 0 {
		return s
	}
	ahead := time.Date(2026, 10, 20+random.IntN(10), 0, 0, 0, 0, time.UTC)
	nth := start.Add(max(1, ahead.Sub(start)/step) * step)
	if random.IntN(2) == 0 {
		s.Out = nth
	}
	if s.Zone != AllDay && random.IntN(2) == 0 {
		s.Moved, s.MovedTo = nth.Add(step), nth.Add(step+4*time.Hour)
	}
	return s
}
