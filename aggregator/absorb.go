package aggregator

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// absorb takes what was claimed into the entry and counts it on the incident.
func (m *merge) absorb(it *item, g *group, taken []*claim) {
	for _, c := range taken {
		if !slices.Contains(it.Sources, c.thread) {
			it.Sources = append(slices.Clone(it.Sources), c.thread)
			slices.Sort(it.Sources)
		}
		for i := range c.cited {
			m.holdEvidence(it, &c.cited[i])
		}
	}
	it.speak(g, taken)
	it.trimEvidence()
	it.LastSeen, it.news, it.Over = m.in.At, true, false
	it.Due = m.due(it, taken)
	m.record(it, g, taken)
}

func (m *merge) holdEvidence(it *item, x *cited) {
	held := subconscious.Held{
		Citation: x.Citation, Standing: x.evidence.Standing, Gone: x.evidence.Gone,
		Severity: x.change.Severity, Aside: !x.belongs,
	}
	i := slices.IndexFunc(it.Evidence, func(h subconscious.Held) bool { return h.Ref == x.Ref })
	switch {
	case i < 0:
		it.Evidence = append(it.Evidence, held)
		m.holders[x.Ref] = append(m.holders[x.Ref], it.Incident)
	case it.Evidence[i].Seq <= x.Seq:
		held.Said, held.Aside = it.Evidence[i].Said, held.Aside && it.Evidence[i].Aside
		it.Evidence[i] = held
	}
}

// trimEvidence keeps the entry's own evidence before what was cited beside it,
// what it speaks of before the rest, what stands before what does not, and the
// newest.
func (it *item) trimEvidence() {
	slices.SortStableFunc(it.Evidence, func(a, b subconscious.Held) int {
		return cmp.Or(cmp.Compare(rank(a.Aside), rank(b.Aside)), cmp.Compare(rank(a.Ref != it.About), rank(b.Ref != it.About)),
			cmp.Compare(rank(!a.Standing), rank(!b.Standing)), cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.Ref, b.Ref))
	})
	it.Evidence = it.Evidence[:min(len(it.Evidence), subconscious.MaxHeld)]
}

// due is the earliest due time still ahead of what the entry rests on, or the
// one that passed last; what threads read in a text counts only where the
// evidence has none, and what they read before only where they read none now.
func (m *merge) due(it *item, taken []*claim) time.Time {
	var ahead, passed time.Time
	consider := func(due time.Time) {
		switch {
		case due.IsZero() || due.Year() < 1 || due.Year() > 9999: // what JSON cannot hold
		case due.After(m.in.At):
			if ahead.IsZero() || due.Before(ahead) {
				ahead = due
			}
		case due.After(passed):
			passed = due
		}
	}
	for _, h := range it.Evidence {
		if evidence, ok := m.evidence[h.Ref]; ok && !h.Aside && !evidence.Gone {
			consider(evidence.Latest.Due)
		}
	}
	if ahead.IsZero() && passed.IsZero() {
		for _, c := range taken {
			consider(c.Due)
		}
		if ahead.IsZero() {
			consider(it.Due)
		}
	}
	if !ahead.IsZero() {
		return ahead
	}
	return passed
}
