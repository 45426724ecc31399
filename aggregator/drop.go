package aggregator

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

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
		it.gone = true
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
		return slices.Contains(t.Over, it.Incident) && slices.Equal(it.Sources, []subconscious.ThreadName{t.Thread})
	})
}
