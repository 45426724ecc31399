package aggregator

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reinforce gives strength to entries that have new evidence, and gives back
// what decay took from those whose evidence stands.
func (m *merge) reinforce() {
	for _, g := range m.groups {
		if g.entry == nil {
			continue
		}
		taken := m.judge(g)
		if len(taken) == 0 {
			continue
		}
		it := g.entry
		if gain := m.gain(it, taken); !it.parked {
			it.Strength = min(it.Strength+gain, subconscious.MaxStrength)
		}
		m.absorb(it, g, taken)
		m.change(it, Reinforced, "new evidence")
		for _, c := range taken {
			m.accept(c, it)
		}
	}
	for _, it := range m.entries {
		if it.decayed && !it.news && (!it.Over || m.returned(it)) && it.Stands() {
			it.Strength++
		}
		if it.seconded {
			m.change(it, Reinforced, "a model and the rules beside it both speak of it")
		}
	}
}

// returned reports whether something that an ended entry rests on had gone and
// stands again.
func (m *merge) returned(it *item) bool {
	before, _ := m.in.State.Entry(it.ID)
	return slices.ContainsFunc(before.Evidence, func(old subconscious.Held) bool {
		return old.Gone && slices.ContainsFunc(it.Evidence, func(h subconscious.Held) bool { return h.Ref == old.Ref && h.Standing })
	})
}

// source is who brought which change.
type source struct {
	thread   subconscious.ThreadName
	citation subconscious.Citation
}

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.citation.Ref, b.citation.Ref), cmp.Compare(a.citation.Seq, b.citation.Seq), cmp.Compare(a.thread, b.thread))
}

// gain is what new evidence is worth: more where two threads cite different
// evidence, less where all of it says that things improved.
func (m *merge) gain(it *item, taken []*claim) int {
	var sources []source
	better := true
	for _, c := range taken {
		for i := range c.cited {
			if x := &c.cited[i]; x.isNews() {
				sources = append(sources, source{c.thread, x.Citation})
				better = better && forTheBetter(it, x)
			}
		}
	}
	switch {
	case better:
		return m.in.Rules.GainBetter
	case twoBringDifferent(sources):
		return m.in.Rules.GainTwo
	}
	return m.in.Rules.Gain
}

func twoBringDifferent(sources []source) bool {
	slices.SortFunc(sources, compareSources)
	sources = slices.Compact(sources)
	for i, a := range sources {
		for _, b := range sources[i+1:] {
			if a.thread != b.thread && a.citation != b.citation {
				return true
			}
		}
	}
	return false
}

// forTheBetter reports whether a change is less severe than what the entry
// held of the same thing.
func forTheBetter(it *item, x *cited) bool {
	for _, h := range it.Evidence {
		if h.Ref == x.Ref {
			return x.change.Severity < h.Severity
		}
	}
	return false
}

// decay takes one strength from every listed entry, on ticks that decay. What
// was added on an early tick is spared once, so that it is in as many
// documents as anything else. What is parked neither decays nor grows.
func (m *merge) decay() {
	if !m.in.Kind.Decays() {
		return
	}
	for _, it := range m.entries {
		switch {
		case it.gone || it.parked || it.newcomer:
		case it.Fresh:
			it.Fresh = false
		default:
			it.Strength--
			it.decayed = true
		}
	}
}

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
	m.record(it, taken)
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

// drop ends entries: what has no strength left goes; what rests on nothing but
// what has gone is shown once more, at 1, marked over; what was parked leaves
// when it no longer stands.
func (m *merge) drop() {
	for _, it := range m.entries {
		switch {
		case it.gone:
		case it.parked:
			m.dropParked(it)
		case it.news && it.Strength > 0:
		case !it.Over && (it.ended() || it.Strength > 0 && m.calledOver(it)):
			if !it.ended() {
				m.incident(it.Incident).Over = true
			}
			it.Over, it.Fresh, it.Strength = true, false, 1
			m.change(it, Over, "what it rests on is gone")
		case it.Strength <= 0:
			it.gone = true
			m.change(it, Dropped, "it has faded")
		default:
			it.Over = it.Over && !m.returned(it)
			m.restate(it)
			if it.Strength < it.from {
				m.change(it, Faded, "nothing new")
			}
		}
	}
}

func (m *merge) dropParked(it *item) {
	switch {
	case !it.Stands():
		it.gone = true
		m.change(it, Dropped, "it no longer stands")
	case !it.news && m.calledOver(it):
		m.incident(it.Incident).Over, it.gone = true, true
		m.change(it, Dropped, "what it rests on is gone")
	default:
		m.restate(it)
	}
}

// ended reports whether all that the entry rests on has gone; for a connection,
// whether any of what it connects has.
func (it *item) ended() bool {
	own, gone := 0, 0
	for _, h := range it.Evidence {
		if h.Aside {
			continue
		}
		own++
		if h.Gone {
			gone++
		}
	}
	if it.Incident.IsPair() {
		return gone > 0
	}
	return own > 0 && gone == own
}

// calledOver reports whether a thread that found the entry says that it ended.
func (m *merge) calledOver(it *item) bool {
	return slices.ContainsFunc(m.in.Thoughts, func(t subconscious.Thought) bool {
		return slices.Contains(t.Over, it.Incident) && slices.Equal(it.Sources, []subconscious.ThreadName{t.Thread.Thread()})
	})
}
