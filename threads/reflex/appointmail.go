package reflex

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

const (
	// sameStart is how far apart an appointment in a mail and an event can begin
	// and be one thing.
	sameStart = 15 * time.Minute
	// visit is how long an appointment takes of which nobody said so.
	visit = 30 * time.Minute
)

// isAppointment reports whether a mail confirms a time at which the person is
// expected.
func isAppointment(o subconscious.Observation) bool {
	return o.Sense == "mail" && o.Kind == "appointment" && o.Stands() && !o.Due.IsZero() && !(threads.ToMany(o) && !numbered(o))
}

// visitOf is when an appointment in a mail begins and ends.
func visitOf(o subconscious.Observation) (start, end time.Time) {
	if start, end = span(o); !end.After(start) {
		end = start.Add(visit)
	}
	return start, end
}

// besideVisit calls yield for the events that the person attends at the time of an
// appointment, and the all-day ones of its day, until it returns false.
func (s *scene) besideVisit(o subconscious.Observation, yield func(subconscious.Observation) bool) {
	year, month, day := o.Due.In(s.zone).Date()
	from, to := time.Date(year, month, day, 0, 0, 0, 0, s.zone), time.Date(year, month, day+1, 0, 0, 0, 0, s.zone)
	if start := o.Due.Add(-longest); start.Before(from) {
		from = start
	}
	if late := o.Due.Add(visit); late.After(to) {
		to = late
	}
	s.due(from, to, 2*seenAtOnce, func(event subconscious.Observation) bool { return !wanted(event) || yield(event) })
}

// listed reports whether the calendar holds an appointment: an event that has a
// link in common with it, or begins with it and has a word in common, or stands
// by itself at that very time and is called like an appointment.
func (s *scene) listed(o subconscious.Observation) (found bool) {
	words := terms(subject(o) + " " + o.Text + " " + o.Attrs["from_name"] + " " + strings.ReplaceAll(o.Attrs["from"], "@", " "))
	own := terms(subject(o))
	s.besideVisit(o, func(event subconscious.Observation) bool {
		apart := event.Due.Sub(o.Due).Abs()
		near := apart <= sameStart || allDay(event) || !s.timed(o) && s.sameDay(event.Due, o.Due)
		switch {
		case slices.ContainsFunc(event.Links, func(link string) bool { return slices.Contains(o.Links, link) }):
			found = true
		case near && shares(terms(s.eventName(event)), words), near && shares(terms(event.Title+" "+event.Text+" "+event.Attrs["location"]), own):
			found = true
		case apart == 0 && !recurs(event) && s.timed(o):
			found = s.bare(event) || slices.ContainsFunc(strings.Fields(strings.ToLower(s.eventName(event))), func(word string) bool { return appointedWords()[word] })
		}
		return !found
	})
	return found
}

// bare reports whether an event's name says nothing of what it is: "Appointment".
func (s *scene) bare(event subconscious.Observation) bool { return len(terms(s.eventName(event))) == 0 }

func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(term string) bool { return slices.Contains(b, term) })
}

// rival is the event that the person attends while an appointment is, the
// nearest one.
func (s *scene) rival(o subconscious.Observation) (rival subconscious.Observation, found bool) {
	if !s.timed(o) {
		return rival, false
	}
	start, end := visitOf(o)
	s.besideVisit(o, func(event subconscious.Observation) bool {
		from, to := span(event)
		if takesTime(event) && from.Before(end) && start.Before(to) &&
			(!found || event.Due.Sub(o.Due).Abs() < rival.Due.Sub(o.Due).Abs()) {
			rival, found = event, true
		}
		return true
	})
	return rival, found
}

// appointmentsAhead are those that are new or came nearer, and those beside an
// event that is new.
func (s *scene) appointmentsAhead() (list []subconscious.Observation) {
	seen := map[subconscious.Ref]bool{}
	add := func(o subconscious.Observation) {
		if ref := o.Ref(); !seen[ref] && isAppointment(o) && o.Due.After(s.at) {
			seen[ref] = true
			list = append(list, o)
		}
	}
	for _, o := range s.of("mail") {
		add(o)
	}
	for _, event := range s.events() {
		if !takesTime(event) || event.BandOnly {
			continue
		}
		start, end := span(event)
		s.due(start.Add(-visit), end, seenAtOnce, func(o subconscious.Observation) bool {
			add(o)
			return true
		})
	}
	return list
}

// mailedAppointment is one that a mail confirms and the calendar does not hold.
func mailedAppointment(s *scene, o subconscious.Observation) noticed {
	if s.listed(o) || s.merelyRead(o) && s.holding(o) {
		return noticed{}
	}
	most, tell := s.most(o)
	importance, reason := s.nearness(o, 4), ""
	lead, told := "Not in your calendar", "it is within a day, and not in your calendar"
	if !s.keepsCalendar() {
		lead, told = "Appointment", "it is within a day"
	}
	if tell && o.Due.Sub(s.at) <= 24*time.Hour && s.timely(o) {
		reason = told
	}
	words := prose(withoutDate(subject(o), o.Attrs["date_text"]))
	when := s.dueWords(o, o.Attrs["date_text"])
	if event, meets := s.rival(o); meets {
		if importance++; reason == "" && tell && o.Due.Sub(s.at) <= 24*time.Hour && s.timely(event) {
			reason = "two appointments are at once, within a day"
		}
		n := notice(subconscious.KindRisk, min(importance, most), say("Not in your calendar, and at once with %s %s: %s, %s: %s",
			prose(s.eventName(event)), s.hours(event, o.Due), sender(o), when, words), o, event)
		return n.until(o.Due).tell(reason)
	}
	if !s.isNew(o) {
		return noticed{} // it is the event beside it that is new, and does not meet it
	}
	return notice(subconscious.KindEvent, min(importance, most),
		say("%s: %s, %s: %s", lead, sender(o), when, words), o).until(o.Due).tell(reason)
}

// keepsCalendar reports whether there is a calendar with anything in it.
func (s *scene) keepsCalendar() (found bool) {
	s.world.Of("calendar", func(subconscious.Observation) bool {
		found = true
		return false
	})
	return found
}

// mailedOver: the calendar holds it by now, or it meets an event, or no longer
// the one that it met.
func mailedOver(s *scene, e subconscious.Entry) bool {
	observations, _ := s.standing(e)
	if len(observations) == 0 || !isAppointment(observations[0]) {
		return false
	}
	if s.listed(observations[0]) {
		return true
	}
	rival, meets := s.rival(observations[0])
	if !e.Incident.IsPair() {
		return meets // which is told instead
	}
	return !meets || len(observations) < 2 || rival.Key() != observations[1].Key()
}
