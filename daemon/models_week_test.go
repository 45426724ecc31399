package daemon_test

import (
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/threads"
)

// TestUnchangedWeekOfModels: while nothing changes no model is asked without
// the allowance for exploration, and within it a few times a day.
func TestUnchangedWeekOfModels(t *testing.T) {
	t.Parallel()
	const aDay = 288
	ticks := 7 * aDay
	if testing.Short() {
		ticks = aDay / 3
	}
	days := float64(ticks) / aDay
	var all sync.WaitGroup
	for name, allowed := range map[string]int{"without exploration": 0, "by default": 4} {
		all.Go(func() {
			t.Run(name, func(t *testing.T) {
				server := lab(t, modeltest.Options{Script: modeltest.Silent()})
				w := newWorld(t).unchanging().thinking(modeltest.OpenAI, server)
				w.options.Config.Budget.ExplorationCallsPerDay, w.options.Config.Threads.Gate = allowed, threads.Adaptive
				w.begin()
				w.ticks(2) // what stands is looked at once
				before, charged := server.Count(), server.Charged()
				w.hurries(ticks)
				requests, tokens := server.Count()-before, server.Charged().Total()-charged.Total()
				t.Logf("%d ticks: %d requests and %d tokens, a day %.1f and %.0f; before, to see what stands: %d requests and %d tokens", ticks,
					requests, tokens, float64(requests)/days, float64(tokens)/days, before, charged.Total())
				if float64(requests) > float64(allowed)*(days+1) {
					t.Errorf("%d requests in %.1f days, %d allowed a day", requests, days, allowed)
				}
				if allowed > 0 && requests == 0 {
					t.Error("it never explores")
				}
			})
		})
	}
	all.Wait()
}
