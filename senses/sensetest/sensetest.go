// Package sensetest is the conformance suite of senses: what a driver reports
// comes once, survives restarts and crashes, ends when asked to, and leaks
// nothing. A driver's test calls Run with a Harness over a source of its own.
//
// Every rule runs the sense through a real ledger on a database in memory.
package sensetest

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
)

// Harness lets the suite change a source and open a sense over it. Observations
// are numbered 1 to 4; every rule removes what it added.
type Harness struct {
	// Open opens the sense afresh over the same source, as after a restart. It
	// starts nothing that the sense's Stop does not end.
	Open func(t testing.TB) senses.Sense
	// OpenWith is used in place of Open by a sense that keeps rows.
	OpenWith func(t testing.TB, rows senses.RowReader) senses.Sense
	// Add puts observation number n into the source, Change gives it another
	// class, Remove takes it out.
	Add, Change, Remove func(t testing.TB, n int)
	// Await returns when the sense would see what was done; nil if at once.
	Await func(t testing.TB, s senses.Sense)
	// Momentary: observations are momentary changes and never stand.
	Momentary bool
	// SilentBaseline: what is there on the first collect is not reported.
	SilentBaseline bool
	// Break makes the source unreadable and Mend readable again; nil if that
	// is impossible.
	Break, Mend func(t testing.TB)
	// Now is the time that the sense is told; nil is the wall clock.
	Now func() time.Time
	// Within is how many collects it takes at most until what was done is
	// reported, 0 for 3.
	Within int
	// Collects is how often is collected to see whether its
	// memory grows, 0 for 1000.
	Collects int

	// patience is how long a sense may take for what it should do at once, 0 for
	// 20 seconds.
	patience time.Duration
}

// filled is the harness with what it leaves out.
func (h Harness) filled() Harness {
	h.patience, h.Within, h.Collects = cmp.Or(h.patience, patience), cmp.Or(h.Within, 3), cmp.Or(h.Collects, 1000)
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Await == nil {
		h.Await = func(testing.TB, senses.Sense) {}
	}
	if h.OpenWith == nil {
		h.OpenWith = func(t testing.TB, _ senses.RowReader) senses.Sense { return h.Open(t) }
	}
	return h
}

// rule is one thing that every sense must keep to.
type rule struct {
	name string
	// check is given a mind whose first collect is over; nil where own.
	check func(testing.TB, Harness, *mind)
	own   bool
}

func rules() []rule {
	return []rule{
		{name: "first collect", check: firstCollect, own: true},
		{name: "nothing twice", check: nothingTwice},
		{name: "each change once", check: eachChangeOnce},
		{name: "restart", check: restart},
		{name: "batch thrown away", check: comesAgain("the commit failed and the sense was asked again", func(*mind) {})},
		{name: "crash before commit", check: comesAgain("a crash came before the commit", (*mind).restart)},
		{name: "changed while closed", check: changedWhileClosed},
		{name: "cancelled", check: cancelled},
		{name: "broken and mended", check: brokenAndMended},
		{name: "left alone", check: leftAlone},
		{name: "stopped", check: stopped, own: true},
		{name: "bounded memory", check: boundedMemory},
	}
}

// run checks one rule.
func (r rule) run(t testing.TB, h Harness) {
	t.Helper()
	h = h.filled()
	if r.own {
		r.check(t, h, nil)
		return
	}
	m := open(t, h)
	defer m.close()
	m.baseline()
	r.check(t, h, m)
}

// RunFolder checks every rule against a sense of an empty folder, with a watcher
// and without one. It sets Await, Break and Mend of the harness.
func RunFolder(t *testing.T, harness func(dir string, watcher *watch.Watcher) Harness) {
	t.Helper()
	for name, watched := range map[string]bool{"watching": true, "listing": false} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "folder")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			var h Harness
			if watched {
				watcher, fence := NewFence(t, dir)
				h = harness(dir, watcher)
				h.Await = func(t testing.TB, _ senses.Sense) { fence.Await(t) }
			} else {
				h = harness(dir, nil)
			}
			h.Break, h.Mend = renames(dir, dir+".away"), renames(dir+".away", dir)
			Run(t, h)
		})
	}
}

func renames(from, to string) func(testing.TB) {
	return func(t testing.TB) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
}

// Run checks every rule against the sense.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if h.Open == nil && h.OpenWith == nil || h.Add == nil || h.Change == nil || h.Remove == nil {
		t.Fatal("sensetest: a Harness needs Open (or OpenWith), Add, Change and Remove")
	}
	for _, rule := range rules() {
		t.Run(rule.name, func(t *testing.T) {
			rule.run(t, h)
		})
	}
}
