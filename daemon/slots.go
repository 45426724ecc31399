package daemon

import (
	"math/bits"
	"time"

	"github.com/robfig/cron/v3"
)

// slots are the times at which ticks are due, in a zone whose clock is put
// forward and back.
//
// What comes several times an hour goes on through both days. What has an hour
// of its own comes once a day: a time that the clock leaps over is due at the
// end of the leap, and one that it shows twice is due the first time. Cron by
// itself would leave out the one and double the other.
type slots struct {
	schedule cron.Schedule
	interval bool
}

func newSlots(schedule cron.Schedule) slots {
	spec, ok := schedule.(*cron.SpecSchedule)
	const star, fields = 1 << 63, 1<<60 - 1 // cron marks "*" with the top bit
	return slots{schedule: schedule, interval: !ok || spec.Hour&star != 0 || bits.OnesCount64(spec.Minute&fields) > 1}
}

// next returns the first slot after t, in the zone of t.
func (s slots) next(t time.Time) time.Time {
	if s.interval {
		return s.schedule.Next(t)
	}
	// Reckoned on a clock that is never put forward or back.
	for shown := clockOf(t); ; {
		if shown = s.schedule.Next(shown); shown.IsZero() {
			return time.Time{}
		}
		if at := firstShown(shown, t.Location()); at.After(t) {
			return at
		}
	}
}

// clockOf is what the clock shows at t, as a time in UTC.
func clockOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// firstShown is when the clock of the zone first shows that time, or when it
// leaps over it.
func firstShown(shown time.Time, zone *time.Location) time.Time {
	at := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, zone)
	began, ends := at.ZoneBounds()
	switch clock := clockOf(at); {
	case clock.After(shown):
		return began
	case clock.Before(shown):
		return ends
	case began.IsZero():
		return at
	}
	_, offset := began.Add(-time.Nanosecond).Zone()
	if earlier := shown.Add(-time.Duration(offset) * time.Second); earlier.Before(began) {
		return earlier.In(zone)
	}
	return at
}
