package caldav

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/calendartest"
)

// windows are names that Radicale does not know. Of a zone that it knows it works
// out a definition for each event, which takes it long; without, it takes no
// EXDATE.
var windows = strings.NewReplacer("Europe/Berlin", "W. Europe Standard Time", "America/New_York", "Eastern Standard Time",
	"Australia/Sydney", "AUS Eastern Standard Time", "Asia/Kolkata", "India Standard Time")

// TestExpandedAsOthersDo: the calendars of a real server, with definitions of zones
// and with names alone.
func TestExpandedAsOthersDo(t *testing.T) {
	calendartest.Run(t, 1, func(all []calendartest.Series, rows senses.RowReader) senses.Sense {
		address := radicale(t)
		t.Setenv("CALENDAR_PASSWORD", password)
		out := func(s calendartest.Series) bool { return !s.Out.IsZero() }
		slices.SortStableFunc(all, func(a, b calendartest.Series) int { return a.Out.Compare(b.Out) })
		n := 0
		for some := range slices.Chunk(all, len(all)/20) {
			text := calendartest.Calendar(some)
			if !slices.ContainsFunc(some, out) {
				text = windows.Replace(text)
			}
			n++
			tell(t, http.MethodPut, fmt.Sprintf("%s/tester/%d/", address, n), text)
		}
		return open(t, calendar.Config{ID: "work", CalDAV: address, User: "tester", Password: secret.Ref{Env: "CALENDAR_PASSWORD"}}, Options{}, rows)
	})
}

// TestSubscriptionExpandedAsOthersDo: the file at an address.
func TestSubscriptionExpandedAsOthersDo(t *testing.T) {
	calendartest.Run(t, 2, func(all []calendartest.Series, rows senses.RowReader) senses.Sense {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, calendartest.Calendar(all))
		}))
		t.Cleanup(s.Close)
		return open(t, calendar.Config{ID: "club", URL: s.URL + "/club.ics"}, Options{}, rows)
	})
}
