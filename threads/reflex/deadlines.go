package reflex

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// deadline: one is taken in when it is first written, whatever its date, and
// again in each band of time. What a stranger's mail sets counts for less; see
// most.
func deadline(s *scene, o subconscious.Observation) noticed {
	if !isDeadline(o) || s.merelyRead(o) && s.holding(o) || s.noted(o) || scored(o) {
		return noticed{}
	}
	importance, lead, reason := s.dueWorth(o)
	if o.Sense == "mail" {
		most, tell := s.most(o)
		// What is not pushed at the end is told once, a day before it.
		late := most < 7 && o.BandOnly && s.band(o) != subconscious.Band24h
		if importance = min(importance, most); !tell || late {
			reason = ""
		}
	}
	if stranger(o) {
		importance, reason = min(importance, 4), ""
	}
	if s.scheduled(o) {
		reason = ""
	}
	return notice(subconscious.KindDeadline, importance, s.deadlineWords(o, lead), o).until(o.Due).tell(reason)
}

// scored reports whether it is a letter of somebody the person does not write to
// whose day comes while the letter is new: its score tells of it.
func scored(o subconscious.Observation) bool {
	return o.Sense == "mail" && !threads.OwnMail(o) && known(o) == 0 && o.Due.Sub(threads.Written(o)) < 48*time.Hour
}

// isDeadline reports whether something has to be done by a time. The calendar's
// are events; when an answer is wanted is the other's deadline.
func isDeadline(o subconscious.Observation) bool {
	switch {
	case !o.Stands() || o.Due.IsZero() || passes(o) || o.Sense == "calendar" || o.Sense == "health":
		return false
	case o.Sense == "mail":
		return o.Kind == "request" || o.Kind == "deadline" || o.Kind == "promise"
	}
	return true
}

// noted reports whether the person wrote into their notes what they promised in
// a mail or a conversation, or somebody they write to asks.
func (s *scene) noted(o subconscious.Observation) (found bool) {
	if !owed(o) {
		return false
	}
	s.due(o.Due.Add(-24*time.Hour), o.Due.Add(24*time.Hour), seenAtOnce, func(other subconscious.Observation) bool {
		found = s.speaks(other, o)
		return !found
	})
	return found
}

// owed: the person promised it, or somebody they write to asks it.
func owed(o subconscious.Observation) bool {
	return threads.OwnMail(o) || threads.SaidPromise(o) || known(o) > 0
}

// speaks reports whether a note speaks for what is promised or asked elsewhere, for it
// can be ticked off: it is due on that day, with a telling word of it, or a name of the
// other.
func (s *scene) speaks(note, o subconscious.Observation) bool {
	if !owed(o) || !open(note) || note.Sense == "mail" || note.Sense == "conversation" || o.Due.IsZero() || !s.sameDay(note.Due, o.Due) {
		return false
	}
	words, names := s.spoken(o), terms(cmp.Or(o.Attrs["from_name"], recipient(o)))
	return slices.ContainsFunc(s.spoken(note), func(term string) bool {
		return slices.Contains(names, term) || utf8.RuneCountInString(term) >= telling && slices.Contains(words, term)
	})
}

// sameStart is how far apart something to do and an event can begin and be one thing.
const sameStart = 15 * time.Minute

// scheduled reports whether the calendar holds what the person wrote down: an event
// that begins then, or did before it was moved, with a word of it or of its note's name.
func (s *scene) scheduled(o subconscious.Observation) (found bool) {
	if o.Sense == "mail" || !s.timed(o) {
		return false
	}
	words := s.spoken(o)
	if s.rings(o) {
		name, _, _ := strings.Cut(path.Base(o.ID), "#")
		words = append(words, terms(strings.TrimSuffix(name, path.Ext(name)))...)
	}
	s.due(o.Due.Add(-24*time.Hour), o.Due.Add(24*time.Hour), seenAtOnce, func(event subconscious.Observation) bool {
		before, moved := moment(event, "moved_from")
		then := event.Due.Sub(o.Due).Abs() <= sameStart || moved && before.Sub(o.Due).Abs() <= sameStart
		found = then && wanted(event) && shares(terms(s.eventName(event)), words)
		return !found
	})
	return found
}

