package aggregator

import (
	"cmp"
	"slices"

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
