package aggregator

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

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
func listOrder(list subconscious.List) int {
	switch list {
	case subconscious.ActiveThreads:
		return 0
	case subconscious.Patterns:
		return 1
	case subconscious.Hunches:
		return 2
	case subconscious.Insights:
		return 3
	}
	return -1
}
