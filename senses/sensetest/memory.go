package sensetest

import (
	"runtime"
	"testing"
)

// memorySlack is what the heap may grow by for no reason, in bytes.
const memorySlack = 2 << 20

// boundedMemory collects many times and compares the heap at the beginning with
// that at the end.
func boundedMemory(t testing.TB, h Harness) {
	collects := h.Collects
	if collects <= 0 {
		collects = 1000
	}
	m := open(t, h)
	defer m.close()
	m.baseline()
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
