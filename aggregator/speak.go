package aggregator

import (
	"cmp"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// speak lets the group's leading claim give the entry its summary, kind and
// importance. What belongs to the incident only by a link speaks for it where it
// is more important, so that a remark about a full disk does not hide that it is
// full. What the other claims say is kept with their evidence.
func (it *item) speak(g *group, taken []*claim) {
	top := leading(taken)
	if it.Summary == "" || top.about() == g.key || top.Importance > it.Importance {
		if h := it.held(it.About); h != nil && it.About != top.cited[0].Ref {
			words := it.words()
			h.Said = &words
		}
		it.say(top.words(), top.cited[0].Ref)
	}
	said := map[subconscious.Ref]bool{it.About: true}
	for _, c := range taken {
		if ref := c.cited[0].Ref; !said[ref] {
			said[ref] = true
			words := c.words()
			it.held(ref).Said = &words
		}
	}
}

// leading is the claim that speaks for the group: the most important, a
// dreamer's only if no other thread speaks.
func leading(taken []*claim) *claim {
	for _, c := range taken {
		if c.thread != subconscious.Dreamer {
			return c
		}
	}
	return taken[0]
}

// restate lets an entry whose summary speaks of something that has gone speak
// of what stands: of what was said of that the most important.
func (m *merge) restate(it *item) {
	if about := it.held(it.About); about == nil || !about.Gone || it.Incident.IsPair() {
		return
	}
	var next *subconscious.Held
	for i := range it.Evidence {
		h := &it.Evidence[i]
		if h.Standing && !h.Aside && h.Said != nil && (next == nil ||
			cmp.Or(cmp.Compare(h.Said.Importance, next.Said.Importance), cmp.Compare(h.Seq, next.Seq)) > 0) {
			next = h
		}
	}
	if next == nil {
		return
	}
	it.Due = next.Said.Due
	it.say(*next.Said, next.Ref)
	it.trimEvidence()
	it.Due = m.due(it, nil)
	m.change(it, Restated, "what it spoke of is gone, and this stands")
}

// say makes the entry speak of an observation.
func (it *item) say(words subconscious.Said, ref subconscious.Ref) {
	it.Kind, it.Summary, it.Importance, it.Rule = words.Kind, words.Summary, words.Importance, words.Rule
	it.About = ref
	if h := it.held(ref); h != nil {
		h.Said = nil
	}
}

func (it *item) words() subconscious.Said {
	return subconscious.Said{Kind: it.Kind, Summary: it.Summary, Importance: it.Importance, Due: it.Due, Rule: it.Rule}
}

func (c *claim) words() subconscious.Said {
	return subconscious.Said{Kind: c.Kind, Summary: c.Summary, Importance: c.Importance, Due: c.Due, Rule: c.Rule}
}

// held is what the entry holds of an observation; nil for nothing.
func (it *item) held(ref subconscious.Ref) *subconscious.Held {
	if i := slices.IndexFunc(it.Evidence, func(h subconscious.Held) bool { return h.Ref == ref }); i >= 0 {
		return &it.Evidence[i]
	}
	return nil
}
