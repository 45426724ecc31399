package sensetest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// say lists changes for people.
func say(changes []subconscious.Observation) string {
	lines := make([]string, len(changes))
	for i, o := range changes {
		lines[i] = fmt.Sprintf("%s %s %.80q", o.Change, o.Kind, o.ID)
	}
	return "[" + strings.Join(lines, ", ") + "]"
}

// names lists what changed and how, in order.
func names(changes []subconscious.Observation) []string {
	var list []string
	for _, o := range changes {
		list = append(list, string(o.Change)+" "+string(o.Ref()))
	}
	slices.Sort(list)
	return list
}

// once checks that something came and that nothing came twice.
func once(t testing.TB, what string, changes []subconscious.Observation) {
	t.Helper()
	if len(changes) == 0 {
		t.Errorf("%s: nothing was reported", what)
	}
	list := names(changes)
	if unique := slices.Compact(slices.Clone(list)); len(unique) != len(list) {
		t.Errorf("%s: something was reported twice: %s", what, say(changes))
	}
}

// none checks that nothing came.
func none(t testing.TB, what string, changes []subconscious.Observation) {
	t.Helper()
	if len(changes) > 0 {
		t.Errorf("%s: nothing should be reported, and there is %s", what, say(changes))
	}
}

// add puts an observation into the source, which comes once.
func (m *mind) add(n int) {
	m.t.Helper()
	m.h.Add(m.t, n)
	m.comes(fmt.Sprintf("observation %d was added", n), subconscious.Appeared)
}

// comes checks that what was done is reported once, as it should be.
func (m *mind) comes(what string, as subconscious.Change) {
	m.t.Helper()
	changes := m.watch()
	once(m.t, what, changes)
	want := []subconscious.Change{as, subconscious.Changed}
	if m.h.Momentary {
		want = []subconscious.Change{subconscious.Momentary}
	}
	if !slices.ContainsFunc(changes, func(o subconscious.Observation) bool { return slices.Contains(want, o.Change) }) {
		m.t.Errorf("%s: it should be reported as %v, and there is %s", what, want, say(changes))
	}
}

func (m *mind) change(n int) {
	m.t.Helper()
	m.h.Change(m.t, n)
	once(m.t, fmt.Sprintf("observation %d was changed", n), m.watch())
}

func (m *mind) remove(n int) {
	m.t.Helper()
	m.h.Remove(m.t, n)
	m.comes(fmt.Sprintf("observation %d was removed", n), subconscious.Gone)
}

func firstCollect(t testing.TB, h Harness, _ *mind) {
	h.Add(t, 1)
	h.Add(t, 2)
	defer h.Remove(t, 1)
	defer h.Remove(t, 2)
	m := open(t, h)
	defer m.close()
	first := m.baseline()
	if h.SilentBaseline {
		none(t, "the first collect", first)
	} else {
		once(t, "the first collect", first)
		if !h.Momentary && m.ledger.View().Len() < 2 {
			t.Errorf("the first collect: of two observations %d stand: %s", m.ledger.View().Len(), say(first))
		}
	}
	none(t, "the second collect", m.watch())
}

func nothingTwice(t testing.TB, h Harness, m *mind) {
	m.add(1)
	for range 5 {
		changes, _ := m.tick()
		none(t, "nothing was done", changes)
	}
	m.remove(1)
	for range 5 {
		changes, _ := m.tick()
		none(t, "nothing was done", changes)
	}
}

func eachChangeOnce(t testing.TB, h Harness, m *mind) {
	before := m.ledger.View().Len()
	m.add(1)
	m.add(2)
	if stands := m.ledger.View().Len(); !h.Momentary && stands <= before {
		t.Errorf("two observations were added: %d stood before, %d now", before, stands)
	} else if h.Momentary && stands != before {
		t.Errorf("momentary observations stand: %d before, %d now", before, stands)
	}
	m.change(1)
	m.change(2)
	m.remove(1)
	m.remove(2)
	if stands := m.ledger.View().Len(); stands != before {
		t.Errorf("all was removed again: %d observations stood before, %d now", before, stands)
	}
}

func restart(t testing.TB, h Harness, m *mind) {
	m.add(1)
	for range 2 {
		m.restart()
		none(t, "the sense was opened afresh", m.watch())
	}
	m.add(2)
	m.restart()
	m.remove(1)
	m.restart()
	m.remove(2)
}

// uncommitted collects until there is something to report and throws it away.
func (m *mind) uncommitted() []string {
	m.t.Helper()
	m.await()
	for range m.h.Within {
		batch, err := m.raw()
		if err != nil {
			m.t.Fatalf("Collect: %v", err)
		}
		staged := m.stage(batch, nil)
		if changes := staged.Changes(); len(changes) > 0 {
			return names(changes)
		}
		m.commit(staged)
	}
	m.t.Errorf("nothing was reported of what was done")
	return nil
}

// again checks that what was thrown away comes again, and then no more.
func (m *mind) again(what string, want []string) {
	m.t.Helper()
	changes := m.watch()
	once(m.t, what, changes)
	if got := names(changes); !slices.Equal(got, want) {
		m.t.Errorf("%s: %v was reported and not committed, then %v", what, want, got)
	}
}

