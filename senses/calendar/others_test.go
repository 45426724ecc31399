package calendar

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// TestExpandedAsOthersDo expands events over three calendars and both clock
// changes of a year, from a file and as an account keeps them, and has an
// independent implementation do the same. Without one it is skipped, and fails if
// CI is set.
func TestExpandedAsOthersDo(t *testing.T) {
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import recurring_ical_events").CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v: %s", err, out)
		}
		t.Skip("nothing to compare with: apt-get install -y --no-install-recommends python3-recurring-ical-events")
	}
	many := 10_000
	if testing.Short() {
		many = 1_500
	}
	random := rand.New(rand.NewPCG(14, 3))
	for n := range 3 {
		var events strings.Builder
		for i := range many / 3 {
			events.WriteString(drawnSeries(random, fmt.Sprintf("n%d-%d@example.org", n, i)))
		}
		text := calendarOf(events.String())
		path := filepath.Join(t.TempDir(), "sample.ics")
		testutil.Write(t, path, text)
		for _, middle := range []time.Time{time.Date(2027, 3, 28, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)} {
			w := window{from: middle.AddDate(0, 0, -18), to: middle.AddDate(0, 0, 18), mind: time.UTC}
			out, err := exec.Command(python, filepath.Join("testdata", "others.py"), path, fmt.Sprint(w.from.Unix()), fmt.Sprint(w.to.Unix())).Output()
			if err != nil {
				t.Fatal(err)
			}
			others := slices.Sorted(strings.SplitSeq(strings.TrimSpace(string(out)), "\n"))
			kept := shelf{}
			kept.take(Found{Collections: []Collection{{Changed: []Item{{Data: []byte(text)}}}}})
			for from, parts := range map[string]splitting{"a file": split([]byte(text)), "an account": kept.split()} {
				found, err := expand(t.Context(), parts, w)
				if err != nil || found.notes.count > 0 {
					t.Fatal(err, found.notes.String())
				}
				var ours []string
				for _, o := range found.occurrences {
					ours = append(ours, fmt.Sprintf("%s %d", o.event.uid, o.start.Unix()))
				}
				slices.Sort(ours)
				if len(ours) < many/5 {
					t.Errorf("only %d dates", len(ours))
				}
				differ(t, from, ours, others)
			}
		}
	}
}

// differ says which dates one of the two has alone.
func differ(t *testing.T, from string, ours, others []string) {
	t.Helper()
	said := 0
	for _, side := range []struct {
		whose string
		a, b  []string
	}{{"we have", ours, others}, {"others have", others, ours}} {
		for _, one := range side.a {
			if _, found := slices.BinarySearch(side.b, one); !found && said < 20 {
				said++
				t.Errorf("from %s %s alone: %s", from, side.whose, one)
			}
		}
	}
	if said == 0 && len(ours) != len(others) {
		t.Errorf("from %s there are %d dates, and %d of others", from, len(ours), len(others))
	}
}

// drawnSeries is an event or a series, with what can happen to it.
func drawnSeries(random *rand.Rand, uid string) string {
	zone := []string{";TZID=Europe/Berlin", ";TZID=America/New_York", ";TZID=Australia/Sydney", ";TZID=Asia/Kolkata", "Z", ";VALUE=DATE"}[random.IntN(6)]
	// No time that a clock change skips, or that comes twice: there the other takes
	// the second one, and RFC 5545 the first.
	start := time.Date(2024, 1, 1, 3+random.IntN(17), 15*random.IntN(4), 0, 0, time.UTC).AddDate(0, 0, random.IntN(1300))
	at := func(m time.Time) string {
		switch zone {
		case "Z":
			return ":" + m.Format("20060102T150405Z")
		case ";VALUE=DATE":
			return zone + ":" + m.Format("20060102")
		}
		return zone + ":" + m.Format("20060102T150405")
	}
	interval := 1 + random.IntN(3)
	weekday := func(m time.Time) string { return strings.ToUpper(m.Weekday().String()[:2]) }
	day := min(start.Day(), 28)
	start = start.AddDate(0, 0, day-start.Day())
	step := 24 * time.Hour * time.Duration(interval)
	rule := fmt.Sprintf("FREQ=DAILY;INTERVAL=%d", interval)
	switch random.IntN(8) {
	case 0:
		return eventOf(uid, "DTSTART"+at(start))
	case 1, 2:
		rule, step = fmt.Sprintf("FREQ=WEEKLY;INTERVAL=%d;BYDAY=%s,%s", interval, weekday(start), weekday(start.AddDate(0, 0, 2))), 7*step
	case 3:
		rule, step = fmt.Sprintf("FREQ=MONTHLY;INTERVAL=%d", interval), 0
	case 4:
		rule, step = fmt.Sprintf("FREQ=MONTHLY;BYDAY=%d%s", (day+6)/7, weekday(start)), 0
	case 5:
		rule, step = "FREQ=YEARLY", 0
	case 6:
		rule += fmt.Sprintf(";COUNT=%d", 1+random.IntN(600))
	}
	lines := "DTSTART" + at(start) + "\r\nRRULE:" + rule
	if step == 0 {
		return eventOf(uid, lines)
	}
	// Some dates fall out, and one is moved, near the windows.
	ahead := time.Date(2026, 10, 20+random.IntN(10), 0, 0, 0, 0, time.UTC)
	nth := start.Add(max(1, ahead.Sub(start)/step) * step)
	if random.IntN(2) == 0 {
		lines += "\r\nEXDATE" + at(nth)
	}
	if zone != ";VALUE=DATE" && random.IntN(2) == 0 {
		moved := nth.Add(step)
		return eventOf(uid, lines) + eventOf(uid, "RECURRENCE-ID"+at(moved)+"\r\nDTSTART"+at(moved.Add(4*time.Hour)))
	}
	return eventOf(uid, lines)
}
