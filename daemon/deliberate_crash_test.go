//go:build failpoints

package daemon_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// whileDeliberating are the points from the decision of a tick to what came of
// it.
var whileDeliberating = []string{
	"tick.commit.before", "tick.commit.inside", "tick.commit.after", "mind.commit", "store.begun", "store.commit", "store.committed",
	"deliberate.claim", "deliberate.claim.done", "deliberate.opened", "deliberate.opened.done", "deliberate.answered", "deliberate.answered.done",
	"deliberate.called", "deliberate.called.done", "deliberate.started", "deliberate.started.done", "deliberate.ran", "deliberate.end", "deliberate.end.done",
	"actions.propose", "actions.proposed", "actions.start", "actions.started", "actions.ran", "actions.ended",
	"budget.debited", "budget.settled", "notify.claim", "notify.claimed", "notify.sent", "notify.stored", "publish.rename", "publish.renamed",
}

// TestCrashWhileItDeliberates kills the daemon at each point on the way from
// what a tick decides to what is done about it, and at random. Whatever was
// decided comes to one outcome, and nothing is done twice.
//
// SUBCONSCIOUS_CRASHES says how many lives there are beside one for each point.
func TestCrashWhileItDeliberates(t *testing.T) {
	t.Parallel()
	random := 26
	if text := os.Getenv("SUBCONSCIOUS_CRASHES"); text != "" {
		var err error
		if random, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	m := newMortalDeliberation(t, 29)
	points := append(slices.Clone(whileDeliberating), make([]string, random)...)
	m.random.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	reached := 0
	for i, point := range points {
		if point == "" {
			m.lives(time.Duration(m.random.IntN(500)) * time.Millisecond)
			continue
		}
		if m.lives(2*time.Second, "SUBCONSCIOUS_FAILPOINTS="+point+"=kill@0.4", fmt.Sprintf("SUBCONSCIOUS_FAILPOINTS_SEED=%d", i+1)) {
			reached++
		} else {
			t.Logf("%s was not reached", point)
		}
	}
	if reached < len(whileDeliberating)*3/4 {
		t.Errorf("it died at %d of %d points", reached, len(whileDeliberating))
	}
	m.reckons()
}
