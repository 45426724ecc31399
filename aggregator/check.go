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
	reader subconscious.ThreadName // who was shown the evidence: the thread, or the rules beside its model
	cited  []cited
	key    subconscious.IncidentKey
}

// byModel reports whether a model speaks, and not a rule.
func (c *claim) byModel() bool { return subconscious.ByModel(c.Rule) }

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
		m.unite(g.claims)
		m.weigh(g)
	}
}

// unite makes one word of what rules and models say of one incident: the higher
// importance holds for both, but for what the dreamer muses. A fact is said by its
// rule, all else by who finds it more important. The wish to be told holds whoever
// has it; see accept. What is worth no entry has no word.
func (m *merge) unite(claims []*claim) {
	united := false
	kept := slices.DeleteFunc(slices.Clone(claims), func(c *claim) bool {
		return c.Importance < m.in.Rules.MinImportance || c.thread == subconscious.Dreamer
	})
	for i, a := range kept {
		for _, b := range kept[i+1:] {
			if a.byModel() != b.byModel() {
				united = true
				a.Importance = max(a.Importance, b.Importance)
				b.Importance = a.Importance
			}
		}
	}
	if united {
		slices.SortStableFunc(claims, func(a, b *claim) int {
			return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(rank(!a.Factual), rank(!b.Factual)))
		})
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
		if of[c.reader]++; of[c.reader] > claimsKept {
			m.reject(c, CrowdedOut)
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

func compareClaims(a, b *claim) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.Kind, b.Kind),
		strings.Compare(a.Summary, b.Summary), slices.Compare(a.Evidence, b.Evidence), cmp.Compare(a.reader, b.reader),
		a.Due.Compare(b.Due), strings.Compare(a.EscalateReason, b.EscalateReason), strings.Compare(a.Fact, b.Fact), strings.Compare(a.Remark, b.Remark), strings.Compare(a.Rule, b.Rule),
		cmp.Compare(rank(!a.Escalate), rank(!b.Escalate)), slices.Compare(a.Reinforces, b.Reinforces))
}

