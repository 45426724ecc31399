package aggregator

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// place gives every list its limit. Insights go first, since what finds no
// place there falls back to the list it came from.
func (m *merge) place() {
	for _, list := range []subconscious.List{subconscious.Insights, subconscious.ActiveThreads, subconscious.Patterns, subconscious.Hunches} {
		m.placeList(list)
	}
	m.trimParked()
}

func (m *merge) placeList(list subconscious.List) {
	var seated, challengers []*item
	for _, it := range m.entries {
		switch {
		case it.gone || it.List != list:
		case it.newcomer || it.parked:
			challengers = append(challengers, it)
		default:
			seated = append(seated, it)
		}
	}
	limit := max(m.in.Rules.limit(list), 0)
	slices.SortFunc(seated, func(a, b *item) int { return subconscious.PruneOrder(a.Entry, b.Entry, m.in.At) })
	for len(seated) > limit {
		m.unseat(seated[0], "the list is full")
		seated = seated[1:]
	}
	slices.SortFunc(challengers, compareChallengers)
	free, equalTaken := limit-len(seated), false
	for _, c := range challengers {
		if free > 0 {
			free--
			m.seat(c)
			continue
		}
		i, equal := victim(seated, c, !equalTaken)
		if i < 0 {
			m.turnAway(c)
			continue
		}
		equalTaken = equalTaken || equal
		m.unseat(seated[i], "crowded out by "+string(c.ID))
		seated = slices.Delete(seated, i, i+1)
		m.seat(c)
	}
}

// compareChallengers orders what wants a place: the most important first, then
// what has new evidence, then the strongest.
func compareChallengers(a, b *item) int {
	return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(rank(b.newcomer || b.news), rank(a.newcomer || a.news)),
		cmp.Compare(b.Strength, a.Strength), b.LastSeen.Compare(a.LastSeen), cmp.Compare(a.ID, b.ID))
}

// victim is the index of the seated entry, in prune order, that gives way to c:
// one of lower importance, or else, if that is still allowed in this tick and c
// brings something new, one of equal importance without new evidence.
func victim(seated []*item, c *item, allowEqual bool) (index int, equal bool) {
	if i := slices.IndexFunc(seated, func(it *item) bool { return it.Importance < c.Importance }); i >= 0 {
		return i, false
	}
	if !allowEqual || !c.newcomer && !c.news {
		return -1, false
	}
	return slices.IndexFunc(seated, func(it *item) bool { return it.Importance == c.Importance && !it.news }), true
}

func (m *merge) seat(c *item) {
	switch {
	case c.parked:
		c.parked = false
		m.change(c, Returned, "there is room again")
	case c.promotedFrom != "":
		m.endPromotion(c, true)
		m.welcome(c, "")
	default:
		m.welcome(c, Added)
	}
}

// turnAway ends a challenge that found no place. What stands is parked; whether
// there is room for it is seen when all lists are placed.
func (m *merge) turnAway(c *item) {
	switch {
	case c.parked:
	case c.promotedFrom != "":
		m.endPromotion(c, false)
	case c.Stands():
		c.parked, c.Fresh = true, false
	default:
		m.crowdOut(c)
	}
}

// crowdOut ends what found no place at all. What of it asks to be told is judged
// by the gate all the same: else whoever fills the lists could keep news of
// others from the person.
func (m *merge) crowdOut(c *item) {
	c.gone = true
	asks := slices.ContainsFunc(c.findings, func(claim *claim) bool { return claim.Escalate })
	for _, claim := range c.findings {
		if claim.Escalate {
			m.accept(claim, c)
		} else {
			m.reject(claim, CrowdedOut)
		}
	}
	if asks {
		m.change(c, Displaced, "there is no room for it, but it asks to be told")
		return
	}
	m.forget(c)
}

// welcome accepts what a newcomer was claimed by.
func (m *merge) welcome(c *item, what What) {
	if what != "" {
		m.change(c, what, c.why)
	}
	for _, claim := range c.findings {
		m.accept(claim, c)
	}
	c.findings = nil
}

// forget restores the incident of a newcomer that found no place, so that its
// evidence does not count as recorded.
func (m *merge) forget(c *item) {
	if c.before == nil {
		delete(m.incidents, c.Incident)
		delete(m.touched, c.Incident)
		return
	}
	m.incidents[c.Incident] = c.before
}

