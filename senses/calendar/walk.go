package calendar

import (
	"errors"
	"time"

	"github.com/teambition/rrule-go"
)

const day = 24 * time.Hour

// eon is after how many years the calendar repeats, weekdays and all.
const eon = 400

// walk yields the readings of the rule within [from, to), start among them, in
// order and each once, until yield returns false.
//
// The library looks for the next match up to the year 9999 and cannot be
// stopped. So the rule is moved near that year by whole eons, which changes no
// weekday and no leap day, and begins at the period before the window where
// nothing has to be counted.
func (r *rule) walk(start moment, from, to time.Time, budget *budget, yield func(time.Time) bool) error {
	if !start.wall.Before(to) {
		return nil
	}
	if !start.wall.Before(from) && !yield(start.wall) || r.never {
		return nil
	}
	if err := budget.check(); err != nil {
		return err
	}
	begin := start.wall
	if r.count == 0 {
		begin = r.forward(start.wall, from)
	}
	shift := (rrule.MAXYEAR - 1 - to.Year()) / eon * eon
	next, err := r.iterator(begin.AddDate(shift, 0, 0))
	if err != nil {
		return err
	}
	count, last := 1, begin
	for r.count == 0 || count < r.count {
		var moved time.Time
		var ok bool
		if err := guarded(errRule, func() error { moved, ok = next(); return nil }); err != nil {
			return err
		}
		wall := time.Date(rrule.MAXYEAR-shift, 12, 31, 0, 0, 0, 0, time.UTC)
		if ok {
			wall = moved.AddDate(-shift, 0, 0)
		}
		if err := budget.charge(r.steps(last, wall)); err != nil {
			return err
		}
		last = wall
		m := moment{wall: wall, zone: start.zone, date: start.date}
		if !ok || !wall.Before(to) || r.ended(m) {
			return nil
		}
		if !wall.After(start.wall) {
			continue
		}
		count++
		if !wall.Before(from) && !yield(wall) {
			return nil
		}
	}
	return nil
}

// steps is what it costs the library to go from one reading to the next.
func (r *rule) steps(from, to time.Time) int {
	length, cost := 366, 366 // of a period: in days, and to look at
	switch r.option.Freq {
	case rrule.MONTHLY:
		length, cost = 31, 31
	case rrule.WEEKLY:
		length, cost = 7, 12
	case rrule.DAILY:
		length, cost = 1, 8
	case rrule.HOURLY:
		length, cost = 1, 24
	}
	return (daysBetween(from, to)/length/r.option.Interval + 1) * cost * r.weight
}

// daysBetween does not overflow after 292 years as a time.Duration does.
func daysBetween(from, to time.Time) int { return int((to.Unix() - from.Unix()) / 86400) }

// iterator begins the library's iteration at start.
func (r *rule) iterator(start time.Time) (rrule.Next, error) {
	option := r.option
	option.Dtstart = start
	option.Until = time.Date(rrule.MAXYEAR, 12, 31, 23, 59, 59, 0, time.UTC)
	var next rrule.Next
	err := guarded(errRule, func() error {
		made, err := rrule.NewRRule(option)
		if err != nil {
			return errRule
		}
		next = made.Iterator()
		return nil
	})
	return next, err
}

var errRule = errors.New("has a rule that cannot be worked out")

// guarded calls into a library, and turns a panic of it into an error.
func guarded(broken error, call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = broken
		}
	}()
	return call()
}

// forward returns where the iteration may begin so that nothing from from on
// is missed: the start of a period that the rule visits, or start itself.
func (r *rule) forward(start, from time.Time) time.Time {
	// aligned rounds a distance down to a visited period, one before it.
	aligned := func(distance int) int { return (distance - 1) / r.option.Interval * r.option.Interval }
	begin, ahead := start, 0
	switch r.option.Freq {
	case rrule.YEARLY:
		if ahead = aligned(from.Year() - start.Year()); ahead > 0 {
			begin = time.Date(start.Year()+ahead, 1, 1, 0, 0, 0, 0, time.UTC)
		}
	case rrule.MONTHLY:
		if ahead = aligned((from.Year()-start.Year())*12 + int(from.Month()-start.Month())); ahead > 0 {
			begin = time.Date(start.Year(), start.Month()+time.Month(ahead), 1, 0, 0, 0, 0, time.UTC)
		}
	case rrule.WEEKLY:
		week := midnight(start).AddDate(0, 0, -(weekdayIndex(start)-r.option.Wkst.Day()+7)%7)
		if ahead = aligned(daysBetween(week, from) / 7); ahead > 0 {
			begin = week.AddDate(0, 0, 7*ahead)
		}
	case rrule.DAILY:
		if ahead = aligned(daysBetween(start, from)); ahead > 0 {
			begin = midnight(start).AddDate(0, 0, ahead)
		}
	case rrule.HOURLY:
		if ahead = aligned(24 * daysBetween(start, from)); ahead > 0 {
			begin = start.Truncate(time.Hour).Add(time.Duration(ahead) * time.Hour)
		}
	}
	return begin
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// weekdayIndex counts from Monday, 0.
func weekdayIndex(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

func weekday(t time.Time) rrule.Weekday {
	return [...]rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}[weekdayIndex(t)]
}