// claim looks a finding's citations up. It returns nil, and records why, where
// none is left.
func (m *merge) claim(reader subconscious.ThreadName, f subconscious.Finding) *claim {
	c := &claim{Finding: f, thread: reader.Thread(), reader: reader}
	c.Kind = ownKind(c.thread, f.Kind)
	c.Importance = importance(f.Importance)
	c.Summary = subconscious.Summary(f.Summary)
	good, other := citations(f)
	for _, citation := range good {
		x, shown := m.lookUp(reader, citation)
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

const (
	// citationsRead is how many of a finding's citations are read at all, and
	// citationsKept how many different ones are taken.
	citationsRead = 64
	citationsKept = 16
)

// cited is one citation that was shown to the thread.
type cited struct {
	subconscious.Citation
	evidence *subconscious.Evidence
	// change is the cited change of the observation.
	change   subconscious.Occurrence
	fresh    bool // new to the thread
	recorded bool // the incident had counted it, or a later change of the same
	belongs  bool // to the incident, by key or link
	muted    bool // the person closed the incident that it is of
	identity *identity
}

// counts reports whether a citation is evidence that is new to its incident:
// it belongs to it, was not counted, and does not say that it is gone.
func (x *cited) counts() bool {
	return x.belongs && !x.recorded && x.change.Change != subconscious.Gone
}

// isNews reports whether a citation counts and is new to the thread as well: to
// repeat what a thread was shown before brings nothing.
func (x *cited) isNews() bool { return x.fresh && x.counts() && !x.muted }

// who is the identity of what is cited, worked out once.
func (x *cited) who() *identity {
	if x.identity == nil {
		x.identity = identify(&x.evidence.Latest, x.Ref)
	}
	return x.identity
}

func (x *cited) key() subconscious.IncidentKey { return x.who().key }

// citations returns what a finding cites in the form of a citation, and the
// rest, in their order.
func citations(f subconscious.Finding) (good []subconscious.Citation, other []string) {
	for _, text := range f.Evidence[:min(len(f.Evidence), citationsRead)] {
		c, ok := subconscious.ParseCitation(text)
		switch {
		case !ok:
			other = append(other, text)
		case len(good) < citationsKept && !slices.Contains(good, c):
			good = append(good, c)
		}
	}
	return good, other
}

// lookUp resolves a citation to evidence that the thread, or its rules, were shown.
func (m *merge) lookUp(reader subconscious.ThreadName, citation subconscious.Citation) (cited, bool) {
	evidence, ok := m.evidence[citation.Ref]
	if !ok || !slices.Contains(evidence.ShownTo, reader) {
		return cited{}, false
	}
	latest := &evidence.Latest
	x := cited{Citation: citation, evidence: evidence}
	if x.Seq == 0 || x.Seq == latest.Seq {
		x.Seq = latest.Seq
		x.change = subconscious.Occurrence{Seq: latest.Seq, At: latest.At, Change: latest.Change, Severity: latest.Severity}
		x.fresh = slices.Contains(evidence.NewTo, reader)
		return x, true
	}
	for _, o := range evidence.Occurrences {
		if o.Seq == x.Seq {
			x.change = o
			return x, true
		}
	}
	return cited{}, false
}

// ourWords reports whether a citation names something the daemon itself wrote.
func (m *merge) ourWords(text string) bool {
	id := subconscious.EntryID(strings.TrimSpace(text))
	if _, ok := m.in.State.Entry(id); ok {
		return true
	}
	return slices.ContainsFunc([]string{"subconscious", "journal", "entry", "thought", "memory"}, func(prefix string) bool {
		return len(id) >= len(prefix) && strings.EqualFold(string(id[:len(prefix)]), prefix)
	})
}

// judge splits a group's claims into those that bring something new and those
// that are rejected, which it records with the first reason that applies.
func (m *merge) judge(g *group) (taken []*claim) {
	closed := m.stillClosed(g)
	brought := map[voice]bool{}
	for _, c := range g.claims {
		switch {
		case m.unrelated(g, c):
			m.reject(c, UnrelatedEvidence)
		case closed || c.mutedNews():
			m.reject(c, ClosedByPerson)
		case !c.brings(brought):
			if !m.second(g, c, brought) {
				m.reject(c, Repeat)
			}
		case g.entry == nil && c.Importance < m.in.Rules.MinImportance:
			m.reject(c, BelowImportance)
		default:
			taken = append(taken, c)
			c.mark(brought)
		}
	}
	return taken
}

// voice is who brought which change: a thread's model, or its rules.
type voice struct {
	source
	model bool
}

// voice is who brings a citation in that claim.
func (c *claim) voice(x cited) voice { return voice{source{c.thread, x.Citation}, c.byModel()} }

// mark notes what a claim brought.
func (c *claim) mark(brought map[voice]bool) {
	for _, x := range c.cited {
		brought[c.voice(x)] = true
	}
}

// second lets what a thread's model says of a change count that its rules brought
// before, or what rules say of one that any model brought before: the higher
// importance holds, and the wish to be told. It is no new evidence, and counts once.
func (m *merge) second(g *group, c *claim, brought map[voice]bool) bool {
	it := g.entry
	if it == nil || c.byModel() && !slices.Contains(it.Sources, c.thread) || subconscious.ByModel(it.Rule) == c.byModel() ||
		c.Importance <= it.Importance && !c.Escalate ||
		!slices.ContainsFunc(c.cited, func(x cited) bool { return x.fresh && x.belongs && x.recorded && !x.muted && !brought[c.voice(x)] }) {
		return false
	}
	c.mark(brought)
	it.Importance = max(it.Importance, c.Importance)
	c.Importance, it.seconded = it.Importance, true
	m.accept(c, it)
	return true
}

// brings reports whether a claim has news that neither its model nor its rules,
// whichever speaks, brought in another claim already.
func (c *claim) brings(brought map[voice]bool) bool {
	return slices.ContainsFunc(c.cited, func(x cited) bool {
		return x.isNews() && !brought[c.voice(x)]
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