// unseat takes a place away: what stands is parked with its id.
func (m *merge) unseat(it *item, why string) {
	if it.Stands() && !it.Over {
		it.parked, it.Fresh = true, false
		m.change(it, Parked, why)
		return
	}
	it.gone = true
	m.change(it, Displaced, why)
}

// trimParked keeps the most important of what is parked.
func (m *merge) trimParked() {
	var parked []*item
	for _, it := range m.entries {
		if it.parked && !it.gone {
			parked = append(parked, it)
		}
	}
	slices.SortFunc(parked, func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.Strength, a.Strength),
			b.LastSeen.Compare(a.LastSeen), cmp.Compare(a.ID, b.ID))
	})
	room := max(m.in.Rules.Parked, 0)
	for i, it := range parked {
		fresh := it.newcomer
		switch {
		case i < room && fresh:
			m.welcome(it, Parked)
		case i < room:
		case fresh:
			m.crowdOut(it)
		default:
			it.gone = true
			m.change(it, Displaced, "too much is parked")
		}
	}
}

// add makes an entry of every group that has none and brings something new.
func (m *merge) add() {
	for _, g := range m.groups {
		if g.entry != nil {
			continue
		}
		taken := m.judge(g)
		if len(taken) == 0 {
			continue
		}
		top := leading(taken)
		it := m.newcomer(top.thread, top.Summary, g.key)
		it.List, it.findings = listOf(top.thread, top.Kind), taken
		m.absorb(it, g, taken)
		m.entries = append(m.entries, it)
	}
}

// newcomer is a new entry about an incident, with an id of its own.
func (m *merge) newcomer(thread subconscious.ThreadName, summary string, key subconscious.IncidentKey) *item {
	it := &item{newcomer: true}
	it.ID, it.Incident = entryID(thread, summary, m.state.TickCount, m.ordinal), key
	m.ordinal++
	it.Strength = min(max(m.in.Rules.Start, 1), subconscious.MaxStrength)
	it.Created, it.Fresh = m.in.At, !m.in.Kind.Decays()
	if known := m.incidents[key]; known != nil {
		before := copyOf(*known)
		it.before = &before
	}
	return it
}

// ordinalsPerTick is how many entries a tick can add with an id of their own.
const ordinalsPerTick = 1 << 10

// entryID is readable and never used again: the thread's letter, a distinctive
// word of the summary, and base32 of tick and ordinal.
func entryID(thread subconscious.ThreadName, summary string, tick int64, ordinal uint64) subconscious.EntryID {
	letter := "x"
	if thread != "" && thread[0] >= 'a' && thread[0] <= 'z' {
		letter = string(thread[:1])
	}
	return subconscious.EntryID(letter + "-" + subconscious.TellingWord(summary, "entry") + "-" + strconv.FormatUint(uint64(tick)*ordinalsPerTick+ordinal, 32))
}

// promote moves what was confirmed, or was seen on enough days, to the
// insights, once an incident. What is being actively followed stays there: the
// person's word moves it only once its evidence no longer stands.
func (m *merge) promote() {
	for _, it := range m.entries {
		incident := m.incidents[it.Incident]
		if it.gone || it.parked || it.Over || it.List == subconscious.Insights || incident == nil || incident.Promoted ||
			it.Importance < m.in.Rules.InsightImportance {
			continue
		}
		active := it.List == subconscious.ActiveThreads
		seenEnough := len(incident.Days) >= m.in.Rules.InsightDays && incident.Changes >= m.in.Rules.InsightChanges
		if incident.Confirmed && !(active && it.Stands()) || seenEnough && !active {
			it.promotedFrom, it.List = it.List, subconscious.Insights
			it.incumbent = !it.newcomer
			it.newcomer = true
		}
	}
}

// endPromotion ends a promotion: with a place among the insights, or back
// where the entry came from, to be tried again.
func (m *merge) endPromotion(it *item, placed bool) {
	if placed {
		m.incident(it.Incident).Promoted = true
		it.promotedFrom = ""
		m.change(it, Promoted, "confirmed, or seen on several days")
		return
	}
	it.List, it.promotedFrom = it.promotedFrom, ""
	it.newcomer = !it.incumbent
}
