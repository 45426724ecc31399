package dates

import (
	"cmp"
	"time"
)

type dayKind uint8

const (
	noDay     dayKind = iota
	absolute          // year, month, day; year 0 where none was named
	onWeekday         // the next such day, n weeks later; strict: never today
	inWeek            // the weekday of the week that is n weeks ahead
	ahead             // n days, months months
	ofMonth           // the next month's day of that number
	weekEnds          // Friday of the week that is n weeks ahead
	weekend           // Sunday of it
	monthEnds         // last day of the month that is n months ahead
	monthOf           // last day of the named month
	yearEnds          // last day of the year that is n years ahead
	soon              // after a span of minutes or hours
	instant           // year to minute with its own offset
)

// day is a day as it was written, before anything is known of now.
type day struct {
	kind             dayKind
	year, month, num int
	weekday          time.Weekday
	n, months        int
	strict           bool
	span             time.Duration
	at               time.Time
	floating         bool // at has no offset and means local time
	whole            bool // the week, month or year itself, and not its end
	part             role // rNight or rForenoon, where one is named
}

// takesTime reports whether a time of day named elsewhere can belong to it.
func (d day) takesTime() bool {
	return d.kind == absolute || d.kind == onWeekday || d.kind == inWeek || d.kind == ahead || d.kind == ofMonth
}

// clock is a time of day. hour can be 24, and minute before it.
type clock struct {
	set          bool
	half         bool // it is one of the forenoon or 12 hours later
	hour, minute int
	zone         *time.Location // nil for the reader's
}

// resolve returns when a span is due, in the location of now. ok is false for
// what no calendar holds.
func (s span) resolve(now time.Time) (due time.Time, ok bool) {
	eve := s.eve()
	if eve && s.day.whole {
		s.day.n--
	}
	due, ok = s.resolveDay(now)
	if !ok || !eve {
		return due, ok
	}
	days := 1
	if s.day.whole {
		days = 0
	} else if s.day.kind == weekend {
		days = 2
	}
	due = time.Date(due.Year(), due.Month(), due.Day()-days, DueHour, 0, 0, 0, now.Location())
	if y, m, d := now.Date(); y == due.Year() && m == due.Month() && d == due.Day() && due.Before(now) {
		due = time.Date(y, m, d, 23, 59, 0, 0, now.Location())
	}
	return due, true
}

// eve reports whether the span ends with the day before the one that it names.
func (s span) eve() bool {
	if !s.before || s.clock.set || s.day.part&rNight != 0 {
		return false
	}
	switch s.day.kind {
	case absolute, onWeekday, inWeek, ofMonth, weekend:
		return true
	case ahead: // nobody means yesterday by "before tonight"
		return s.day.n > 0 || s.day.months > 0
	case weekEnds, monthEnds, yearEnds:
		return s.day.whole && s.day.n > 0
	}
	return false
}

// resolveDay returns when a span is due that ends with the day it names.
func (s span) resolveDay(now time.Time) (due time.Time, ok bool) {
	year := now.Year()
	if year < 1 || year > 9000 {
		return time.Time{}, false
	}
	switch s.day.kind {
	case instant:
		if at := s.day.at; s.day.floating {
			return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, now.Location()), true
		}
		return s.day.at.In(now.Location()), true
	case soon:
		return now.Add(s.day.span).Truncate(time.Minute), true
	case noDay:
		return s.resolveClock(now, 48), true
	case absolute:
		return s.resolveAbsolute(now), true
	case ofMonth:
		return s.resolveOfMonth(now), true
	case ahead:
		return s.resolveAhead(now), true
	case onWeekday, inWeek, weekEnds, weekend:
		return s.resolveWeek(now), true
	}
	return s.resolveEnd(now), true
}

// on returns the time of the span on the day that is n days after now's.
func (s span) on(now time.Time, n int) time.Time {
	return s.date(now.Location(), now.Year(), now.Month(), now.Day()+n)
}

func (s span) date(loc *time.Location, year int, month time.Month, day int) time.Time {
	if !s.clock.set {
		return time.Date(year, month, day, DueHour, 0, 0, 0, loc)
	}
	c := s.clock
	if s.day.part&rNight != 0 && c.hour > 0 && c.hour < 12 || c.half && c.hour < firstHour && s.day.part == 0 {
		c.hour += 12
	}
	return time.Date(year, month, day, c.hour, c.minute, 0, 0, cmp.Or(c.zone, loc)).In(loc)
}

