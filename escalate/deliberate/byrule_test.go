package deliberate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What was put off, or came too late, was told by no rule.
func TestByRuleCountsWhoWasTold(t *testing.T) {
	for scene, want := range map[string]struct {
		outcome subconscious.OutcomeKind
		byRule  int
	}{
		`{"NoModel":true}`: {subconscious.OutcomeTold, 1},
		`{"NoModel":true,"ExpiresIn":10,"WaitsFor":11}`: {subconscious.OutcomeDismissed, 0},
		`{"NoModel":true,"QuietIn":1,"WaitsFor":2}`:     {subconscious.OutcomeSnoozed, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			db := opened(t, store.Memory)
			defer db.Close()
			w := sceneOf(t, scene).ready()
			worker := w.adds(t, w.options(db), noon)
			time.Sleep(time.Duration(w.WaitsFor * float64(time.Minute)))
			begins(t, worker)
			ends(t, worker)
			s, err := worker.Status(t.Context(), time.Now())
			if err != nil || s.Today[want.outcome] != 1 || s.ByRule != want.byRule {
				t.Errorf("%s: %+v, %v", scene, s, err)
			}
			if err := worker.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
