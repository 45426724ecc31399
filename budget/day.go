package budget

import "time"

// dayOf is the local day of t, as it is stored.
func dayOf(t time.Time) string { return t.Format(time.DateOnly) }

// monthOf is the month of a day.
func monthOf(day string) string { return day[:len("2006-01")] }

// span returns the first and the last day that a month may have.
func span(day string) (first, last string) { return monthOf(day) + "-01", monthOf(day) + "-31" }

// nextDay returns when the local day of t is over.
func nextDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return start(y, m, d+1, t.Location())
}

// nextMonth returns when the local month of t is over.
func nextMonth(t time.Time) time.Time {
	y, m, _ := t.Date()
	return start(y, m+1, 1, t.Location())
}

// start returns the first moment of a local day, which is not midnight where
// the clocks change then: some zones have no such midnight, some have two.
func start(y int, m time.Month, d int, zone *time.Location) time.Time {
	day := dayOf(time.Date(y, m, d, 12, 0, 0, 0, zone))
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if dayOf(t) < day {
		// There is no midnight: the day starts when the clocks have changed.
		_, t = t.ZoneBounds()
		return t
	}
	change, _ := t.ZoneBounds()
	if change.IsZero() || dayOf(change.Add(-1)) != day {
		return t
	}
	// The clocks went back on this day before t: the earlier midnight counts.
	name, offset := change.Add(-1).Zone()
	return time.Date(y, m, d, 0, 0, 0, 0, time.FixedZone(name, offset)).In(zone)
}
