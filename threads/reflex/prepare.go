package reflex

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// open reports whether something is still to be done: in the notes, by a promise
// in a mail or a conversation, or because somebody asks whom the person writes to.
func open(o subconscious.Observation) bool {
	switch o.Sense {
	case "notes", "mail":
		return o.Kind == "promise" || o.Sense == "mail" && o.Kind == "request" && known(o) > 0 && threads.Personal(o)
	}
	return o.Sense == "person" || threads.SaidPromise(o) && !stranger(o)
}

// toPrepare reports whether an event of the next three days is one to prepare
// for.
func (s *scene) toPrepare(o subconscious.Observation) bool {
	_, end := span(o)
	return wanted(o) && (allDay(o) || attended(o)) && o.Due.Sub(s.at) <= 72*time.Hour && end.After(s.at) && !s.routine(o)
}

// preparations join an event of the next three days with what is open and has
// to do with it: one an event. Either of them may be what is new.
func preparations(s *scene) (out []noticed) {
	told := map[subconscious.Ref]bool{}
	for _, m := range s.matches() {
		if told[m.event.Ref()] {
			continue
		}
		told[m.event.Ref()] = true
		fresh, other := m.event, m.todo
		if !s.isNew(fresh) {
			fresh, other = other, fresh
		}
		out = append(out, s.preparation(m.event, m.todo, s.about(fresh, other)))
	}
	return out
}

// match is an event and something open that has to do with it.
type match struct {
	event, todo subconscious.Observation
	score       int
}

// matches are all of them that something new takes part in, the closest first.
func (s *scene) matches() []match {
	var found []match
	fits := func(event, todo subconscious.Observation) bool {
		_, end := span(event)
		return open(todo) && event.Due.After(s.at) && s.toPrepare(event) && !s.scheduled(todo) &&
			(todo.Due.IsZero() || !todo.Due.After(end) && todo.Due.After(s.at))
	}
	for _, o := range s.news {
		if !o.Stands() || o.Due.IsZero() && !open(o) {
			continue
		}
		isTodo := open(o) && o.Change == subconscious.Appeared && !o.BandOnly
		for _, x := range s.sharing(o, func(other subconscious.Observation) bool {
			return (fits(o, other) || isTodo && fits(other, o)) && s.citable(o, other)
		}) {
			m := match{o, x.other, x.score}
			if open(o) {
				m.event, m.todo = m.todo, m.event
			}
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), compareDue(a.event, b.event), strings.Compare(a.event.Title, b.event.Title),
			compareDue(a.todo, b.todo), strings.Compare(a.todo.Title, b.todo.Title), cmp.Compare(a.event.Ref(), b.event.Ref()), cmp.Compare(a.todo.Ref(), b.todo.Ref()))
	})
	return found
}

// about is which of the two an entry that rests on both is about already, else
// the one that is new.
func (s *scene) about(fresh, other subconscious.Observation) subconscious.Observation {
	for _, e := range s.entries {
		if e.Incident == other.Key() && s.holding(fresh, other) {
			return other
		}
	}
	return fresh
}

func (s *scene) preparation(event, todo, first subconscious.Observation) noticed {
	second := todo
	if first.Ref() == todo.Ref() {
		second = event
	}
	importance, reason := s.nearness(event, 4), ""
	switch near := s.band(event).Rank(); {
	case allDay(event):
	case near >= subconscious.Band15m.Rank():
		importance = 8
		if sure(event) && s.timely(event, todo) { // else it was asked for two hours before
			reason = "it begins within 15 minutes, and this is still open"
		}
	case near >= subconscious.Band2h.Rank():
		importance, reason = 7, "it begins within two hours, and this is still open"
	case near >= subconscious.Band24h.Rank():
		reason = "it is within a day, and this is still open"
	}
	when := s.when(event.Due)
	if allDay(event) {
		when = s.day(event.Due)
	}
	what := todo.Title
	if todo.Sense == "mail" {
		what = task(todo)
	}
	return notice(subconscious.KindPreparation, importance,
		say("Before %s, %s: %s", prose(s.eventName(event)), when, prose(what)), first, second).until(event.Due).tell(reason)
}

// preparationOver: the event is none to prepare for any more, what was open is
// done, or the two have nothing to do with each other.
func preparationOver(s *scene, e subconscious.Entry) bool {
	observations, complete := s.standing(e)
	if len(e.Evidence) < 2 {
		return false
	}
	if !complete {
		return true
	}
	event, todo := observations[0], observations[1]
	if open(event) {
		event, todo = todo, event
	}
	return !wanted(event) || !open(todo) || event.Due.Sub(s.at) > 72*time.Hour || !s.alike(event, todo)
}
