package daemon

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/setup"
)

// leaps are the days in 2026 on which clocks are put forward and back.
var leaps = []struct {
	zone, forward, back string
}{
	{"Europe/Berlin", "2026-03-29", "2026-10-25"},
	{"America/New_York", "2026-03-08", "2026-11-01"},
	{"Australia/Lord_Howe", "2026-10-04", "2026-04-05"}, // by half an hour
}

func slotsOf(t *testing.T, spec string) slots {
	t.Helper()
	parsed, err := setup.ParseSchedule(spec)
	if err != nil {
		t.Fatal(err)
	}
	return newSlots(parsed)
}

// dayOf lists the slots of a local day and of those beside it.
func dayOf(t *testing.T, s slots, zone *time.Location, date string) (all []time.Time, byDate map[string]int) {
	t.Helper()
	day, err := time.ParseInLocation(time.DateOnly, date, zone)
	if err != nil {
		t.Fatal(err)
	}
	byDate = map[string]int{}
	for at := s.next(day.AddDate(0, 0, -1).Add(-time.Second)); at.Before(day.AddDate(0, 0, 2)); at = s.next(at) {
		all = append(all, at)
		byDate[at.Format(time.DateOnly)]++
		if len(all) > 5000 {
			t.Fatal("the slots do not go on")
		}
	}
	return all, byDate
}

func TestIntervalsGoOnThroughLeaps(t *testing.T) {
	for _, l := range leaps {
		zone := testutil.Zone(t, l.zone)
		for spec, gap := range map[string]time.Duration{"*/5 * * * *": 5 * time.Minute, "* * * * *": time.Minute, "*/15 * * * *": 15 * time.Minute} {
			for _, date := range []string{l.forward, l.back} {
				all, _ := dayOf(t, slotsOf(t, spec), zone, date)
				for i := 1; i < len(all); i++ {
					if got := all[i].Sub(all[i-1]); got != gap {
						t.Errorf("%s %s %q: %v after %v", l.zone, date, spec, all[i], all[i-1])
					}
				}
			}
		}
	}
}

func TestOnceADayThroughLeaps(t *testing.T) {
	for _, l := range leaps {
		zone := testutil.Zone(t, l.zone)
		for _, spec := range []string{"30 2 * * *", "15 2 * * *", "0 2 * * *", "45 1 * * *", "0 3 * * *", "0 0 * * *", "59 1 * * *"} {
			for _, date := range []string{l.forward, l.back} {
				all, byDate := dayOf(t, slotsOf(t, spec), zone, date)
				if len(all) != 3 || len(byDate) != 3 {
					t.Errorf("%s %s %q: %v, want one a day", l.zone, date, spec, all)
				}
			}
		}
	}
}

func TestSlotInALeap(t *testing.T) {
	berlin := testutil.Zone(t, "Europe/Berlin")
	s := slotsOf(t, "30 2 * * *")
	for _, c := range []struct{ after, want string }{
		{"2026-03-29T01:59:59+01:00", "2026-03-29T03:00:00+02:00"}, // the clock leaps from 2 to 3
		{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		{"2026-10-25T01:00:00+02:00", "2026-10-25T02:30:00+02:00"}, // shown twice: the first
		{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		{"2026-10-25T02:10:00+01:00", "2026-10-26T02:30:00+01:00"},
	} {
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.next(after.In(berlin)).Format(time.RFC3339); got != c.want {
			t.Errorf("after %s: %s, want %s", c.after, got, c.want)
		}
	}
}
