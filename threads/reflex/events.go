package reflex

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// events returns the events that are new or came into another band of time, and
// that the person has not declined.
func (s *scene) events() (list []subconscious.Observation) {
	for _, o := range s.of("calendar") {
		if o.Stands() && !o.Due.IsZero() && wanted(o) {
			list = append(list, o)
		}
	}
	return list
}

// wanted: it takes place, and the person has not declined it.
func wanted(o subconscious.Observation) bool {
	return o.Sense == "calendar" && o.Attrs["partstat"] != "declined" && o.Attrs["status"] != "cancelled"
}

func allDay(o subconscious.Observation) bool { return o.Attrs["all_day"] == "true" }

// attended reports whether the person is expected there at a time of day: not
// all day, not shown as free, not declined.
func attended(o subconscious.Observation) bool {
	return wanted(o) && !allDay(o) && o.Attrs["transparent"] != "free"
}

// longest is how long an event can be that fills somebody's time; a conference,
// a journey or a week on call is lived in and does not clash.
const longest = 12 * time.Hour

func takesTime(o subconscious.Observation) bool {
	start, end := span(o)
	return attended(o) && end.Sub(start) < longest
}

// sure reports whether it is settled that the person takes part.
func sure(o subconscious.Observation) bool {
	return o.Attrs["status"] != "tentative" && (o.Attrs["partstat"] == "" || o.Attrs["partstat"] == "accepted")
}

func recurs(o subconscious.Observation) bool { return o.Attrs["recurring"] == "true" }

// span is when an event begins and ends. Without an end, or with one before its
// beginning, it has no length.
func span(o subconscious.Observation) (start, end time.Time) {
	end, ok := moment(o, "end")
	if !ok || end.Before(o.Due) {
		end = o.Due
	}
	return o.Due, end
}

// dated finds the date that the calendar writes behind an event's name.
var dated = lazy.Regexp(`, (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [0-9]{1,2} [A-Z][a-z]{2}`)

// eventName is the event's own name: its title up to the date behind it.
func (s *scene) eventName(o subconscious.Observation) string {
	if i := strings.LastIndex(o.Title, ", "+o.Due.In(s.zone).Format(dayLayout)); i > 0 {
		return o.Title[:i]
	}
	if found := dated().FindAllStringIndex(o.Title, -1); len(found) > 0 && found[len(found)-1][0] > 0 {
		return o.Title[:found[len(found)-1][0]]
	}
	return o.Title
}

// hours writes an event's times, "10:00–10:45", with the day only where it is
// not that of beside.
func (s *scene) hours(o subconscious.Observation, beside time.Time) string {
	start, end := span(o)
	text := s.beside(start, beside)
	if end.After(start) {
		text += "–" + s.beside(end, start)
	}
	return text
}

// appointment writes when an event is: "Mon 23 Nov 10:00–10:45".
func (s *scene) appointment(o subconscious.Observation) string {
	if allDay(o) {
		return s.day(o.Due) + ", all day"
	}
	return s.day(o.Due) + " " + s.hours(o, o.Due)
}

// inOrder returns two events with the earlier one first.
func inOrder(a, b subconscious.Observation) (first, second subconscious.Observation) {
	if b.Due.Before(a.Due) || b.Due.Equal(a.Due) && b.Ref() < a.Ref() {
		return b, a
	}
	return a, b
}

func overlap(a, b subconscious.Observation) bool {
	startA, endA := span(a)
	startB, endB := span(b)
	return startA.Before(endB) && startB.Before(endA)
}

// seenAtOnce bounds how many standing observations are looked at in one stretch of
// time beside an event.
const seenAtOnce = 64

// neighbours calls yield for other events that fill the person's time and begin
// less than longest before o, or until reach after its end, the nearest
// stretches first, until it returns false.
func (s *scene) neighbours(o subconscious.Observation, reach time.Duration, yield func(subconscious.Observation) bool) {
	start, end := span(o)
	for _, stretch := range [...][2]time.Time{
		{start, end.Add(reach).Add(time.Nanosecond)}, {start.Add(-2 * time.Hour), start}, {start.Add(-longest), start.Add(-2 * time.Hour)},
	} {
		more := true
		s.due(stretch[0], stretch[1], seenAtOnce, func(other subconscious.Observation) bool {
			if other.Ref() != o.Ref() && takesTime(other) {
				more = yield(other)
			}
			return more
		})
		if !more || s.visits <= 0 {
			return
		}
	}
}

// uid is the link of the series that an event belongs to, "" where it has none.
func uid(o subconscious.Observation) string {
	for _, link := range o.Links {
		if o.Sense == "calendar" && strings.HasPrefix(link, "uid:") {
			return link
		}
	}
	return ""
}

// seriesSeen bounds how many occurrences of a series are looked at.
const seriesSeen = 40

// interval is how long after an occurrence the next one of its series stands;
// ok is false where none does.
func (s *scene) interval(o subconscious.Observation) (interval time.Duration, ok bool) {
	link := uid(o)
	if !recurs(o) || link == "" {
		return 0, false
	}
	others, _ := s.world.Sharing(link, seriesSeen)
	for _, other := range others {
		if ahead := other.Due.Sub(o.Due); other.Sense == "calendar" && ahead > 0 && (!ok || ahead < interval) {
			interval, ok = ahead, true
		}
	}
	return interval, ok
}

// routine reports whether an event comes again within the week: nobody prepares
// for it each time.
func (s *scene) routine(o subconscious.Observation) bool {
	interval, ok := s.interval(o)
	return ok && interval < 6*24*time.Hour
}

// nearness raises what lies within three days by one, within a day by two.
func (s *scene) nearness(o subconscious.Observation, plain int) int {
	switch ahead := o.Due.Sub(s.at); {
	case ahead <= 24*time.Hour:
		return plain + 2
	case ahead <= 72*time.Hour:
		return plain + 1
	}
	return plain
}

// band is the band of time that an event is in.
func (s *scene) band(o subconscious.Observation) subconscious.Band {
	return subconscious.TimeBand(o.Due, s.at)
}

// one returns the standing event that an entry is about, where that is all.
func (s *scene) one(e subconscious.Entry) (subconscious.Observation, bool) {
	observations, _ := s.standing(e)
	if len(observations) == 0 || observations[0].Key() != e.Incident {
		return subconscious.Observation{}, false
	}
	return observations[0], true
}

// two returns the two standing events that an entry is about.
func (s *scene) two(e subconscious.Entry) (a, b subconscious.Observation, ok bool) {
	observations, _ := s.standing(e)
	if len(observations) < 2 || !e.Incident.IsPair() {
		return a, b, false
	}
	a, b = inOrder(observations[0], observations[1])
	return a, b, true
}
