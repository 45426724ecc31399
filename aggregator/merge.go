package aggregator

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Merge returns the state after one tick, and what changed. See the package
// comment for the steps.
func Merge(in Input) (subconscious.State, Changes) {
	m := begin(in)
	m.command()
	m.decay()
	m.check()
	m.reinforce()
	m.drop()
	m.add()
	m.promote()
	m.place()
	m.threads()
	return m.finish()
}

// merge is the work of one tick. Everything in it is the merge's own: entries
// and incidents are copied from the input before they are touched.
type merge struct {
	in        Input
	state     subconscious.State
	entries   []*item // listed and parked
	incidents map[subconscious.IncidentKey]*subconscious.Incident
	touched   map[subconscious.IncidentKey]bool
	evidence  map[subconscious.Ref]*subconscious.Evidence
	// Of the claims of this tick: their incidents, by the keys of what they are
	// about; the live incidents that hold each observation; and the incidents
	// that the person closed.
	homes   map[subconscious.IncidentKey]subconscious.IncidentKey
	holders map[subconscious.Ref][]subconscious.IncidentKey
	closed  []*subconscious.Incident
	groups  []*group // sorted by incident
	changes Changes
	ordinal uint64 // of the next entry that is new
	// What each thread had accepted.
	accepted map[subconscious.ThreadName][]subconscious.EntryID
}

// item is an entry on its way through a tick.
type item struct {
	subconscious.Entry
	parked   bool // it was parked when the tick began, or found no place in it
	newcomer bool // added in this tick, or promoted: it has to find a place
	news     bool // it took new evidence in this tick
	seconded bool // its model and its rules both spoke of it
	decayed  bool
	from     int // strength when the tick began
	gone     bool
	// Of a newcomer: what it was claimed by, and its incident before that.
	findings []*claim
	before   *subconscious.Incident
	why      string // it was added
	// Of what is being promoted: the list it leaves, and whether it had a
	// place there.
	promotedFrom subconscious.List
	incumbent    bool
}

func begin(in Input) *merge {
	in = canonical(in)
	m := &merge{
		in:        in,
		state:     in.State,
		entries:   make([]*item, 0, len(in.State.Entries)+len(in.State.Parked)+4),
		incidents: make(map[subconscious.IncidentKey]*subconscious.Incident, len(in.Incidents)),
		touched:   map[subconscious.IncidentKey]bool{},
		evidence:  make(map[subconscious.Ref]*subconscious.Evidence, len(in.Evidence)),
		accepted:  map[subconscious.ThreadName][]subconscious.EntryID{},
	}
	m.changes.Done = map[int64]string{}
	for i := range in.Evidence {
		e := &in.Evidence[i]
		if known := m.evidence[e.Ref]; known == nil || known.Latest.Seq < e.Latest.Seq {
			m.evidence[e.Ref] = e
		}
	}
	incidents := slices.Clone(in.Incidents)
	for i := range incidents {
		m.incidents[incidents[i].Key] = &incidents[i]
	}
	m.hold(in.State.Entries, in.State.Parked)
	m.state.Threads = maps.Clone(in.State.Threads)
	if m.state.Threads == nil {
		m.state.Threads = map[subconscious.ThreadName]subconscious.ThreadState{}
	}
	m.state.Closed = slices.Clone(in.State.Closed)
	m.state.History = slices.Clone(in.State.History)
	m.state.Version = subconscious.SchemaVersion
	m.state.TickCount = min(max(in.State.TickCount, 0), math.MaxInt64-1) + 1
	m.state.LastTick = in.At
	return m
}

// canonical brings an input into the one form in which it is merged, so that
// neither the order in which thoughts arrived, nor whether the input was stored
// in between, makes a difference.
func canonical(in Input) Input {
	if in.Zone == nil {
		in.Zone = time.UTC
	}
	in.At = in.At.In(in.Zone).Round(0)
	in.Thoughts = slices.Clone(in.Thoughts)
	slices.SortStableFunc(in.Thoughts, func(a, b subconscious.Thought) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), strings.Compare(b.Journal, a.Journal))
	})
	in.Runs = slices.Clone(in.Runs)
	slices.SortStableFunc(in.Runs, compareRuns)
	in.Runs = slices.CompactFunc(in.Runs, func(a, b Run) bool { return a.Thread == b.Thread })
	return in
}

