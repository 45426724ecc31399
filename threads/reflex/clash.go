package reflex

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// clashesAnEvent bounds the clashes of one event, and clashesADay those of
	// one day that are told apart: what overlaps more is a programme.
	clashesAnEvent = 3
	clashesADay    = 5
)

// couple is two events, the earlier one first.
type couple struct{ a, b subconscious.Observation }

// couples returns the pairs of a new event and a neighbour that are so, each
// once, in order of time.
func (s *scene) couples(reach time.Duration, so func(a, b subconscious.Observation) bool) []couple {
	var found []couple
	seen := map[subconscious.IncidentKey]bool{}
	for _, o := range s.events() {
		if !takesTime(o) {
			continue
		}
		n := 0
		s.neighbours(o, reach, func(other subconscious.Observation) bool {
			a, b := inOrder(o, other)
			if !so(a, b) {
				return true
			}
			n++
			if key := subconscious.PairKey(a.Key(), b.Key()); !seen[key] {
				seen[key] = true
				found = append(found, couple{a, b})
			}
			return n < clashesAnEvent
		})
	}
	slices.SortFunc(found, func(x, y couple) int {
		return cmp.Or(x.a.Due.Compare(y.a.Due), x.b.Due.Compare(y.b.Due), cmp.Compare(x.a.Ref(), y.a.Ref()), cmp.Compare(x.b.Ref(), y.b.Ref()))
	})
	return found
}

// collide reports whether two events cannot both be attended. One event that
// two calendars hold does not clash with itself.
func (s *scene) collide(a, b subconscious.Observation) bool {
	return takesTime(a) && takesTime(b) && overlap(a, b) &&
		!(a.Due.Equal(b.Due) && strings.EqualFold(s.eventName(a), s.eventName(b)))
}

// clash is what is told as one: events of which each overlaps another. It is
// known by two of them.
type clash struct {
	couple
	// events are all of them, the earliest first.
	events []subconscious.Observation
}

func (c clash) has(o subconscious.Observation) bool {
	return slices.ContainsFunc(c.events, func(e subconscious.Observation) bool { return e.Ref() == o.Ref() })
}

// collisions are the clashes of what is new, worked out once a tick. One of which
// the person wants to hear no more joins no other.
func (s *scene) collisions() []clash {
	if s.collided {
		return s.clashing
	}
	s.collided = true
	found, days := s.couples(0, s.collide), map[string]int{}
	for _, c := range found {
		days[s.day(c.a.Due)]++
	}
	for _, c := range found {
		closed, day := s.isClosed(c), s.day(c.a.Due)
		i := slices.IndexFunc(s.clashing, func(x clash) bool {
			return !closed && !s.isClosed(x.couple) && certain(x.couple) == certain(c) && (x.has(c.a) || x.has(c.b) || days[day] > clashesADay && s.day(x.a.Due) == day)
		})
		if i < 0 {
			s.clashing = append(s.clashing, clash{couple: c, events: []subconscious.Observation{c.a, c.b}})
			continue
		}
		x := &s.clashing[i]
		if s.happened(c.a, c.b) && !s.happened(x.a, x.b) { // what is new makes it another one
			x.couple = c
		}
		for _, o := range []subconscious.Observation{c.a, c.b} {
			if !x.has(o) {
				x.events = append(x.events, o)
			}
		}
		slices.SortFunc(x.events, func(a, b subconscious.Observation) int {
			return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Ref(), b.Ref()))
		})
	}
	return s.clashing
}

// isClosed reports whether the person wants to hear no more of two events at once.
func (s *scene) isClosed(c couple) bool {
	return s.closed[subconscious.PairKey(c.a.Key(), c.b.Key())]
}

// inClash reports whether a clash speaks for the event, in this tick or in an
// entry that is being followed.
func (s *scene) inClash(o subconscious.Observation) bool {
	return slices.ContainsFunc(s.collisions(), func(c clash) bool { return c.has(o) && !s.isClosed(c.couple) }) ||
		slices.ContainsFunc(s.entries, func(e subconscious.Entry) bool {
			if e.Rule != "oracle.clash" || e.Over {
				return false
			}
			events, _ := s.standing(e)
			cited := func(x subconscious.Observation) bool { return x.Ref() == o.Ref() }
			return slices.ContainsFunc(events, cited) && slices.ContainsFunc(events, func(x subconscious.Observation) bool {
				return !cited(x) && s.collide(x, o)
			})
		})
}

func clashes(s *scene) (out []noticed) {
	for _, c := range s.collisions() {
		first := c.events[0]
		importance := s.nearness(first, 5)
		if !certain(c.couple) {
			importance -= 2
		}
		reason := ""
		if s.tellsClash(c) {
			reason = cmp.Or(map[int]string{2: "two events"}[len(c.events)], plural(len(c.events), "event")) + " are at once, within a day"
			if !s.happened(c.events...) { // it stood there before
				importance--
			}
		}
		others := slices.DeleteFunc(slices.Clone(c.events), func(o subconscious.Observation) bool {
			return o.Ref() == c.a.Ref() || o.Ref() == c.b.Ref()
		})
		others = append([]subconscious.Observation{c.b}, others[:min(len(others), evidenceKept-2)]...)
		out = append(out, notice(subconscious.KindRisk, importance, s.clashWords(c), c.a, others...).until(first.Due).tell(reason))
	}
	return out
}

