package aggregator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// claimsKept is how many claims of one thread are judged at a tick: the most
// that a thread may make.
const claimsKept = 50

// claim is a finding whose citations were looked up; at least one was shown to
// the thread.
type claim struct {
	subconscious.Finding
	thread subconscious.ThreadName
	cited  []cited
	key    subconscious.IncidentKey
}

// group is all that was claimed about one incident in a tick.
type group struct {
	key    subconscious.IncidentKey
	claims []*claim
	entry  *item // nil where there is none yet
}

// check strikes what was not shown, gives every claim its incident, and groups
// claims by it.
func (m *merge) check() {
	claims := m.claims()
	if len(claims) == 0 {
		return
	}
	m.index()
	m.join(claims)
	groups := map[subconscious.IncidentKey]*group{}
	for _, c := range claims {
		if home, ok := m.homes[c.key]; ok {
			c.key = home
		}
		g := groups[c.key]
		if g == nil {
			g = &group{key: c.key}
			groups[c.key] = g
			m.groups = append(m.groups, g)
		}
		g.claims = append(g.claims, c)
	}
	for _, it := range m.entries {
		if g := groups[it.Incident]; g != nil && g.entry == nil && !it.gone {
			g.entry = it
		}
	}
	slices.SortFunc(m.groups, func(a, b *group) int { return cmp.Compare(a.key, b.key) })
	for _, g := range m.groups {
		slices.SortFunc(g.claims, compareClaims)
		m.weigh(g)
	}
}

// claims are those of all threads, sorted by what they are about and by
// importance. Of each thread only the claimsKept most important are judged.
func (m *merge) claims() []*claim {
	var all []*claim
	for _, t := range m.in.Thoughts {
		for _, f := range t.Findings {
			if c := m.claim(t.Thread, f); c != nil {
				all = append(all, c)
			}
		}
	}
	if len(all) > claimsKept {
		all = m.mostImportant(all)
	}
	slices.SortFunc(all, compareClaims)
	return all
}

func (m *merge) mostImportant(claims []*claim) []*claim {
	slices.SortFunc(claims, func(a, b *claim) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), compareClaims(a, b))
	})
	kept, of := claims[:0], map[subconscious.ThreadName]int{}
	for _, c := range claims {
		if of[c.thread]++; of[c.thread] > claimsKept {
			m.reject(c, CrowdedOut)
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

func compareClaims(a, b *claim) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.Kind, b.Kind),
		strings.Compare(a.Summary, b.Summary), slices.Compare(a.Evidence, b.Evidence), cmp.Compare(a.thread, b.thread),
		a.Due.Compare(b.Due), strings.Compare(a.EscalateReason, b.EscalateReason), strings.Compare(a.Rule, b.Rule),
		cmp.Compare(rank(!a.Escalate), rank(!b.Escalate)), slices.Compare(a.Reinforces, b.Reinforces))
}

// claim looks a finding's citations up. It returns nil, and records why, where
// none is left.
func (m *merge) claim(thread subconscious.ThreadName, f subconscious.Finding) *claim {
	c := &claim{Finding: f, thread: thread}
	c.Kind = ownKind(thread, f.Kind)
	c.Importance = importance(f.Importance)
	c.Summary = subconscious.Summary(f.Summary)
	good, other := citations(f)
	for _, citation := range good {
		x, shown := m.lookUp(thread, citation)
		// A reference alone means the latest change: one citation, not two.
		if shown && !slices.ContainsFunc(c.cited, func(y cited) bool { return y.Citation == x.Citation }) {
			c.cited = append(c.cited, x)
		}
	}
	switch {
	case len(f.Evidence) == 0:
		m.reject(c, NoEvidence)
	case len(good) == 0 && slices.ContainsFunc(other, m.ourWords):
		m.reject(c, SelfReference)
	case len(c.cited) == 0:
		m.reject(c, NotShown)
	default:
		if c.Summary == "" {
			c.Summary = cmp.Or(subconscious.Summary(c.cited[0].evidence.Latest.Title), string(c.cited[0].Ref))
		}
		c.key = c.about()
		return c
	}
	return nil
}

// about is the key of what a claim names: a pattern of the first cited
// observation, the pair of the first two where its kind connects, else the first.
func (c *claim) about() subconscious.IncidentKey {
	first := c.cited[0].key()
	switch {
	case c.Kind == subconscious.KindPattern:
		return subconscious.PatternKey(first)
	case connects(c.Kind):
		for i := range c.cited[1:] {
			if key := c.cited[i+1].key(); key != first {
				return subconscious.PairKey(first, key)
			}
		}
	}
	return first
}

// connects reports whether a finding of that kind names two observations where
// it cites two.
func connects(kind subconscious.Kind) bool {
	return kind == subconscious.KindConnection || kind == subconscious.KindRisk
}

// weigh decides for each citation of a group whether it belongs to the
// incident, whether it was counted before, and whether the person closed what it
// is of.
func (m *merge) weigh(g *group) {
	incident := m.incidents[g.key]
	links := m.linksOf(g)
	compound := g.key.IsPair() || g.key.IsPattern()
	for _, c := range g.claims {
		for i := range c.cited {
			x := &c.cited[i]
			x.belongs = m.belongs(x, g.key, links)
			x.recorded = incident != nil && recorded(incident, x.Citation)
			x.muted = compound && m.closedIncident(x)
		}
	}
}

// index notes which live incidents rest on what, and what the person closed.
func (m *merge) index() {
	m.holders = make(map[subconscious.Ref][]subconscious.IncidentKey, len(m.entries))
	for _, it := range m.entries {
		if it.gone {
			continue
		}
		for _, h := range it.Evidence {
			m.holders[h.Ref] = append(m.holders[h.Ref], it.Incident)
		}
	}
	for key, incident := range m.incidents {
		if incident.Closed != nil && !key.IsPair() && !key.IsPattern() {
			m.closed = append(m.closed, incident)
		}
	}
}