func compareRuns(a, b Run) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Outcome, b.Outcome))
}

// hold copies the entries, and brings what they know of their evidence up to
// date. They share two blocks of memory, since an unchanged tick does little
// else.
func (m *merge) hold(listed, parked []subconscious.Entry) {
	items := make([]item, len(listed)+len(parked))
	held := 0
	for i := range items {
		it := &items[i]
		if it.parked = i >= len(listed); it.parked {
			it.Entry = parked[i-len(listed)]
		} else {
			it.Entry = listed[i]
		}
		it.Strength = min(max(it.Strength, 0), subconscious.MaxStrength)
		it.Importance = importance(it.Importance)
		if listOrder(it.List) < 0 {
			it.List = subconscious.Hunches
		}
		it.from = it.Strength
		held += len(it.Evidence)
		m.entries = append(m.entries, it)
	}
	block := make([]subconscious.Held, 0, held)
	for _, it := range m.entries {
		start := len(block)
		block = append(block, it.Evidence...)
		it.Evidence = block[start:len(block):len(block)]
		for i := range it.Evidence {
			m.refresh(&it.Evidence[i])
		}
	}
}

// refresh brings up to date whether held evidence stands. What the ledger no
// longer knows does not stand, and has not been seen to go.
func (m *merge) refresh(h *subconscious.Held) {
	evidence, known := m.evidence[h.Ref]
	if !known {
		h.Standing = false
		return
	}
	h.Standing, h.Gone = evidence.Standing, evidence.Gone
}

// importance brings a number into 1 to 10.
func importance(n int) int { return min(max(n, 1), 10) }

// incident returns the tick's own copy of an incident, to be changed and
// stored.
func (m *merge) incident(key subconscious.IncidentKey) *subconscious.Incident {
	incident, ok := m.incidents[key]
	if !ok {
		incident = &subconscious.Incident{Key: key, Opened: m.in.At}
		m.incidents[key] = incident
	}
	if !m.touched[key] {
		m.touched[key] = true
		*incident = copyOf(*incident)
	}
	return incident
}

// copyOf returns an incident that shares nothing that a merge changes.
func copyOf(incident subconscious.Incident) subconscious.Incident {
	incident.Recorded = maps.Clone(incident.Recorded)
	incident.Days = slices.Clone(incident.Days)
	incident.Links = slices.Clone(incident.Links)
	return incident
}

func (m *merge) change(it *item, what What, why string) {
	m.changes.Entries = append(m.changes.Entries, EntryChange{
		Entry: it.ID, What: what, List: it.List, Summary: it.Summary, From: it.from, To: it.Strength, Why: why,
	})
}

func (m *merge) reject(c *claim, reason Reason) {
	m.changes.Rejected = append(m.changes.Rejected, Rejection{Thread: c.thread, Summary: c.Summary, Reason: reason})
}

func (m *merge) accept(c *claim, it *item) {
	m.changes.Accepted = append(m.changes.Accepted, Acceptance{Thread: c.thread, Entry: it.ID, Finding: c.Finding})
	if !slices.Contains(m.accepted[c.thread], it.ID) {
		m.accepted[c.thread] = append(m.accepted[c.thread], it.ID)
	}
	if c.Escalate && !(c.byModel() && slices.ContainsFunc(m.changes.Requests, func(r subconscious.Request) bool {
		return r.Entry == it.ID && !subconscious.ByModel(r.Rule) // which asks for both
	})) {
		request := subconscious.Request{Incident: it.Incident, Asked: subconscious.Asked{
			Tick: m.state.TickCount, At: m.in.At, Thread: c.thread, Entry: it.ID, Source: c.cited[0].Ref.Sense(), Summary: c.Summary,
			Importance: c.Importance, Reason: c.EscalateReason, Fact: c.Fact, Remark: c.Remark, Kind: c.Kind, Rule: c.Rule, Due: c.Due,
		}}
		for _, x := range c.cited {
			request.Evidence = append(request.Evidence, x.Citation)
		}
		m.changes.Requests = append(m.changes.Requests, request)
	}
}

