package screen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// Unclear is a time that cannot be read, or cannot be meant.
type Unclear struct {
	Text string
	Next string // what to write instead
}

func (u *Unclear) Error() string { return u.Text }

// morning is the hour that a day without one means.
const morning = 9

// When reads when something is to happen, in the zone of the view: a length of
// time from now ("2h", "3d"), a time of the day ("18:00"), a day with or without
// one ("tomorrow 9:00", "fri", "2026-11-23 08:00"). A time of the day that is
// past means tomorrow's where roll is set, and is refused elsewhere, as is all
// that is past. Errors are *Unclear.
func When(view View, text string, roll bool) (time.Time, error) {
	if view.Zone == nil {
		view.Zone = time.UTC
	}
	now := view.At.In(view.Zone)
	text = strings.Join(strings.Fields(text), " ")
	at, ok := readWhen(now, text)
	if !ok {
		return time.Time{}, &Unclear{Text: fmt.Sprintf("%q is not a time that is understood", clean(text)),
			Next: "write 2h, 3d, 18:00, tomorrow 9:00, fri 18:00 or 2026-11-23 08:00"}
	}
	_, _, clockAlone := readClock(text)
	switch {
	case !at.After(now) && clockAlone && roll:
		at = at.AddDate(0, 0, 1)
	case !at.After(now) && clockAlone:
		return time.Time{}, &Unclear{Text: fmt.Sprintf("%s is past: it is %s now", clean(text), now.Format("15:04")), Next: "say tomorrow " + clean(text)}
	case !at.After(now):
		return time.Time{}, &Unclear{Text: fmt.Sprintf("%s is past: it is %s now", clean(text), now.Format("Mon 2 Jan 15:04")), Next: "name a time that is still ahead"}
	}
	if at.Sub(now) > api.MaxLater {
		return time.Time{}, &Unclear{Text: fmt.Sprintf("%s is more than 366 days ahead", clean(text)), Next: "choose less, and ask again then"}
	}
	return at, nil
}

func readWhen(now time.Time, text string) (time.Time, bool) {
	if at, ok := readLength(now, strings.TrimPrefix(text, "in ")); ok {
		return at, true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(now.Location()), true
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, true
		}
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return onDay(day, 0, morning, 0), true
	}
	return readDay(now, text)
}

// readLength reads a length of time from now; days keep the time of the day.
func readLength(now time.Time, text string) (time.Time, bool) {
	if length, err := time.ParseDuration(text); err == nil && text != "0" {
		return now.Add(length), true
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(number); err == nil {
			return now.AddDate(0, 0, min(max(n, -1000), 1000)*days), true
		}
	}
	return time.Time{}, false
}

// readDay reads a day by its name, a time of the day, or both.
func readDay(now time.Time, text string) (time.Time, bool) {
	day, clock, both := strings.Cut(strings.ToLower(text), " ")
	hour, minute := morning, 0
	if h, m, ok := readClock(text); ok {
		return onDay(now, 0, h, m), true
	}
	if both {
		var ok bool
		if hour, minute, ok = readClock(strings.TrimPrefix(clock, "at ")); !ok {
			return time.Time{}, false
		}
	}
	switch day {
	case "today":
		return onDay(now, 0, hour, minute), both
	case "tomorrow":
		return onDay(now, 1, hour, minute), true
	}
	for ahead := range 8 {
		at := onDay(now, ahead, hour, minute)
		name := strings.ToLower(at.Weekday().String())
		if (day == name || day == name[:3]) && at.After(now) {
			return at, true
		}
	}
	return time.Time{}, false
}

// readClock reads a time of the day.
func readClock(text string) (hour, minute int, ok bool) {
	text = strings.ToLower(text)
	for _, layout := range []string{"15:04", "3:04pm", "3pm"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Hour(), at.Minute(), true
		}
	}
	return 0, 0, false
}

func onDay(day time.Time, ahead, hour, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day()+ahead, hour, minute, 0, 0, day.Location())
}
