package reflex

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

const (
	// quietLong is from how many working days on it counts more that nobody
	// answers, and quietOld from how many on nobody needs to be told.
	quietLong, quietOld = 7, 10
)

// ownMail is a mail that concerns the person themselves.
func ownMail(s *scene, o subconscious.Observation) noticed {
	importance, reason := s.mailWorth(o)
	if importance == 0 || s.merelyRead(o) && s.holding(o) {
		return noticed{}
	}
	return notice(subconscious.KindObservation, importance, letterWords(o), o).until(o.Due).tell(reason)
}

// mailWorth is what a mail counts by its score, and why the person should be told
// of it; 0 is not worth a word.
func (s *scene) mailWorth(o subconscious.Observation) (importance int, reason string) {
	switch {
	case s.unweighed(o):
		return 0, ""
	case on(o, "seen"):
		if o.Kind == "request" && known(o) > 0 {
			return 4, ""
		}
		return 0, ""
	}
	return s.scored(o, s.habits.Of(strings.Fields(o.Attrs[subconscious.HabitAttr]), s.at))
}

// scored is what a mail counts by its score and by what is learnt of such mails.
func (s *scene) scored(o subconscious.Observation, habit int) (importance int, reason string) {
	judged := score.Letters.Judge(s.letter(o), habit)
	importance, reason = worthOf(judged)
	// Less than it is sure of: a push too many costs more than a line of a digest.
	importance = min(importance, max((judged.Percent-doubt)/10, 3))
	if judged.Percent < letterFrom {
		reason = ""
	}
	if on(o, "forged") {
		importance = min(importance, forged)
	}
	return importance, reason
}

// doubt is by how many points of a hundred a letter counts less than its score says.
const doubt = 3

// letterFrom is the score, in per cent, from which on a letter is worth a line of the
// digest.
const letterFrom = 55

// forged is the most that a mail counts of somebody who is not who they say: a line
// of the digest.
const forged = 6

// passes reports whether a mail brings a code to sign in with, which lasts minutes:
// the person waits for it in front of the page, or has no use for it.
func passes(o subconscious.Observation) bool {
	return on(o, "automated") && slices.Contains(strings.Fields(o.Attrs["says"]), "codes") && strings.Contains(o.Title+o.Text, "[redacted:code]")
}

// unweighed reports whether a mail is none to be weighed: the person's own, junk, an
// invitation, a code, what takes back another, or what came and went.
func (s *scene) unweighed(o subconscious.Observation) bool {
	return threads.OwnMail(o) || on(o, "junk") || on(o, "retracts") || passes(o) || s.invites(o) || o.Kind != "mail" && !o.Stands()
}

// Weigh returns what the rules of that name say of each mail that is new to them
// and that nobody read yet, also where it is worth no word.
func Weigh(snapshot subconscious.Snapshot, name subconscious.ThreadName) (all []threads.Weighed) {
	s := newScene(snapshot, name)
	for _, o := range s.of("mail") {
		if s.unweighed(o) || on(o, "seen") {
			continue
		}
		importance, reason := s.mailWorth(o)
		f := notice(subconscious.KindObservation, importance, letterWords(o), o).until(o.Due).tell(reason).Finding
		f.Rule = threads.LetterRule
		without, _ := s.scored(o, 0)
		all = append(all, threads.Weighed{Finding: f, Habit: importance - without})
	}
	return all
}

// invites reports whether a mail brings an invitation that the calendar holds,
// which tells of it.
func (s *scene) invites(o subconscious.Observation) bool {
	return slices.ContainsFunc(o.Links, func(link string) bool {
		if !strings.HasPrefix(link, "uid:") {
			return false
		}
		observations, _ := s.world.Sharing(link, sharingSeen)
		return slices.ContainsFunc(observations, func(other subconscious.Observation) bool { return other.Sense == "calendar" })
	})
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

// quietMail says that nothing has come of a mail for so many working days. What is
// older than two weeks when it is first seen is no news to the person.
func (s *scene) quietMail(o subconscious.Observation, kind subconscious.Kind, format, reason string) noticed {
	importance := 3 // for the inbox
	switch days := threads.WorkingDays(threads.Written(o), s.at.In(s.zone)); {
	case days < threads.QuietDays:
		return noticed{}
	case days >= quietOld:
		reason = ""
	case days >= quietLong:
		importance = 4
	}
	return notice(kind, importance, say(format, reader(o), s.day(threads.Written(o)), prose(subject(o))), o).tell(reason)
}

// gotDate: it has a date by now, with which it is the oracle's.
func gotDate(_ *scene, o subconscious.Observation) bool { return !o.Due.IsZero() }
