package escalate

import (
	"fmt"
	"strings"
	"time"
)

// weekdays in the order of time.Weekday.
var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// parseWeekly reads "sun 18:00".
func parseWeekly(text string) (time.Weekday, clock, error) {
	name, rest, _ := strings.Cut(text, " ")
	for day, known := range weekdays {
		if name == known {
			c, err := parseClock(rest)
			return time.Weekday(day), c, err
		}
	}
	return 0, 0, fmt.Errorf("%.20q is no time of the week; write it as \"sun 18:00\"", text)
}

// slots are the times at which one sort of digest is due.
type slots struct {
	at     clock
	weekly bool
	day    time.Weekday
}

// daily and weekly return when digests are due; ok is false for never.
func (d DigestTimes) daily() (slots, bool) {
	at, err := parseClock(d.Daily)
	return slots{at: at}, d.Daily != "" && err == nil
}

func (d DigestTimes) weekly() (slots, bool) {
	day, at, err := parseWeekly(d.Weekly)
	return slots{at: at, weekly: true, day: day}, d.Weekly != "" && err == nil
}

// around returns the last due time that is not after at, and the next one.
func (s slots) around(at time.Time) (last, next time.Time) {
	year, month, day := at.Date()
	for d := day - 8; d <= day+8; d++ {
		if s.weekly && time.Date(year, month, d, 12, 0, 0, 0, time.UTC).Weekday() != s.day {
			continue
		}
		due, _ := s.at.instants(year, month, d, at.Location())
		if due.After(at) {
			return last, due
		}
		last = due
	}
	return last, next
}

// NextDigest returns when the next digest is due after at, daily or weekly; ok
// is false where none is configured.
func NextDigest(rules Rules, at time.Time) (due time.Time, ok bool) {
	for _, of := range []func() (slots, bool){rules.Digest.daily, rules.Digest.weekly} {
		if s, on := of(); on {
			if _, next := s.around(at); !ok || next.Before(due) {
				due, ok = next, true
			}
		}
	}
	return due, ok
}
