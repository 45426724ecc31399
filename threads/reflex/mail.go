package reflex

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

const (
	// closeFrom is how many mails of a year to somebody make them close.
	closeFrom = 3
	// quietLong is from how many working days on it counts more that nobody
	// answers, and quietOld from how many on nobody needs to be told.
	quietLong, quietOld = 7, 10
	// waitedLong is after how many working days an answer is told at once.
	waitedLong = 2
)

// ownMail is a mail that concerns the person themselves.
func ownMail(s *scene, o subconscious.Observation) noticed {
	importance, reason := s.mailWorth(o)
	if importance == 0 || s.merelyRead(o) && s.holding(o) {
		return noticed{}
	}
	return notice(subconscious.KindObservation, importance, s.letterWords(o), o).until(o.Due).tell(reason)
}

// mailWorth is what a mail counts, and why the person should be told of it; 0
// is not worth a word. What machines, lists and strangers write is never told at
// once: words and headers are theirs to choose, whom the person writes to is
// not.
func (s *scene) mailWorth(o subconscious.Observation) (importance int, reason string) {
	friend, forMe := known(o), o.Attrs["addressed"] == "to"
	switch {
	case !threads.Personal(o) || threads.OwnMail(o) || s.invites(o), o.Kind != "mail" && !o.Stands(): // it came and went
		return 0, ""
	case on(o, "seen"):
		if o.Kind == "request" && friend > 0 {
			return 4, ""
		}
		return 0, ""
	case on(o, "awaited"):
		if friend == 0 || threads.ToMany(o) {
			return 5, "it answers what you asked"
		}
		if since, long := s.waited(o); long {
			return 7, "you have waited for an answer since " + s.day(since)
		}
		if o.Kind == "request" {
			return 7, "it answers what you asked, and asks you in turn"
		}
		return 6, "it answers what you asked"
	case o.Kind == "deadline" || o.Kind == "appointment": // the oracle's
		return 0, ""
	case on(o, "urgent") && friend > 0 && forMe:
		if friend >= closeFrom && o.Kind == "request" {
			return 8, "it is urgent, and from somebody you write to"
		}
		return 7, "it is urgent, and from somebody you write to"
	case o.Kind == "request" && friend > 0 && forMe && on(o, "soon"):
		return 7, "somebody you write to asks you, and it is for today or tomorrow"
	case on(o, "changes") && on(o, "soon") && friend > 0 && forMe:
		return 7, "somebody you write to says that something changes, today or tomorrow"
	case o.Kind == "request" && friend >= closeFrom:
		return 6, "somebody you write to asks you"
	case o.Kind == "request" && friend > 0:
		return 5, "somebody you write to asks you"
	case o.Kind == "request" && s.named(o):
		return 5, "it comes from where your notes or your calendar name"
	case o.Kind == "request":
		return 4, ""
	case friend > 0 && forMe:
		return 3, ""
	}
	return 0, ""
}

// waited reports since when the person waited for an answer, and whether that
// was for long: their question is over with it.
func (s *scene) waited(o subconscious.Observation) (since time.Time, long bool) {
	for _, x := range s.news {
		if x.Sense == "mail" && x.Kind == "awaiting" && !x.Stands() && x.Key() == o.Key() {
			since = threads.Written(x)
			return since, threads.WorkingDays(since, s.at.In(s.zone)) >= waitedLong
		}
	}
	return since, false
}

// invites reports whether a mail brings an invitation that the calendar holds,
// which tells of it.
func (s *scene) invites(o subconscious.Observation) bool {
	for _, link := range o.Links {
		if !hasScheme(link, []string{"uid:"}) {
			continue
		}
		observations, _ := s.world.Sharing(link, sharingSeen)
		for _, other := range observations {
			if other.Sense == "calendar" {
				return true
			}
		}
	}
	return false
}

func (s *scene) letterWords(o subconscious.Observation) string {
	lead := "Mail from"
	switch {
	case on(o, "awaited"):
		lead = "Answer from"
	case on(o, "urgent") && known(o) > 0 && o.Kind == "request":
		lead = "Urgent request from"
	case on(o, "urgent") && known(o) > 0:
		lead = "Urgent mail from"
	case on(o, "changes") && on(o, "soon") && known(o) > 0:
		lead = "Change from"
	case o.Kind == "request":
		lead = "Request from"
	}
	if dateText := o.Attrs["date_text"]; !o.Due.IsZero() && o.Kind == "request" {
		return say("%s %s, due %s: %s", lead, sender(o), s.dueWords(o, dateText), prose(withoutDate(subject(o), dateText)))
	}
	return say("%s %s: %s", lead, sender(o), prose(subject(o)))
}

// mailOver: the person read it, and nothing of it is left to do.
func mailOver(s *scene, o subconscious.Observation) bool {
	if o.Sense != "mail" {
		return false
	}
	importance, _ := s.mailWorth(o)
	return importance == 0
}

// unansweredMail is a question of the person's that nobody has answered for days.
func unansweredMail(s *scene, o subconscious.Observation) noticed {
	if o.Kind != "awaiting" || !o.Stands() {
		return noticed{}
	}
	return s.quietMail(o, subconscious.KindStale, "No answer from %s since %s: %s", "you asked, and nobody has answered")
}

// promisedMail is a promise of the person's in a mail without a date. One with a
// date is the oracle's.
func promisedMail(s *scene, o subconscious.Observation) noticed {
	if o.Kind != "promise" || !o.Stands() || !o.Due.IsZero() {
		return noticed{}
	}
	return s.quietMail(o, subconscious.KindForgotten, "Promised to %s on %s, and open: %s", "you promised it, and have not written since")
}

func (s *scene) quietMail(o subconscious.Observation, kind subconscious.Kind, format, reason string) noticed {
	importance, told, long := s.quietFor(o)
	if !long {
		return noticed{}
	}
	if !told {
		reason = ""
	}
	return notice(kind, importance, say(format, reader(o), s.day(threads.Written(o)), prose(subject(o))), o).tell(reason)
}

// quietFor is what it counts that nothing has come of a mail for so many working
// days, and whether the person is told: what is older than two weeks when it is
// first seen is no news to them.
func (s *scene) quietFor(o subconscious.Observation) (importance int, told, long bool) {
	switch days := threads.WorkingDays(threads.Written(o), s.at.In(s.zone)); {
	case days < threads.QuietDays:
		return 0, false, false
	case days < quietLong:
		return 4, true, true
	case days < quietOld:
		return 5, true, true
	}
	return 4, false, true
}

// gotDate: it has a date by now, with which it is the oracle's.
func gotDate(_ *scene, o subconscious.Observation) bool { return !o.Due.IsZero() }
