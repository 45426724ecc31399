package deliberate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What was put off, or came too late, was told by no rule.
func TestByRuleIsWhoWasTold(t *testing.T) {
	for scene, want := range map[string]struct {
		outcome subconscious.OutcomeKind
		byRule  bool
	}{
		`{"NoModel":true}`: {subconscious.OutcomeTold, true},
		`{"NoModel":true,"ExpiresIn":10,"WaitsFor":11}`: {subconscious.OutcomeDismissed, false},
		`{"NoModel":true,"QuietIn":1,"WaitsFor":2}`:     {subconscious.OutcomeSnoozed, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			db := opened(t, store.Memory)
			defer db.Close()
			w := sceneOf(t, scene).ready()
			worker := w.adds(t, w.options(db), noon)
			time.Sleep(time.Duration(w.WaitsFor * float64(time.Minute)))
			begins(t, worker)
			ends(t, worker)
			all, err := worker.Of(t.Context(), "i-disk-ab")
			if err != nil || len(all) != 1 {
				t.Fatalf("%s: %+v, %v", scene, all, err)
			}
			if r := all[0]; r.Outcome.Kind != want.outcome || (r.Fallback != "" && r.Outcome.Kind.Tells()) != want.byRule {
				t.Errorf("%s: %+v", scene, r)
			}
			if err := worker.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