// comesAgain throws away what is reported of observation 1 coming and going, lets
// something happen, and has it reported again.
func comesAgain(what string, happens func(*mind)) func(testing.TB, Harness, *mind) {
	return func(t testing.TB, h Harness, m *mind) {
		for _, do := range []func(testing.TB, int){h.Add, h.Remove} {
			do(t, 1)
			want := m.uncommitted()
			happens(m)
			m.again(what, want)
		}
	}
}

func changedWhileClosed(t testing.TB, h Harness, m *mind) {
	m.add(1)
	before := m.ledger.View().Len()
	m.stop()
	h.Add(t, 2)
	m.start()
	once(t, "observation 2 was added while the sense was closed", m.watch())
	m.stop()
	h.Change(t, 1)
	m.start()
	once(t, "observation 1 was changed while the sense was closed", m.watch())
	m.stop()
	h.Remove(t, 2)
	m.start()
	once(t, "observation 2 was removed while the sense was closed", m.watch())
	if stands := m.ledger.View().Len(); stands != before {
		t.Errorf("observation 2 came and went while the sense was closed: %d observations stood before, %d now", before, stands)
	}
	m.remove(1)
}

func cancelled(t testing.TB, h Harness, m *mind) {
	h.Add(t, 1)
	m.await()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	at, cursor := m.h.Now(), m.ledger.Cursor(m.sense.Name(), m.sense.ID())
	returned := make(chan struct{})
	sense := m.sense
	go func() {
		defer close(returned)
		// Whether it got anywhere does not matter: what it brought is discarded.
		_, _ = sense.Collect(ctx, at, cursor)
	}()
	timeout := time.NewTimer(h.patience)
	defer timeout.Stop()
	select {
	case <-returned:
	case <-timeout.C:
		m.done = true // the sense cannot be stopped while it hangs
		t.Fatalf("Collect did not return within %v of being cancelled", h.patience)
	}
	once(t, "observation 1 was added before a collect that was cancelled", m.watch())
	m.remove(1)
}

func brokenAndMended(t testing.TB, h Harness, m *mind) {
	if h.Break == nil || h.Mend == nil {
		return // this source cannot be made unreadable
	}
	m.add(1)
	h.Add(t, 2)
	stands := m.ledger.View().Len()
	h.Break(t)
	m.await()
	failed := false
	for range h.Within {
		batch, err := m.raw()
		staged := m.stage(batch, err)
		if err == nil {
			if n := staged.View().Len(); n < stands {
				t.Errorf("the source cannot be read: %d observations stood, %d still do, and no error was returned", stands, n)
			}
			continue
		}
		failed = true
		none(t, "the source cannot be read", staged.Changes())
		m.commit(staged)
	}
	if !failed {
		t.Errorf("the source cannot be read, and Collect returned no error")
	}
	h.Mend(t)
	changes := m.watch()
	once(t, "observation 2 was added before the source could not be read", changes)
	if slices.ContainsFunc(changes, func(o subconscious.Observation) bool { return o.Change == subconscious.Gone }) {
		t.Errorf("the source can be read again: nothing was removed, and there is %s", say(changes))
	}
	m.remove(1)
	m.remove(2)
}

// leftAlone checks that the sense keeps its hands off what it has handed over.
func leftAlone(t testing.TB, h Harness, m *mind) {
	h.Add(t, 1)
	m.await()
	batch, err := m.raw()
	if err != nil {
		t.Fatalf("Collect: %v", err)
	}
	before := fmt.Sprintf("%+v", batch)
	m.commit(m.stage(batch, nil))
	m.watch()
	h.Change(t, 1)
	m.watch()
	if after := fmt.Sprintf("%+v", batch); after != before {
		t.Errorf("a batch was changed after it had been handed over:\n%s\n%s", before, after)
	}
	m.remove(1)
}

func stopped(t testing.TB, h Harness, _ *mind) {
	running := goleak.IgnoreCurrent()
	m := open(t, h)
	m.baseline()
	m.add(1)
	m.remove(1)
	stopper, ok := m.sense.(senses.Stopper)
	m.close()
	if ok {
		ctx, cancel := context.WithTimeout(context.Background(), h.patience)
		defer cancel()
		if err := stopper.Stop(ctx); err != nil {
			t.Errorf("Stop, called again: %v", err)
		}
	}
	if err := goleak.Find(running); err != nil {
		t.Errorf("after Stop: %v", err)
	}
}

// memorySlack is what the heap may grow by for no reason, in bytes.
const memorySlack = 2 << 20

// boundedMemory collects many times and compares the heap at the beginning with
// that at the end.
func boundedMemory(t testing.TB, h Harness, m *mind) {
	collects := h.Collects
	m.add(1)
	warm := max(collects/10, 1)
	m.collectAgain(warm)
	before := heap()
	m.collectAgain(collects - warm)
	after := heap()
	if after > before+before/2+memorySlack {
		t.Errorf("%d looks at an unchanged source grew the heap from %d to %d KiB", collects-warm, before>>10, after>>10)
	}
	m.remove(1)
}

func (m *mind) collectAgain(times int) {
	m.t.Helper()
	for range times {
		batch, err := m.raw()
		if err != nil {
			m.t.Fatalf("Collect: %v", err)
		}
		staged := m.stage(batch, nil)
		none(m.t, "nothing was done", staged.Changes())
		m.commit(staged)
	}
}

// heap returns the bytes that live objects take.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
