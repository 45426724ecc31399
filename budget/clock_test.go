package budget_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// step is one call of so many cents at a wall clock.
type step struct {
	at    string // "2026-03-10T23:00 Europe/Berlin"
	cents float64
	// until is when the refusal ends, in the zone of at; "" where the call is
	// let through.
	until string
}

// A dollar a day and three a month, whatever the clock does.
func TestClocksThatJump(t *testing.T) {
	for name, steps := range map[string][]step{
		"a day after the other": {
			{"2026-03-10T23:00 UTC", 100, ""}, {"2026-03-10T23:59 UTC", 1, "2026-03-11T00:00"},
			{"2026-03-11T00:00 UTC", 100, ""}, {"2026-03-11T12:00 UTC", 1, "2026-03-12T00:00"},
			{"2026-03-12T12:00 UTC", 100, ""}, {"2026-03-13T12:00 UTC", 1, "2026-04-01T00:00"},
			{"2026-04-01T00:00 UTC", 100, ""},
		},
		"back to a day that had used nothing": {
			{"2026-03-10T12:00 UTC", 100, ""}, {"2026-03-09T12:00 UTC", 1, "2026-03-10T00:00"},
			{"2026-03-08T12:00 UTC", 1, "2026-03-09T00:00"}, {"2026-03-09T12:00 UTC", 1, "2026-03-10T00:00"},
			{"2026-03-10T12:00 UTC", 1, "2026-03-11T00:00"}, {"2026-03-11T00:00 UTC", 100, ""},
		},
		"back to a day that had used some": {
			{"2026-03-09T12:00 UTC", 30, ""}, {"2026-03-10T12:00 UTC", 60, ""},
			{"2026-03-09T12:00 UTC", 11, "2026-03-10T00:00"}, {"2026-03-09T12:01 UTC", 10, ""},
			{"2026-03-10T12:00 UTC", 41, "2026-03-11T00:00"}, {"2026-03-10T12:00 UTC", 40, ""},
		},
		"home from a wrong future": {
			{"2038-01-19T03:14 UTC", 30, ""}, {"2026-03-10T12:00 UTC", 71, "2026-03-11T00:00"}, {"2026-03-10T12:00 UTC", 70, ""},
			{"2026-03-11T12:00 UTC", 100, ""}, {"2038-01-19T03:14 UTC", 71, "2038-01-20T00:00"},
		},
		"the month, home from a wrong future": {
			{"2038-01-17T12:00 UTC", 100, ""}, {"2038-01-18T12:00 UTC", 100, ""}, {"2026-03-10T12:00 UTC", 1, "2026-03-11T00:00"},
			{"2026-03-11T12:00 UTC", 100, ""}, {"2026-03-12T12:00 UTC", 1, "2026-04-01T00:00"},
			{"2026-04-01T12:00 UTC", 100, ""},
		},
		"to and fro over midnight": {
			{"2026-03-10T23:59 UTC", 10, ""}, {"2026-03-11T00:00 UTC", 10, ""}, {"2026-03-10T23:59 UTC", 80, ""},
			{"2026-03-10T23:59 UTC", 1, "2026-03-11T00:00"}, {"2026-03-11T00:00 UTC", 90, ""}, {"2026-03-11T00:01 UTC", 1, "2026-03-12T00:00"},
			{"2026-03-10T23:58 UTC", 1, "2026-03-11T00:00"},
		},
		"east, where it is tomorrow": {
			{"2026-03-10T23:00 Europe/Berlin", 100, ""},
			// In Berlin the day ends at 08:00 in Tokyo.
			{"2026-03-11T07:00 Asia/Tokyo", 1, "2026-03-11T08:00"}, {"2026-03-11T08:00 Asia/Tokyo", 100, ""},
			{"2026-03-11T09:00 Asia/Tokyo", 1, "2026-03-12T00:00"},
		},
		"west, where it is yesterday": {
			{"2026-03-11T07:00 Asia/Tokyo", 100, ""}, {"2026-03-10T23:00 Europe/Berlin", 1, "2026-03-11T00:00"},
			{"2026-03-11T00:30 Europe/Berlin", 1, "2026-03-12T00:00"}, {"2026-03-12T00:00 Europe/Berlin", 100, ""},
		},
		"east and back each hour": {
			{"2026-03-10T18:00 Europe/Berlin", 50, ""}, {"2026-03-11T03:00 Asia/Tokyo", 40, ""}, {"2026-03-10T20:00 Europe/Berlin", 11, "2026-03-11T00:00"},
			{"2026-03-11T05:00 Asia/Tokyo", 11, "2026-03-11T08:00"}, {"2026-03-10T22:00 Europe/Berlin", 10, ""}, {"2026-03-11T00:00 Europe/Berlin", 100, ""},
		},
		"west within the day, and back": {
			{"2026-03-10T12:00 Europe/Berlin", 50, ""}, {"2026-03-10T09:00 America/New_York", 50, ""},
			// The day was counted in New York too: it ends at 05:00 in Berlin.
			{"2026-03-10T23:00 Europe/Berlin", 1, "2026-03-11T05:00"}, {"2026-03-11T01:00 Europe/Berlin", 1, "2026-03-11T05:00"},
			{"2026-03-11T05:00 Europe/Berlin", 100, ""},
		},
		"east over the end of a month": {
			{"2026-03-29T12:00 Europe/Berlin", 100, ""}, {"2026-03-30T12:00 Europe/Berlin", 100, ""}, {"2026-03-31T12:00 Europe/Berlin", 100, ""},
			{"2026-04-01T05:00 Asia/Tokyo", 1, "2026-04-01T07:00"}, {"2026-04-01T07:00 Asia/Tokyo", 100, ""},
		},
		"west on the last day of a month, and back": {
			{"2026-03-29T12:00 Europe/Berlin", 100, ""}, {"2026-03-30T12:00 Europe/Berlin", 100, ""}, {"2026-03-31T12:00 Europe/Berlin", 50, ""},
			{"2026-03-31T09:00 America/New_York", 50, ""}, {"2026-03-31T23:00 Europe/Berlin", 1, "2026-04-01T06:00"}, {"2026-04-01T06:00 Europe/Berlin", 100, ""},
		},
		"the short and the long day": {
			{"2026-03-29T00:00 Europe/Berlin", 100, ""}, {"2026-03-29T23:59 Europe/Berlin", 1, "2026-03-30T00:00"}, {"2026-03-30T00:00 Europe/Berlin", 100, ""},
			{"2026-10-25T00:00 Europe/Berlin", 100, ""}, {"2026-10-25T23:59 Europe/Berlin", 1, "2026-10-26T00:00"}, {"2026-10-26T00:00 Europe/Berlin", 100, ""},
		},
	} {
		for _, crash := range []bool{false, true} {
			db := database(t, filepath.Join(t.TempDir(), "mind.db"))
			var b *budget.Budget
			for i, step := range steps {
				if crash || i == 0 {
					b = again(t, db, limits(func(c *budget.Config) { c.MoneyPerMonth = 3 }))
				}
				if got := step.take(t, b); got != step.until {
					t.Errorf("%s, restarted %v: the call %d at %s is refused until %q, want %q", name, crash, i+1, step.at, got, step.until)
				}
			}
			checkSums(t, db, budget.Dollars(1), budget.Dollars(3))
		}
	}
}

