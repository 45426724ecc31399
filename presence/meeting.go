package presence

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxEvents is how many observations Running looks at.
	maxEvents = 10_000
	// maxName is how many characters of a meeting's name are shown.
	maxName = 60
)

// Meeting is an event that is on.
type Meeting struct {
	Event      subconscious.Observation
	Name       string // one line, at most 60 characters, without the time
	Start, End time.Time
}

// Running returns the meetings among the events that are on at the time: from
// their start, up to and without their end, the earliest first.
//
// Meetings are events of the calendar that the owner has: not those that they
// declined, did not answer or handed on, are free in, that were cancelled, that
// are all-day, last a day or longer, or have no end. An invitation that nobody
// answered does not count, for it could be a stranger's, who would have the
// mind keep still by it.
//
// An event of the sense "calendar" stands only until it begins; the ledger then
// ends it, and keeps it with its attributes. So an event that no longer stands
// is on where it ended to stand at its start or later, and was cancelled where
// it did so before.
func Running(events []subconscious.Observation, at time.Time) []Meeting {
	var running []Meeting
	for _, event := range events[:min(len(events), maxEvents)] {
		if m, ok := meetingOf(event, at.Location()); ok && !at.Before(m.Start) && at.Before(m.End) {
			running = append(running, m)
		}
	}
	slices.SortFunc(running, func(a, b Meeting) int {
		return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Event.ID, b.Event.ID))
	})
	return running
}

// meetingOf reads an event. ok is false where it is no meeting of the owner.
func meetingOf(event subconscious.Observation, zone *time.Location) (m Meeting, ok bool) {
	if event.Sense != "calendar" || event.Kind != "event" || !attends(event.Attrs) {
		return m, false
	}
	start, err := time.Parse(time.RFC3339, event.Attrs["start"])
	if err != nil {
		return m, false
	}
	end, err := time.Parse(time.RFC3339, event.Attrs["end"])
	if err != nil || !end.After(start) || daylong(start, end, zone) {
		return m, false
	}
	if !event.Stands() && event.At.Before(start) {
		return m, false
	}
	return Meeting{Event: event, Name: name(event.Title, start), Start: start.In(zone), End: end.In(zone)}, true
}

// attends reports whether the owner is taken to be there.
func attends(attrs map[string]string) bool {
	if attrs["transparent"] == "free" || attrs["status"] == "cancelled" || attrs["all_day"] == "true" {
		return false
	}
	switch attrs["partstat"] {
	case "", "accepted", "tentative": // no answer is asked of who put it there
		return true
	default:
		return false
	}
}

// daylong reports whether something lasts a day or longer, on the clock or
// counted: the days of a clock change have 23 and 25 hours.
func daylong(start, end time.Time, zone *time.Location) bool {
	return end.Sub(start) >= 24*time.Hour || !end.Before(start.In(zone).AddDate(0, 0, 1))
}

// name is a title as the calendar writes it, without the time and what follows.
func name(title string, start time.Time) string {
	if at := strings.LastIndex(title, ", "+start.Format("Mon 2 Jan 15:04")); at > 0 {
		title = title[:at]
	}
	const read = 1 << 10 // bytes of a title that are looked at
	if len(title) > read {
		title = title[:read]
	}
	line := strings.Join(strings.Fields(subconscious.Printable(title)), " ")
	line = strings.NewReplacer("“", "'", "”", "'").Replace(line)
	if line == "" {
		return "an event without a name"
	}
	if letters := []rune(line); len(letters) > maxName {
		return strings.TrimRight(string(letters[:maxName-1]), " ") + "…"
	}
	return line
}
