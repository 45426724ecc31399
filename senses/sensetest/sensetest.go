// Package sensetest is the conformance suite of senses: what a driver reports
// comes once, survives restarts and crashes, ends when asked to, and leaks
// nothing. A driver's test calls Run with a Harness over a source of its own.
//
// Every rule runs the sense through a real ledger on a database in memory.
package sensetest

import (
	"testing"
	"time"

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

	patience time.Duration // 0 for defaultPatience
}

// defaultPatience is how long a sense may take for what it should do at once.
const defaultPatience = 20 * time.Second

func (h Harness) wait() time.Duration {
	if h.patience > 0 {
		return h.patience
	}
	return defaultPatience
}

func (h Harness) within() int {
	if h.Within > 0 {
		return h.Within
	}
	return 3
}

// rule is one thing that every sense must keep to.
type rule struct {
	name string
	// skip says why the rule does not apply, "" if it does.
	skip  func(h Harness) string
	check func(t testing.TB, h Harness)
}

func rules() []rule {
	unbreakable := func(h Harness) string {
		if h.Break == nil || h.Mend == nil {
			return "this source cannot be made unreadable"
		}
		return ""
	}
	return []rule{
		{name: "first collect", check: firstCollect},
		{name: "nothing twice", check: nothingTwice},
		{name: "each change once", check: eachChangeOnce},
		{name: "restart", check: restart},
		{name: "batch thrown away", check: batchThrownAway},
		{name: "crash before commit", check: crashBeforeCommit},
		{name: "changed while closed", check: changedWhileClosed},
		{name: "cancelled", check: cancelled},
		{name: "broken and mended", check: brokenAndMended, skip: unbreakable},
		{name: "left alone", check: leftAlone},
		{name: "stopped", check: stopped},
		{name: "bounded memory", check: boundedMemory},
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
			if rule.skip != nil {
				if why := rule.skip(h); why != "" {
					t.Skip(why)
				}
			}
			rule.check(t, h)
		})
	}
}