// clashWords name three events at most.
func (s *scene) clashWords(c clash) string {
	first := c.events[0]
	name := func(o subconscious.Observation) (title *part, hours string) {
		hours = s.hours(o, first.Due)
		if before, moved := moment(o, "moved_from"); moved && s.happened(o) && !before.Equal(o.Due) {
			hours += " (was " + s.beside(before, o.Due) + ")"
		}
		return prose(s.eventName(o)), hours
	}
	a, atA := name(first)
	b, atB := name(c.events[1])
	switch len(c.events) {
	case 2:
		return say("Clash on %s: %s %s and %s %s", s.day(first.Due), a, atA, b, atB)
	case 3:
		third, at := name(c.events[2])
		return say("Clash on %s: %s %s, %s %s and %s %s", s.day(first.Due), a, atA, b, atB, third, at)
	}
	return say("Many events overlap on %s, the first of them %s %s and %s %s", s.day(first.Due), a, atA, b, atB)
}

// certain: the person takes part in both for certain, and does not live with
// the clash from week to week.
func certain(c couple) bool { return sure(c.a) && sure(c.b) && !habitual(c) }

// tellsClash reports whether the person should be told of a clash now: something
// happened to one of the events, or the day before the first began that was not put
// there knowingly.
func (s *scene) tellsClash(c clash) bool {
	return certain(c.couple) && c.events[0].Due.Sub(s.at) <= 24*time.Hour && (s.happened(c.events...) || s.timely(c.events[0]) && !put(c.couple))
}

// put: the person put an event beside one of a series in the same calendar, with both
// before their eyes.
func put(c couple) bool {
	return c.a.Instance == c.b.Instance && (recurs(c.a) || recurs(c.b)) && c.a.Attrs["moved_from"] == "" && c.b.Attrs["moved_from"] == ""
}

// clashTells reports whether the person is told now of a clash that an event is
// part of, which says all that matters of it.
func (s *scene) clashTells(o subconscious.Observation) bool {
	return slices.ContainsFunc(s.collisions(), func(c clash) bool {
		return c.has(o) && !s.isClosed(c.couple) && s.tellsClash(c)
	})
}

// happened reports whether something happened to one of the events but that they
// came nearer.
func (s *scene) happened(events ...subconscious.Observation) bool {
	return slices.ContainsFunc(events, func(e subconscious.Observation) bool {
		return slices.ContainsFunc(s.news, func(o subconscious.Observation) bool { return o.Ref() == e.Ref() && !o.BandOnly })
	})
}

// timely reports whether a person should be told of what events come to now:
// something happened to one of them, or a day before them began. That they come
// nearer still is told by their own.
func (s *scene) timely(events ...subconscious.Observation) bool {
	return s.happened(events...) || slices.ContainsFunc(events, func(e subconscious.Observation) bool {
		return s.isNew(e) && s.band(e) == subconscious.Band24h
	})
}

// habitual: both come again and again at their usual times, so that the person
// has lived with it before.
func habitual(c couple) bool {
	return recurs(c.a) && recurs(c.b) && c.a.Attrs["moved_from"] == "" && c.b.Attrs["moved_from"] == ""
}

// farApart is the least time between places in two towns, and apart that
// between any two places.
const (
	apart    = 15 * time.Minute
	farApart = time.Hour
)

// tooClose reports whether one event ends, in another place, too shortly before
// the next begins.
func (s *scene) tooClose(a, b subconscious.Observation) bool {
	if !takesTime(a) || !takesTime(b) {
		return false
	}
	_, end := span(a)
	gap := b.Due.Sub(end)
	return gap >= 0 && gap < wayBetween(a.Attrs["location"], b.Attrs["location"])
}

func gaps(s *scene) (out []noticed) {
	for i, c := range s.couples(farApart, s.tooClose) {
		if i == maxFindings {
			break
		}
		_, end := span(c.a)
		minutes := int(c.b.Due.Sub(end).Minutes())
		lead, when := "Only "+plural(minutes, "minute"), s.when(end)+"–"+s.beside(c.b.Due, end)
		if minutes == 0 {
			lead, when = "No time", s.when(end)
		}
		importance, reason := s.nearness(c.a, 4), ""
		switch {
		case !sure(c.a) || !sure(c.b) || habitual(c):
			importance = max(importance-2, 3)
		case c.a.Due.Sub(s.at) <= 24*time.Hour && s.timely(c.a, c.b):
			reason = "there is no time to get from one to the other"
		}
		out = append(out, notice(subconscious.KindRisk, importance, say("%s from %s (%s) to %s (%s): %s", lead,
			prose(s.eventName(c.a)), prose(placeName(c.a)), prose(s.eventName(c.b)), prose(placeName(c.b)), when), c.a, c.b).until(c.b.Due).tell(reason))
	}
	return out
}
