package subconscious

import (
	"cmp"
	"slices"
	"time"
)

// Stands reports whether the entry's own evidence stands. A connection stands
// while all that it connects stands, anything else while some of it does.
func (e Entry) Stands() bool {
	own, standing := 0, 0
	for _, h := range e.Evidence {
		if h.Aside {
			continue
		}
		own++
		if h.Standing {
			standing++
		}
	}
	if e.Incident.IsPair() {
		return own > 0 && standing == own
	}
	return standing > 0
}

// PruneOrder compares two entries of one list at the time at: negative where a
// goes before b. What gained nothing goes first, then what stands, then what
// has new evidence; then by strength, importance, longest unseen, id.
func PruneOrder(a, b Entry, at time.Time) int {
	return cmp.Or(
		cmp.Compare(a.support(at), b.support(at)),
		cmp.Compare(a.Strength, b.Strength),
		cmp.Compare(a.Importance, b.Importance),
		a.LastSeen.Compare(b.LastSeen),
		cmp.Compare(a.ID, b.ID),
	)
}

func (e Entry) support(at time.Time) int {
	switch {
	case e.LastSeen.Equal(at):
		return 2
	case e.Stands():
		return 1
	}
	return 0
}

// byStrength orders a list as it is shown: strongest first, then most
// important, then newest.
func byStrength(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(b.Strength, a.Strength),
			cmp.Compare(b.Importance, a.Importance),
			b.LastSeen.Compare(a.LastSeen),
			cmp.Compare(a.ID, b.ID),
		)
	})
}
