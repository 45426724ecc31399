package google

import (
	"net/http"
	"strings"
	"testing"
	"time"

	gcal "google.golang.org/api/calendar/v3"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar/calendartest"
)

// TestExpandedAsOthersDo: masters, and what happened to one of their dates as an
// event of its own.
func TestExpandedAsOthersDo(t *testing.T) {
	calendartest.Run(t, 3, func(all []calendartest.Series, rows senses.RowReader) senses.Sense {
		s := serve(t)
		for _, drawn := range all {
			s.draw(t, drawn)
		}
		// The drawn years are not those of the machine's clock.
		s.before = func(_ http.ResponseWriter, r *http.Request) bool {
			if q := r.URL.Query(); q.Has("timeMin") {
				q.Set("timeMin", "2024-01-01T00:00:00Z")
				r.URL.RawQuery = q.Encode()
			}
			return false
		}
		return s.open(t, s.config(), rows)
	})
}

// draw puts a series as Google has it.
func (s *server) draw(t *testing.T, drawn calendartest.Series) {
	id, _, _ := strings.Cut(drawn.UID, "@")
	zone := time.UTC
	if drawn.Zone != calendartest.AllDay {
		zone = testutil.Zone(t, drawn.Zone)
	}
	at := func(m time.Time) *gcal.EventDateTime {
		if drawn.Zone == calendartest.AllDay {
			return &gcal.EventDateTime{Date: m.Format(time.DateOnly)}
		}
		m = time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), 0, 0, zone)
		return &gcal.EventDateTime{DateTime: m.Format(time.RFC3339), TimeZone: drawn.Zone}
	}
	until := func(m time.Time) *gcal.EventDateTime {
		if drawn.Zone == calendartest.AllDay {
			return at(m.AddDate(0, 0, 1))
		}
		return at(m.Add(time.Hour))
	}
	master := &gcal.Event{Id: id, ICalUID: drawn.UID, Start: at(drawn.Start), End: until(drawn.Start)}
	if drawn.Rule != "" {
		master.Recurrence = []string{"RRULE:" + drawn.Rule}
	}
	s.put(master)
	one := func(planned time.Time) *gcal.Event {
		return &gcal.Event{Id: id + "_" + planned.Format(utc), RecurringEventId: id, OriginalStartTime: at(planned)}
	}
	if !drawn.Out.IsZero() {
		out := one(drawn.Out)
		out.Status = cancelled
		s.put(out)
	}
	if !drawn.Moved.IsZero() {
		moved := one(drawn.Moved)
		moved.ICalUID, moved.Start, moved.End = drawn.UID, at(drawn.MovedTo), until(drawn.MovedTo)
		s.put(moved)
	}
}
