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
	// one day that are told one by one: what overlaps more is a programme.
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

// collisions are the clashes of what is new, worked out once a tick.
func (s *scene) collisions() []couple {
	if !s.collided {
		s.collided, s.clashing = true, s.couples(0, s.collide)
	}
	return s.clashing
}

// has reports whether an event is one of the couple, which speaks for both unless
// the person wants to hear no more of it.
func (s *scene) has(c couple, o subconscious.Observation) bool {
	return (c.a.Ref() == o.Ref() || c.b.Ref() == o.Ref()) && !s.closed[subconscious.PairKey(c.a.Key(), c.b.Key())]
}

// inClash reports whether a clash speaks for the event, in this tick or in an
// entry that is being followed.
func (s *scene) inClash(o subconscious.Observation) bool {
	ref := o.Ref()
	return slices.ContainsFunc(s.collisions(), func(c couple) bool { return s.has(c, o) }) ||
		slices.ContainsFunc(s.entries, func(e subconscious.Entry) bool {
			a, b, ok := s.two(e)
			return ok && e.Rule == "oracle.clash" && !e.Over && (a.Ref() == ref || b.Ref() == ref) && s.collide(a, b)
		})
}

func clashes(s *scene) (out []noticed) {
	found := s.collisions()
	days := map[string]int{}
	for _, c := range found {
		days[s.day(c.a.Due)]++
	}
	programme := map[string]bool{}
	for _, c := range found {
		day := s.day(c.a.Due)
		words := say("Clash on %s: %s %s and %s %s", day,
			prose(s.eventName(c.a)), s.hours(c.a, c.a.Due), prose(s.eventName(c.b)), s.hours(c.b, c.a.Due))
		if days[day] > clashesADay {
			if programme[day] {
				continue
			}
			programme[day] = true
			words = say("Many events overlap on %s, the first of them %s %s and %s %s", day,
				prose(s.eventName(c.a)), s.hours(c.a, c.a.Due), prose(s.eventName(c.b)), s.hours(c.b, c.a.Due))
		}
		importance := s.nearness(c.a, 5)
		if !certain(c) {
			importance -= 2
		}
		reason := ""
		if s.tellsClash(c) {
			reason = "two events are at once, within a day"
		}
		out = append(out, notice(subconscious.KindRisk, importance, words, c.a, c.b).until(c.a.Due).tell(reason))
	}
	return out
}

// certain: the person takes part in both for certain, and does not live with
// the clash from week to week.
func certain(c couple) bool { return sure(c.a) && sure(c.b) && !habitual(c) }

// tellsClash reports whether the person should be told of a clash now.
func (s *scene) tellsClash(c couple) bool {
	return certain(c) && c.a.Due.Sub(s.at) <= 24*time.Hour && s.timely(c.a, c.b)
}

// clashTells reports whether the person is told now of a clash that an event is
// part of, which says all that matters of it.
func (s *scene) clashTells(o subconscious.Observation) bool {
	return slices.ContainsFunc(s.collisions(), func(c couple) bool {
		return s.has(c, o) && s.tellsClash(c)
	})
}

// timely reports whether a person should be told of what events come to now:
// something happened to one of them, or a day before them began. That they come
// nearer still is told by their own.
func (s *scene) timely(events ...subconscious.Observation) bool {
	return slices.ContainsFunc(s.news, func(o subconscious.Observation) bool {
		return slices.ContainsFunc(events, func(e subconscious.Observation) bool { return e.Ref() == o.Ref() }) &&
			(!o.BandOnly || s.band(o) == subconscious.Band24h)
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