// dueWorth is what a deadline counts by its nearness, how it is told, and why.
func (s *scene) dueWorth(o subconscious.Observation) (importance int, lead, reason string) {
	theirs := o.Sense == "mail" && !threads.OwnMail(o)
	alarm := s.rings(o)
	switch subconscious.TimeBand(o.Due, s.at) {
	case subconscious.Band72h:
		return 5, "Due", ""
	case subconscious.Band24h:
		if theirs && !on(o, "seen") {
			return 7, "Due", "it is due within a day"
		}
		return 6, "Due", "it is due within a day"
	case subconscious.Band2h:
		if threads.OwnMail(o) && !s.timed(o) { // no two hours that anybody named
			return 6, "Due", ""
		}
		// It was asked for a day before, or the person wrote it a moment ago.
		if theirs && o.BandOnly && !on(o, "seen") || alarm && !o.BandOnly {
			return 7, "Due", ""
		}
		return 7, "Due", "it is due within two hours"
	case subconscious.Band15m:
		if alarm && s.writtenLate(o) {
			return 8, "Due", "it is due in a moment"
		}
		if alarm || o.BandOnly { // it was asked for two hours before
			return 8, "Due", ""
		}
		return 8, "Due", "it is due now"
	case subconscious.BandNow:
		if o.BandOnly && !alarm {
			return 8, "Due", ""
		}
		return 8, "Due", "it is due now"
	case subconscious.BandPast:
		switch {
		case theirs && o.Kind == "deadline": // for all that is known it was paid
			return 4, "Was due", ""
		case s.at.Sub(o.Due) > 24*time.Hour:
			return 5, "Overdue since", ""
		}
		return 6, "Overdue since", "its time has passed, and it is still open"
	}
	return 4, "Due", ""
}

func (s *scene) deadlineWords(o subconscious.Observation, lead string) string {
	dateText := o.Attrs["date_text"]
	when := s.dueWords(o, dateText)
	switch {
	case o.Sense != "mail":
		return say("%s %s: %s", lead, when, prose(withoutDate(o.Title, dateText)))
	case threads.OwnMail(o) && lead == "Due":
		return say("Promised to %s, %s: %s", reader(o), when, prose(withoutDate(subject(o), dateText)))
	case threads.OwnMail(o):
		return say("%s %s, promised to %s: %s", lead, when, reader(o), prose(withoutDate(subject(o), dateText)))
	}
	return say("%s %s: %s: “%s”", lead, when, sender(o), sentence(o))
}

// dayEnd is when what names a day and no time is due.
const dayEnd = "18:00"

var timeOfDay = lazy.Regexp(`(?i)\b18\b|\b6 ?p|\b6:00|\bsix\b|\bsechs\b|\bseis\b`)

// writtenLate reports whether something was written less than two hours before its
// time, so that nobody was told two hours before, and no less than half an hour.
func (s *scene) writtenLate(o subconscious.Observation) bool {
	return o.BandOnly && slices.ContainsFunc(s.field.History[o.Ref()], func(past subconscious.Occurrence) bool {
		return past.Change == subconscious.Appeared && o.Due.Sub(past.At) < 2*time.Hour && o.Due.Sub(past.At) >= 30*time.Minute
	})
}

// rings reports whether the person set a time at which to hear of it, as they wrote
// it down for themselves, and no time by which to have done it.
func (s *scene) rings(o subconscious.Observation) bool {
	return threads.Fact(o) && o.Sense != "mail" && s.timed(o) &&
		!slices.ContainsFunc(strings.Fields(strings.ToLower(o.Attrs["date_text"])), func(word string) bool { return limitWords()[word] })
}

// timed reports whether somebody wrote a time of day.
func (s *scene) timed(o subconscious.Observation) bool {
	return strings.Contains(s.dueWords(o, o.Attrs["date_text"]), ":")
}

// dueWords is the day alone where nobody wrote a time of day.
func (s *scene) dueWords(o subconscious.Observation, dateText string) string {
	if s.clock(o.Due) == dayEnd && !timeOfDay().MatchString(cmp.Or(dateText, o.Title)) {
		return s.day(o.Due)
	}
	return s.when(o.Due)
}

func deadlineOver(s *scene, o subconscious.Observation) bool {
	return o.Due.IsZero()
}

// withoutDate leaves the date out of what was promised, for it is said before; but not
// where the sentence goes on behind it without a pause.
func withoutDate(title, dateText string) string {
	i := strings.LastIndex(title, dateText)
	if dateText == "" || i < 0 {
		return title
	}
	first := strings.Fields(strings.TrimRight(title[:i], " ,.;:–-("))
	for len(first) > 1 && leadingWords()[strings.ToLower(strings.Trim(first[len(first)-1], ".:,("))] {
		first = first[:len(first)-1]
	}
	text := strings.TrimRight(strings.Join(first, " "), " ,.;:–-(")
	behind := strings.TrimLeft(title[i+len(dateText):], " ")
	rest := strings.TrimLeft(behind, " ,.;:–-)")
	pause := strings.TrimRight(behind[:len(behind)-len(rest)], " ")
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case text == "" || rest == "":
		return cmp.Or(text, rest, title)
	case pause == "" && unicode.IsLower(next):
		return title
	case strings.ContainsAny(pause, "–-"):
		pause = " " + pause
	}
	return text + strings.TrimLeft(pause, ")") + " " + rest
}
