// Package calendartest draws events and series, and compares what a sense shows of
// them with what an independent implementation makes of them. The tests of
// package calendar and of each of its drivers call Run; it stores nothing.
package calendartest

import (
	_ "embed"
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
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

const python = "/usr/bin/python3"

//go:embed others.py
var others string

// Run draws a third of 10,000 events, of 1,500 in short form, has serve put them
// where a sense finds them, and checks that the sense shows, over both clock
// changes of a year, the dates that python3-recurring-ical-events has. Without
// that it is skipped, and fails if CI is set. Other seeds draw other events.
func Run(t *testing.T, seed uint64, serve func(all []Series, rows senses.RowReader) senses.Sense) {
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
	random := rand.New(rand.NewPCG(14, seed))
	all := make([]Series, (many+2)/3)
	for i := range all {
		all[i] = draw(random, fmt.Sprintf("n%d-%d@example.org", seed, i))
	}
	path := filepath.Join(t.TempDir(), "drawn.ics")
	testutil.Write(t, path, Calendar(all))
	kept := &sensetest.Kept{}
	sense := serve(all, kept)
	// The clocks of the zones below change within 35 days of each.
	for _, at := range []time.Time{time.Date(2026, 10, 2, 23, 59, 59, 0, time.UTC), time.Date(2027, 3, 12, 23, 59, 59, 0, time.UTC)} {
		to := at.AddDate(0, 0, 35)
		out, err := exec.Command(python, "-c", others, path, fmt.Sprint(at.Unix()), fmt.Sprint(to.Unix())).Output()
		if err != nil {
			t.Fatal(err)
		}
		ours := shown(t, sense, kept, at, to)
		if len(ours) < many/5 {
			t.Errorf("only %d dates from %s", len(ours), at)
		}
		differ(t, ours, slices.Sorted(strings.SplitSeq(strings.TrimSpace(string(out)), "\n")))
	}
}

// shown are UID and start of what a sense shows, after as many collects as it
// needs to begin. A real server may need longer than an answer may take when it is
// first asked about all that it has.
func shown(t *testing.T, sense senses.Sense, kept *sensetest.Kept, at, to time.Time) []string {
	t.Helper()
	var batch, got senses.Batch
	var err error
	for range 20 {
		if got, err = sense.Collect(t.Context(), at, kept.Cursor); err != nil {
			t.Log(err)
			continue
		}
		kept.Keep(got)
		if len(got.Sets) > 0 {
			batch.Sets = got.Sets
		}
		if !got.Starting && got.Degraded == "" {
			break
		}
	}
	if err != nil || got.Degraded != "" || len(batch.Sets) != 1 {
		t.Fatalf("%d sets at %s: %v, %s", len(batch.Sets), at, err, got.Degraded)
	}
	var all []string
	for _, item := range batch.Sets[0].Items {
		uid, _, _ := strings.Cut(item.ID, "/")
		if item.Due.After(at) && item.Due.Before(to) {
			all = append(all, fmt.Sprintf("%s %d", uid, item.Due.Unix()))
		}
	}
	slices.Sort(all)
	return all
}

// differ says which dates one of the two has alone.
func differ(t *testing.T, ours, others []string) {
	t.Helper()
	said := 0
	for _, side := range []struct {
		whose string
		a, b  []string
	}{{"we have", ours, others}, {"others have", others, ours}} {
		for _, one := range side.a {
			if _, found := slices.BinarySearch(side.b, one); !found && said < 20 {
				said++
				t.Errorf("%s alone: %s", side.whose, one)
			}
		}
	}
	if said == 0 && len(ours) != len(others) {
		t.Errorf("there are %d dates, and %d of others", len(ours), len(others))
	}
}
