package aggregator

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// judge splits a group's claims into those that bring something new and those
// that are rejected, which it records with the first reason that applies.
func (m *merge) judge(g *group) (taken []*claim) {
	closed := m.stillClosed(g)
	brought := map[source]bool{}
	for _, c := range g.claims {
		switch {
		case m.unrelated(g, c):
			m.reject(c, UnrelatedEvidence)
		case closed || c.mutedNews():
			m.reject(c, ClosedByPerson)
		case !c.brings(brought):
			m.reject(c, Repeat)
		case g.entry == nil && c.Importance < m.in.Rules.MinImportance:
			m.reject(c, BelowImportance)
		default:
			taken = append(taken, c)
			for _, x := range c.cited {
				brought[source{c.thread, x.Citation}] = true
			}
		}
	}
	return taken
}

// brings reports whether a claim has news that its thread did not bring in
// another claim already.
func (c *claim) brings(brought map[source]bool) bool {
	return slices.ContainsFunc(c.cited, func(x cited) bool {
		return x.isNews() && !brought[source{c.thread, x.Citation}]
	})
}

// mutedNews reports whether all that a claim would bring is of what the person
// closed.
func (c *claim) mutedNews() bool {
	muted := false
	for _, x := range c.cited {
		if x.isNews() {
			return false
		}
		muted = muted || x.muted && x.fresh && x.counts()
	}
	return muted
}

// unrelated reports whether a claim puts together what has nothing to do with
// each other: a known fact of another incident, cited beside something else; or
// something fresh, cited beside a fact that has nothing new.
func (m *merge) unrelated(g *group, c *claim) bool {
	first := &c.cited[0]
	connected := false // the first with any other observation
	for i := range c.cited[1:] {
		x := &c.cited[i+1]
		if m.knownElsewhere(g, x) && !related(first, x) {
			return true
		}
		connected = connected || g.key.IsPair() && x.key() != first.key() && related(first, x)
	}
	if g.key.IsPair() && !connected && m.knownElsewhere(g, first) {
		return true
	}
	return !slices.ContainsFunc(c.cited, func(x cited) bool { return x.counts() }) &&
		slices.ContainsFunc(c.cited, func(x cited) bool { return x.fresh && !x.belongs })
}

// knownElsewhere reports whether a citation is of what the person closed, or has
// nothing new for its thread and is of what a live entry of another incident
// rests on.
func (m *merge) knownElsewhere(g *group, x *cited) bool {
	if m.closedIncident(x) {
		return true
	}
	return !x.fresh && slices.ContainsFunc(m.holders[x.Ref], func(key subconscious.IncidentKey) bool { return key != g.key })
}
