package reflex

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// plainWorth is what an event counts that is nothing but an event: too little
// to be kept, so that five meetings do not fill the list.
const plainWorth = 2

// nearWorth is what an event counts from two hours before it: too little for a push,
// since calendars remind of themselves.
const nearWorth = 5

// birthday reports whether an event is a birthday, as its calendar says or its name.
func birthday(o subconscious.Observation) bool {
	if o.Attrs["event"] == "birthday" {
		return true
	}
	return allDay(o) && recurs(o) && slices.ContainsFunc(splitWords(strings.ToLower(o.Title)), func(word string) bool { return birthdayWords()[word] })
}

// eventWorth is what an event counts by its nearness; 0 is not worth a word.
func (s *scene) eventWorth(o subconscious.Observation) int {
	near := s.band(o).Rank()
	switch {
	case allDay(o) && near < subconscious.Band2h.Rank():
		return plainWorth
	case allDay(o) && o.Attrs["transparent"] == "free" && !birthday(o):
		return 3
	case allDay(o):
		return 4
	case !attended(o) || near >= subconscious.BandPast.Rank():
		return 0
	case near >= subconscious.Band15m.Rank():
		return 6
	case near >= subconscious.Band2h.Rank():
		return nearWorth
	}
	return plainWorth
}

func nearEvent(s *scene, o subconscious.Observation) noticed {
	worth := s.eventWorth(o)
	// The day of an all-day event is told once, on the evening before.
	again := allDay(o) && o.BandOnly && s.band(o).Rank() > subconscious.Band2h.Rank()
	// What was near and was put off ends instead; see eventOver.
	if worth == 0 || again || worth == plainWorth && s.holding(o) {
		return noticed{}
	}
	if worth > plainWorth && !allDay(o) && s.inClash(o) {
		worth = plainWorth // the clash tells of it
	}
	if worth > plainWorth && birthday(o) {
		_, end := span(o)
		return notice(subconscious.KindEvent, worth, s.eventWords(o), o).until(end).tell("it is a birthday")
	}
	return notice(subconscious.KindEvent, worth, s.eventWords(o), o).until(o.Due)
}

func (s *scene) eventWords(o subconscious.Observation) string {
	if place := placeName(o); place != "" {
		return say("%s, %s (%s)", prose(s.eventName(o)), s.appointment(o), prose(place))
	}
	return say("%s, %s", prose(s.eventName(o)), s.appointment(o))
}

func eventOver(s *scene, o subconscious.Observation) bool {
	return !wanted(o) || s.eventWorth(o) <= plainWorth
}

// movedEvent is told once. That an occurrence was planned off the usual time
// of its series is the oracle's; see unusual.
func movedEvent(s *scene, o subconscious.Observation) noticed {
	before, moved := moment(o, "moved_from")
	if !moved || o.Change != subconscious.Changed || o.BandOnly || before.Equal(o.Due) || o.Attrs["transparent"] == "free" {
		return noticed{}
	}
	from, to := s.when(before), s.beside(o.Due, before)
	if allDay(o) {
		from, to = s.day(before), s.day(o.Due)
	}
	words := say("%s moved from %s to %s", prose(s.eventName(o)), from, to)
	if s.said(words) {
		return noticed{} // something else about it changed
	}
	importance, reason := 5, "it was moved"
	switch ahead := o.Due.Sub(s.at); {
	case allDay(o):
	case ahead <= 2*time.Hour:
		importance, reason = 7, "it begins within two hours, and was moved"
	case ahead <= 24*time.Hour || before.Sub(s.at) <= 24*time.Hour:
		importance, reason = 7, "it was to be within a day, and was moved"
	}
	if s.clashTells(o) {
		reason = ""
	}
	return notice(subconscious.KindObservation, importance, words, o).until(o.Due).tell(reason)
}

