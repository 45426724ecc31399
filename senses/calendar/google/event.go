package google

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	gcal "google.golang.org/api/calendar/v3"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
)

const cancelled = "cancelled"

// kinds are the events that are no appointments, in the words of package calendar.
var kinds = map[string]string{"workingLocation": "working location", "outOfOffice": "out of office", "birthday": "birthday"}

// birthdays is the calendar of those of the person's contacts.
const birthdays = "addressbook#contacts@group.v.calendar.google.com"

// item puts an event into an iCalendar object. zone is that of its calendar.
func (l *look) item(e *gcal.Event, uid, zone string) calendar.Item {
	var t calendar.Text
	t.Begin("VEVENT")
	t.Put("UID", uid)
	start := e.Start
	if e.OriginalStartTime != nil && e.RecurringEventId != "" {
		putTime(&t, "RECURRENCE-ID", e.OriginalStartTime, zone)
		if start == nil {
			start = e.OriginalStartTime
		}
	}
	putTime(&t, "DTSTART", start, zone)
	if !e.EndTimeUnspecified {
		putTime(&t, "DTEND", e.End, zone)
	}
	for _, text := range e.Recurrence {
		name, value, _ := strings.Cut(text, ":")
		name, parameters, _ := strings.Cut(name, ";")
		_, id, _ := strings.Cut(parameters, "TZID=")
		id, _, _ = strings.Cut(id, ";")
		if name = strings.ToUpper(name); name == "RRULE" || name == "RDATE" || name == "EXDATE" {
			t.Put(name, value, "TZID", id)
		}
	}
	t.Put("SEQUENCE", fmt.Sprint(e.Sequence))
	if at, err := time.Parse(time.RFC3339, e.Updated); err == nil {
		t.Put("LAST-MODIFIED", at.UTC().Format(utc))
	}
	t.Put("STATUS", strings.ToUpper(e.Status))
	if e.Transparency == "transparent" || l.others {
		t.Put("TRANSP", "TRANSPARENT")
	}
	kind := kinds[e.EventType]
	if l.calendar.ID == birthdays {
		kind = "birthday"
	}
	t.Say("X-EVENT-TYPE", kind)
	t.Say("SUMMARY", e.Summary)
	t.Say("LOCATION", e.Location)
	t.Say("DESCRIPTION", e.Description)
	putPeople(&t, e)
	t.End("VEVENT")
	return calendar.Item{Name: e.Id, Of: e.RecurringEventId, Version: e.Etag, Data: t.Calendar()}
}

// putPeople writes who takes part, and where they meet. Who made an event for
// themselves alone is no organizer.
func putPeople(t *calendar.Text, e *gcal.Event) {
	t.Put("CONFERENCE", e.HangoutLink)
	if e.ConferenceData != nil {
		for _, entry := range e.ConferenceData.EntryPoints {
			if entry.EntryPointType == "video" && entry.Uri != e.HangoutLink {
				t.Put("CONFERENCE", entry.Uri)
			}
		}
	}
	if o := e.Organizer; o != nil && (!o.Self || len(e.Attendees) > 0) {
		t.Put("ORGANIZER", "mailto:"+o.Email, "CN", o.DisplayName)
	}
	for _, a := range e.Attendees {
		answer := a.ResponseStatus
		if answer == "needsAction" {
			answer = "needs-action"
		}
		t.Put("ATTENDEE", "mailto:"+a.Email, "CN", a.DisplayName, "PARTSTAT", strings.ToUpper(answer))
	}
}

const utc = "20060102T150405Z"

// putTime writes a date, or a time as the clock of its zone shows it. What is
// neither is written as it is, so that the event is said to be wrong.
func putTime(t *calendar.Text, name string, at *gcal.EventDateTime, zone string) {
	if at == nil {
		return
	}
	if at.TimeZone != "" {
		zone = at.TimeZone
	}
	moment, err := time.Parse(time.RFC3339, at.DateTime)
	switch place, unknown := time.LoadLocation(zone); {
	case at.Date != "":
		t.Put(name, strings.ReplaceAll(at.Date, "-", ""))
	case err != nil:
		t.Put(name, at.DateTime)
	case unknown != nil || zone == "" || zone == "Local" || place == time.UTC:
		t.Put(name, moment.UTC().Format(utc))
	default:
		t.Put(name, moment.In(place).Format("20060102T150405"), "TZID", zone)
	}
}

// lenient keeps what is no event from costing the page it stands on: the name of
// it is all that is left.
type lenient struct{ under http.RoundTripper }

func (l lenient) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.under.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body) // it is in memory
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(body, new(gcal.Events)) != nil {
		body = mended(body)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

func mended(body []byte) []byte {
	var page struct {
		Items    []json.RawMessage `json:"items"`
		Next     string            `json:"nextPageToken"`
		Sync     string            `json:"nextSyncToken"`
		TimeZone string            `json:"timeZone"`
	}
	if json.Unmarshal(body, &page) != nil {
		return body
	}
	for i, item := range page.Items {
		if json.Unmarshal(item, new(gcal.Event)) != nil {
			var known struct {
				ID string `json:"id"`
			}
			_ = json.Unmarshal(item, &known)       // else it has no name
			page.Items[i], _ = json.Marshal(known) // of a text, which cannot fail
		}
	}
	whole, _ := json.Marshal(page) // of what was read as JSON
	return whole
}