// Lookups are the keys and the links by which the incidents must be looked up
// that a merge needs: those that entries hold, that commands mean, and that
// thoughts could mean by what they cite.
func Lookups(state subconscious.State, thoughts []subconscious.Thought, commands []subconscious.Command,
	evidence []subconscious.Evidence) (keys []subconscious.IncidentKey, links []string) {
	wanted, by := map[subconscious.IncidentKey]bool{}, map[string]bool{}
	for _, entries := range [][]subconscious.Entry{state.Entries, state.Parked} {
		for _, e := range entries {
			wanted[e.Incident] = true
		}
	}
	for _, c := range commands {
		if c.Incident != "" {
			wanted[c.Incident] = true
		}
	}
	known := make(map[subconscious.Ref]subconscious.Observation, len(evidence))
	for _, e := range evidence {
		known[e.Ref] = e.Latest
	}
	for _, t := range thoughts {
		for _, f := range t.Findings {
			lookUp(f, known, wanted, by)
		}
	}
	return slices.Sorted(maps.Keys(wanted)), slices.Sorted(maps.Keys(by))
}

func lookUp(f subconscious.Finding, known map[subconscious.Ref]subconscious.Observation, wanted map[subconscious.IncidentKey]bool, by map[string]bool) {
	var observations []subconscious.Observation
	good, _ := citations(f)
	for _, c := range good {
		if o, ok := known[c.Ref]; ok {
			observations = append(observations, o)
		}
	}
	for i, o := range observations {
		wanted[o.Key()] = true
		wanted[subconscious.PatternKey(o.Key())] = true
		for _, link := range LinkQueries(o) {
			by[link] = true
		}
		for _, other := range observations[i+1:] {
			wanted[subconscious.PairKey(o.Key(), other.Key())] = true
		}
	}
}

// finish hands out the state in a canonical order.
func (m *merge) finish() (subconscious.State, Changes) {
	m.entries = slices.DeleteFunc(m.entries, func(it *item) bool { return it.gone })
	slices.SortFunc(m.entries, compareItems)
	listed := slices.IndexFunc(m.entries, func(it *item) bool { return it.parked })
	if listed < 0 {
		listed = len(m.entries)
	}
	m.state.Entries, m.state.Parked = entriesOf(m.entries[:listed]), entriesOf(m.entries[listed:])
	if len(m.state.Parked) == 0 {
		m.state.Parked = nil
	}
	for _, key := range slices.Sorted(maps.Keys(m.touched)) {
		m.changes.Incidents = append(m.changes.Incidents, *m.incidents[key])
	}
	slices.SortStableFunc(m.changes.Entries, func(a, b EntryChange) int { return cmp.Compare(a.Entry, b.Entry) })
	slices.SortStableFunc(m.changes.Rejected, func(a, b Rejection) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), strings.Compare(a.Summary, b.Summary), cmp.Compare(a.Reason, b.Reason))
	})
	return m.state, m.changes
}

// compareItems puts what is listed before what is parked, that by list, and both
// by id.
func compareItems(a, b *item) int {
	if a.parked || b.parked {
		return cmp.Or(cmp.Compare(rank(a.parked), rank(b.parked)), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(listOrder(a.List), listOrder(b.List)), cmp.Compare(a.ID, b.ID))
}

// rank sorts false before true.
func rank(so bool) int {
	if so {
		return 1
	}
	return 0
}

func entriesOf(items []*item) []subconscious.Entry {
	entries := make([]subconscious.Entry, len(items))
	for i, it := range items {
		entries[i] = it.Entry
	}
	return entries
}

// listOrder is the place of a list in the document; below 0 for none.
func listOrder(list subconscious.List) int { return slices.Index(subconscious.Lists(), list) }
