//go:build failpoints

package daemon_test

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// TestFailpointsLoseNoCalls: what a tick asked models that did not commit is on
// record with the next one, once, and counted once.
func TestFailpointsLoseNoCalls(t *testing.T) {
	for _, point := range []string{"tick.commit.before", "tick.commit.inside", "mind.commit", "tick.commit.after"} {
		t.Run(point, func(t *testing.T) {
			server := lab(t, modeltest.Options{Script: modeltest.Thinker()})
			w := newWorld(t).thinking(modeltest.OpenAI, server).begin()
			w.tick()
			w.news(0)
			w.await()
			_ = w.failsAt(point)
			failed := server.Count()
			w.news(1)
			w.tick()
			attempts, cost := 0, int64(0)
			for _, c := range w.calls() {
				attempts += c.Attempts
				cost += c.Cost
			}
			spent := w.spent()
			if failed == 0 || attempts != server.Count() || spent.Today.Calls != attempts || int64(spent.Today.Money) != cost || spent.Today.Money != bill(server.Charged()) {
				t.Errorf("%d requests, %d on record for %d; counted %+v, charged %s", server.Count(), attempts, cost, spent.Today, bill(server.Charged()))
			}
			w.restart()
			if after := w.spent(); after.Today != spent.Today || after.Lost.Calls > 0 {
				t.Errorf("after a restart %+v is counted, %+v before", after.Today, spent.Today)
			}
		})
	}
}