// The hours in which people are awake: of two readings the one within them is meant.
const firstHour, lastHour = 7, 22

// resolveClock returns when a time of day is next, within so many hours.
func (s span) resolveClock(now time.Time, within int) time.Time {
	step := 24
	if s.clock.half {
		s.clock.hour %= 12
		step = 12
	}
	first := s
	for ; s.clock.hour < within; s.clock.hour += step {
		h := s.clock.hour % 24
		s.clock.half = false
		if due := s.on(now, 0); !due.Before(now) && (step == 24 || h >= firstHour && h <= lastHour) {
			return due
		}
	}
	return first.on(now, 0)
}

// inYear returns when a day is of its year, or of the one that is meant where none is named.
func (s span) inYear(now time.Time, month time.Month, num int) time.Time {
	due := s.date(now.Location(), cmp.Or(s.day.year, now.Year()), month, num)
	oldest := time.Date(now.Year(), now.Month(), now.Day()-staleDays, 0, 0, 0, 0, now.Location())
	if s.day.year == 0 && due.Before(oldest) {
		due = s.date(now.Location(), now.Year()+1, month, num)
	}
	return due
}

func (s span) resolveAbsolute(now time.Time) time.Time {
	due := s.inYear(now, time.Month(s.day.month), s.day.num)
	if s.day.year == 0 && s.day.num == 29 && due.Month() != time.Month(s.day.month) { // 29 February of a common year
		due = s.date(now.Location(), due.Year(), time.March, 0)
	}
	return due
}

func (s span) resolveOfMonth(now time.Time) time.Time {
	for i := range 12 {
		due := s.date(now.Location(), now.Year(), now.Month()+time.Month(i), s.day.num)
		first := time.Date(now.Year(), now.Month()+time.Month(i), 1, 12, 0, 0, 0, now.Location())
		if first.AddDate(0, 1, -1).Day() >= s.day.num && !due.Before(now) && !(s.eve() && i == 0 && now.Day() == s.day.num) {
			return due
		}
	}
	return s.on(now, 0)
}

func (s span) resolveAhead(now time.Time) time.Time {
	if s.day.months != 0 {
		month := now.Month() + time.Month(s.day.months)
		last := time.Date(now.Year(), month+1, 0, 12, 0, 0, 0, now.Location()).Day()
		return s.date(now.Location(), now.Year(), month, min(now.Day(), last))
	}
	if s.day.n == 0 && s.clock.half && s.day.part == 0 {
		return s.resolveClock(now, 24)
	}
	due := s.on(now, s.day.n)
	if s.day.n == 0 && !s.clock.set && due.Before(now) {
		return time.Date(now.Year(), now.Month(), now.Day(), 23, 59, 0, 0, now.Location())
	}
	return due
}

func (s span) resolveWeek(now time.Time) time.Time {
	since := (int(now.Weekday()) + 6) % 7 // days since Monday
	target := (int(s.day.weekday) + 6) % 7
	switch s.day.kind {
	case inWeek:
		return s.on(now, target-since+7*s.day.n)
	case onWeekday:
		for i := range 32 * min(s.day.num, 1) { // the 24th within a month, if it is a Saturday
			if on := (span{}).on(now, i); on.Day() == s.day.num && on.Weekday() == s.day.weekday {
				return s.on(now, i)
			}
		}
		n := (target - since + 7) % 7
		if n == 0 && (s.day.strict || s.eve() || s.on(now, 0).Before(now)) {
			n = 7
		}
		return s.on(now, n)
	case weekEnds:
		due := s.on(now, 4-since+7*s.day.n)
		if due.Before(now) {
			due = s.on(now, 6-since)
		}
		return due
	}
	return s.on(now, 6-since+7*s.day.n)
}

func (s span) resolveEnd(now time.Time) time.Time {
	switch s.day.kind {
	case monthEnds:
		return s.date(now.Location(), now.Year(), now.Month()+time.Month(s.day.n)+1, 0)
	case monthOf:
		return s.inYear(now, time.Month(s.day.month)+1, 0)
	}
	return s.date(now.Location(), now.Year()+s.day.n+1, time.January, 0)
}
