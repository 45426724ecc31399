//go:build failpoints

package deliberate_test

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// These tests need the points that fail on purpose:
// go test -tags failpoints ./escalate/deliberate

// points are those before and after each thing that lasts.
func points() []string {
	all := []string{"store.begun", "store.commit", "store.committed", "deliberate.ran"}
	for _, step := range []string{"claim", "opened", "answered", "called", "started", "end"} {
		all = append(all, "deliberate."+step, "deliberate."+step+".done")
	}
	return all
}

// arm lets the points of the child do what its test wants.
func arm() {
	if _, err := failpoint.Set(os.Getenv("DELIBERATE_TEST_POINTS"), os.Getenv("DELIBERATE_TEST_SEED")); err != nil {
		panic(err)
	}
}

// Killed at each step in turn, each escalation ends once, the person is told
// once, and no action runs twice.
func TestCrashAtEachStep(t *testing.T) {
	dir := t.TempDir()
	kills := 0
	for n := range 2 * max(lifetimes(), 2*len(points())) {
		point := points()[n%len(points())]
		if _, dead := testutil.Killed(t, child(dir, "DELIBERATE_TEST_POINTS="+point+"=kill@0.3", "DELIBERATE_TEST_SEED="+strconv.Itoa(n+1))); dead {
			kills++
		}
	}
	t.Logf("killed %d times: %v", kills, reckon(t, dir))
	if kills < lifetimes()/2 {
		t.Fatalf("only %d of the children were killed", kills)
	}
}

// acted is a world in which an action runs after a reading and a memory.
func acted() *world {
	w := &world{}
	if err := json.Unmarshal([]byte(`{"Actions":[{"Name":"clean","Approval":"never"}],
		"Readings":{"read_file":{"Text":"text","Words":[{"trust":"machine","source":"file"}]}},
		"Answers":[{"calls":[{"name":"read_file","arguments":{}},{"name":"remember","arguments":{"text":"so","kind":"fact"}}]},
		{"calls":[{"name":"propose_action","arguments":{"action":"clean","arguments":{},"reason":"room"}}]}]}`), &w.scene); err != nil {
		panic(err)
	}
	return w
}

// A step that fails, as on a full disk, is made up for when it works again: a
// escalation still ends once.
func TestFailpointsOfSteps(t *testing.T) {
	for _, point := range points() {
		for times := 1; times < 6; times++ {
			w := acted()
			synctest.Test(t, func(t *testing.T) {
				db := opened(t, store.Memory)
				defer db.Close()
				worker := w.adds(t, w.ready().options(db), noon)
				restore, err := failpoint.Set(point+"=error*"+strconv.Itoa(times), "")
				if err != nil {
					t.Fatal(err)
				}
				defer restore()
				begins(t, worker)
				time.Sleep(10 * time.Minute)
				restore()
				r, happened := concluded(t, db, worker)
				checkOne(t, r, happened)
				if len(w.ran) > 1 {
					t.Errorf("%s %d times: it ran %d times", point, times, len(w.ran))
				}
			})
		}
	}
}