// takenOut is told once, whatever became of it: cancelled, deleted, or put off for
// more than the weeks that are looked at.
func takenOut(s *scene, o subconscious.Observation) noticed {
	start, ok := moment(o, "start")
	if o.Kind != "taken-out" || !ok || !start.After(s.at) || s.heldElsewhere(o) {
		return noticed{}
	}
	importance, reason := 5, "it was ahead, and no longer is"
	if start.Sub(s.at) <= 24*time.Hour {
		importance, reason = 7, "it was to be within a day"
	}
	name, when, lead := s.eventName(o), s.when(start), "No longer"
	switch o.Attrs["status"] {
	case "cancelled":
		lead = "Cancelled"
	case "put off":
		lead = "Put off for weeks"
	}
	if allDay(o) {
		when = s.day(start)
	}
	words := say("%s in your calendar: %s, %s", lead, prose(name), when)
	if o.Trust != subconscious.Owner {
		words = say("%s in the calendar %s: %s, %s", lead, prose(o.Instance), prose(name), when)
	}
	return notice(subconscious.KindObservation, importance, words, o).until(start).tell(reason)
}

// heldElsewhere reports whether another calendar, as much trusted, holds an event that
// was taken out of one.
func (s *scene) heldElsewhere(o subconscious.Observation) bool {
	holding, _ := s.world.Sharing("uid:"+o.ID[:max(0, strings.LastIndexByte(o.ID, '/'))], sharingSeen)
	return slices.ContainsFunc(holding, func(other subconscious.Observation) bool {
		return other.Sense == "calendar" && other.Instance != o.Instance && (other.Trust == subconscious.Owner || o.Trust != subconscious.Owner)
	})
}

// said reports whether an entry says exactly that.
func (s *scene) said(words string) bool {
	return slices.ContainsFunc(s.entries, func(e subconscious.Entry) bool { return e.Summary == words })
}

func movedOver(s *scene, o subconscious.Observation) bool {
	return !wanted(o) || o.Attrs["transparent"] == "free" || o.Attrs["moved_from"] == ""
}

func unusual(s *scene, o subconscious.Observation) noticed {
	usually, moved := moment(o, "moved_from")
	near := s.band(o).Rank()
	if !recurs(o) || !moved || usually.Equal(o.Due) || !attended(o) || o.Due.Sub(s.at) > s.ahead() || near >= subconscious.BandPast.Rank() {
		return noticed{}
	}
	importance, reason := 4, ""
	switch {
	case near >= subconscious.Band2h.Rank():
		importance = 6
	case near >= subconscious.Band24h.Rank():
		importance, reason = 5, "it is not at its usual time"
	}
	words := say("%s is on %s, not on %s as usual", prose(s.eventName(o)), s.when(o.Due), s.when(usually))
	if s.sameDay(o.Due, usually) {
		words = say("%s is at %s on %s, not at %s as usual", prose(s.eventName(o)), s.clock(o.Due), s.day(o.Due), s.clock(usually))
	}
	return notice(subconscious.KindRisk, importance, words, o).until(o.Due).tell(reason)
}

// ahead is how far the field looks.
func (s *scene) ahead() time.Duration { return max(s.field.Ahead, 72*time.Hour) }

func unusualOver(s *scene, o subconscious.Observation) bool {
	usually, moved := moment(o, "moved_from")
	return !moved || usually.Equal(o.Due) || !attended(o)
}

func unanswered(s *scene, o subconscious.Observation) noticed {
	if o.Attrs["partstat"] != "needs-action" || o.Due.Sub(s.at) > 72*time.Hour || s.band(o).Rank() >= subconscious.BandNow.Rank() {
		return noticed{}
	}
	importance := 4
	if o.Due.Sub(s.at) <= 24*time.Hour {
		importance = 5
	}
	return notice(subconscious.KindPreparation, importance,
		say("Invitation not answered: %s, %s", prose(s.eventName(o)), s.appointment(o)), o).until(o.Due)
}

func unansweredOver(s *scene, o subconscious.Observation) bool {
	return o.Attrs["partstat"] != "needs-action"
}
