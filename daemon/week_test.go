package daemon_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
)

// taken is what a process takes.
type taken struct{ goroutines, descriptors, heap, rows int }

func (w *world) takes() taken {
	w.t.Helper()
	w.rests()
	now := taken{goroutines: runtime.NumGoroutine()}
	for range 2 { // the second clears what finalizers and pools held
		runtime.GC()
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	now.heap = int(memory.HeapAlloc)
	open, err := os.ReadDir("/proc/self/fd")
	if err == nil {
		now.descriptors = len(open)
	}
	w.query(`SELECT (SELECT count(*) FROM mind_state) + (SELECT count(*) FROM ledger_observations) + (SELECT count(*) FROM ledger_pending)
		+ (SELECT count(*) FROM ledger_rows) + (SELECT count(*) FROM mind_notices) + (SELECT count(*) FROM mind_inputs WHERE done IS NULL)`, func(scan func(...any) error) error {
		return scan(&now.rows)
	})
	return now
}

// TestWeekWithoutGrowth: after a week of changes a mind takes what it took after two days.
// It runs before those that run in parallel, which would be counted too.
func TestWeekWithoutGrowth(t *testing.T) {
	days, ticks := 7, slots
	if testing.Short() {
		days, ticks = 3, 48
	}
	w := newWorld(t)
	phoned(w)
	w.options.Logger = nil
	watcher := withFaultyWatcher(w)
	w.begin()
	random := rand.New(rand.NewPCG(5, 6))
	var before, now taken
	for day := 1; day <= days; day++ {
		for i := range ticks {
			if i%6 == 0 { // each half hour
				w.varied(random, i/6+day, watcher)
			}
			w.hurries(1)
		}
		if day == 2 {
			before = w.takes()
		}
	}
	defer func() { t.Logf("after two days %+v, after %d %+v", before, days, now) }()
	w.until("it takes no more than after two days", func() bool { // what a tick began may be ending
		now = w.takes()
		return now.goroutines <= before.goroutines+2 && now.descriptors <= before.descriptors+2 && now.heap <= before.heap*5/4+(2<<20) && now.rows <= before.rows*3/2+50
	})
}
