package calendar

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	senseName = "calendar"
	eventKind = "event"
	// takenKind is of an event that was cancelled or taken out.
	takenKind = "taken-out"
	// statusCancelled and statusPutOff are what became of it where it is there still.
	statusCancelled, statusPutOff = "cancelled", "put off"
	// noUID and longUID begin the names of events that have no UID to go by.
	noUID, longUID = "no-uid-", "long-uid-"
	// maxNamed is how many attendees are named in the text.
	maxNamed = 20
	// A title holds at most 200 bytes, and the time in it must not be cut off.
	maxNameBytes  = 100
	maxPlaceBytes = 50
	maxTextBytes  = 4_000
	maxAttrBytes  = 250
)

// observation puts an occurrence in the words of the mind.
func (s *Sense) observation(o occurrence, at time.Time, mind *time.Location) subconscious.Observation {
	e := o.event
	item := subconscious.Observation{
		ID:       e.uid + "/" + o.original,
		Sense:    senseName,
		Instance: s.config.ID,
		Kind:     eventKind,
		At:       at,
		Title:    title(o),
		Text:     text(e),
		Due:      o.start,
		Until:    o.start,
		Trust:    s.trust(e.organizer),
		Attrs:    s.attributes(o, mind),
		Links:    links(e),
	}
	if o.allDay {
		item.Until = resolve(midnight(reading(o.start)).AddDate(0, 0, 1), mind)
	}
	item.Fingerprint = fingerprint(o, item.Attrs["partstat"])
	return item
}

// trust is whose word an event is: what somebody else organizes is an outsider's in
// every calendar.
func (s *Sense) trust(organizer person) subconscious.Trust {
	if organizer.called() != "" && !s.addresses[organizer.address] {
		return subconscious.Outsider
	}
	return s.config.Trust
}

// fingerprint is another one whenever the event changed in a way that matters.
// All-day events go by their dates, so that a journey changes nothing.
func fingerprint(o occurrence, own string) string {
	start, end := o.start.UTC().Format(time.RFC3339), o.end.UTC().Format(time.RFC3339)
	if o.allDay {
		start, end = reading(o.start).Format(time.DateOnly), reading(o.end).Format(time.DateOnly)
	}
	e := o.event
	return digest(start, end, e.status, strconv.FormatBool(e.transparent), e.summary, e.location, e.participation(), own)
}

// title is one line: what, when, where.
func title(o occurrence) string {
	name := subconscious.Head(redact.Text(cmp.Or(o.event.summary, "Untitled event")), maxNameBytes)
	name += ", " + when(o)
	if place := o.event.location; place != "" && !strings.Contains(place, "://") {
		name += " (" + subconscious.Head(clip(redact.Text(place), 60), maxPlaceBytes) + ")"
	}
	return name
}

const (
	dayLayout   = "Mon 2 Jan"
	clockLayout = "15:04"
)

// when is the time of an occurrence in words, in the mind's zone.
func when(o occurrence) string {
	start, end := o.start, o.end
	if o.allDay {
		// The end is exclusive; people name the last day.
		first, last := reading(start), reading(end).AddDate(0, 0, -1)
		if !last.After(first) {
			return first.Format(dayLayout) + ", all day"
		}
		return first.Format(dayLayout) + "–" + last.Format(dayLayout) + ", all day"
	}
	text := start.Format(dayLayout + " " + clockLayout)
	switch {
	case !end.After(start):
		return text
	case end.Format(time.DateOnly) == start.Format(time.DateOnly):
		return text + "–" + end.Format(clockLayout)
	default:
		return text + "–" + end.Format(dayLayout+" "+clockLayout)
	}
}

// text is what more there is to read: place, attendees, description.
func text(e *event) string {
	var lines []string
	if e.location != "" {
		lines = append(lines, "Where: "+e.location)
	}
	if name := e.organizer.called(); name != "" {
		lines = append(lines, "Organiser: "+name)
	}
	if named := names(e); named != "" {
		lines = append(lines, "Attendees: "+named)
	}
	if e.description != "" {
		lines = append(lines, e.description)
	}
	return subconscious.Head(strings.Join(lines, "\n"), maxTextBytes)
}

func names(e *event) string {
	var all []string
	for _, a := range e.attendees[:min(len(e.attendees), maxNamed)] {
		name := a.called()
		switch a.partstat {
		case "accepted", "declined", "tentative":
			name += " (" + a.partstat + ")"
		}
		all = append(all, name)
	}
	if more := e.invited - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

func (p person) called() string { return cmp.Or(p.name, p.address) }

func (s *Sense) attributes(o occurrence, mind *time.Location) map[string]string {
	e := o.event
	attrs := map[string]string{
		"start":       o.start.Format(time.RFC3339),
		"end":         o.end.Format(time.RFC3339),
		"status":      "confirmed",
		"transparent": "busy",
	}
	if e.status == "TENTATIVE" {
		attrs["status"] = "tentative"
	}
	if e.transparent {
		attrs["transparent"] = "free"
	}
	if o.allDay {
		attrs["all_day"] = "true"
	}
	if e.kind != "" {
		attrs["event"] = e.kind
	}
	if o.original != "" {
		attrs["recurring"] = "true"
	}
	if e.location != "" {
		attrs["location"] = subconscious.Head(e.location, maxAttrBytes)
	}
	if name := e.organizer.called(); name != "" {
		attrs["organizer"] = subconscious.Head(name, maxAttrBytes)
	}
	if e.invited > 0 {
		attrs["attendees"] = strconv.Itoa(e.invited)
	}
	if own := s.ownAnswer(e); own != "" {
		attrs["partstat"] = own
	}
	// UTC tells where an event was exported, not where it takes place.
	if o.zone != nil && o.zone != time.UTC && o.zone.String() != mind.String() {
		attrs["zone"] = clip(subconscious.Printable(o.zone.String()), 64)
	}
	if !o.planned.IsZero() {
		attrs["moved_from"] = o.planned.Format(time.RFC3339)
	}
	return attrs
}

// ownAnswer is the owner's answer to an invitation, "needs-action" where they
// gave none, empty where they were not invited by a known address. Who
// organises an event takes part in it.
func (s *Sense) ownAnswer(e *event) string {
	for _, a := range e.attendees {
		if s.addresses[a.address] {
			if a.partstat == "" {
				return "needs-action"
			}
			return a.partstat
		}
	}
	if s.addresses[e.organizer.address] {
		return "accepted"
	}
	return ""
}

func links(e *event) []string {
	all := []string{"uid:" + clip(subconscious.Printable(e.uid), maxUID)}
	if strings.Contains(e.organizer.address, "@") {
		all = append(all, "addr:"+e.organizer.address)
	}
	for _, link := range e.meetings {
		all = append(all, "url:"+link)
	}
	return slices.Clip(all)
}
