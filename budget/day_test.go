package budget

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// The zones have midnights that do not exist, midnights that come twice, and
// one a day that was left out.
var zones = []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Africa/Cairo",
	"America/Asuncion", "Atlantic/Azores", "Pacific/Apia", "Asia/Kathmandu", "America/Nuuk", "America/Scoresbysund"}

// The oracle walks forward until the date is another one. Changes of zones are
// at whole minutes.
func TestNextDayIsTheFirstMomentOfAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(t, "zone")
		second := rapid.Int64Range(time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).Unix()).Draw(t, "second")
		at := time.Unix(second, 0).In(testutil.Zone(t, name))
		checkNextDay(t, at)
	})
}

func TestNextDayWhereClocksChange(t *testing.T) {
	for _, name := range zones {
		zone := testutil.Zone(t, name)
		for at := time.Date(2008, 1, 1, 0, 0, 0, 0, zone); at.Year() < 2030; {
			_, change := at.ZoneBounds()
			if change.IsZero() {
				break
			}
			for _, d := range []time.Duration{-26 * time.Hour, -2 * time.Hour, -30 * time.Minute, -1, 0, 30 * time.Minute, 2 * time.Hour} {
				checkNextDay(t, change.Add(d))
			}
			at = change
		}
	}
}

func checkNextDay(t interface{ Fatalf(string, ...any) }, at time.Time) {
	got := nextDay(at)
	want := at.Truncate(time.Minute)
	for dayOf(want) <= dayOf(at) {
		want = want.Add(time.Minute)
	}
	if !got.Equal(want) {
		t.Fatalf("the day of %s ends at %s, want %s", at, got, want)
	}
}

func TestNextMonth(t *testing.T) {
	for at, want := range map[string]string{
		"2026-01-31T23:59:59+01:00": "2026-02-01T00:00:00+01:00",
		"2026-03-01T00:00:00+01:00": "2026-04-01T00:00:00+02:00",
		"2026-12-15T12:00:00+01:00": "2027-01-01T00:00:00+01:00",
		"2028-02-29T12:00:00+01:00": "2028-03-01T00:00:00+01:00",
	} {
		then, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := nextMonth(then.In(testutil.Zone(t, "Europe/Berlin"))).Format(time.RFC3339); got != want {
			t.Errorf("the month of %s ends at %s, want %s", at, got, want)
		}
	}
}