func (s step) take(t *testing.T, b *budget.Budget) (until string) {
	t.Helper()
	const layout = "2006-01-02T15:04"
	zone := testutil.Zone(t, s.at[len(layout)+1:])
	at, err := time.ParseInLocation(layout, s.at[:len(layout)], zone)
	if err != nil {
		t.Fatal(err)
	}
	before := spent(t, b, at)
	_, err = b.Debit(t.Context(), charge("watcher", at, budget.Dollars(s.cents/100)))
	var refusal *budget.Refusal
	if errors.As(err, &refusal) {
		for _, l := range before.Limits {
			// What was shown before is what was meant.
			if l.Name == refusal.Limit && (l.Used != refusal.Used || !l.Until.Equal(refusal.Until)) {
				t.Errorf("at %s: %v was shown until %v, and it refuses with %d used until %v", s.at, l, l.Until, refusal.Used, refusal.Until)
			}
		}
		return refusal.Until.Format(layout)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// checkSums wants no day and no month to count more than its limit, and the
// sums to be those of the charges.
func checkSums(t interface{ Fatal(...any) }, db *store.DB, perDay, perMonth budget.Money) {
	for query, what := range map[string]string{
		`SELECT count(*) FROM (SELECT sum(coalesce(money, worst_money)) AS n FROM budget_charges GROUP BY day) WHERE n > ` + number(perDay):                 "days over the limit",
		`SELECT count(*) FROM (SELECT sum(coalesce(money, worst_money)) AS n FROM budget_charges GROUP BY substr(day, 1, 7)) WHERE n > ` + number(perMonth): "months over the limit",
		`SELECT count(*) FROM (SELECT day, role, money, tokens, calls, exploration FROM budget_days EXCEPT
			SELECT day, role, sum(coalesce(money, worst_money)), sum(coalesce(tokens, worst_tokens)), count(*), sum(exploration) FROM budget_charges GROUP BY day, role)`: "sums that are not those of the charges",
	} {
		if n := scalar(t, db, query); n != 0 {
			t.Fatal(n, what)
		}
	}
}
