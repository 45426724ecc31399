package google

import (
	"fmt"
	"testing"

	gcal "google.golang.org/api/calendar/v3"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// A calendar that left the list of those of the account that are looked at, or is
// ticked there no more.
func TestCalendarLeaves(t *testing.T) {
	for _, ticked := range []bool{false, true} {
		t.Run(fmt.Sprintf("ticked: %t", ticked), func(t *testing.T) {
			s := serve(t)
			other := &gcal.CalendarListEntry{Id: "family@group.calendar.google.com", Summary: "Family", AccessRole: "owner"}
			s.list = append(s.list, other)
			s.put(event("mine", day(34)))
			config := s.config()
			sensetest.RunList(t, sensetest.Harness{
				OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense { return s.open(t, config, rows) },
				Add:      func(_ testing.TB, n int) { s.putIn(other.Id, event(fmt.Sprint("theirs", n), day(31+n))) },
				Remove:   func(_ testing.TB, n int) { s.putIn(other.Id, gone(fmt.Sprint("theirs", n))) },
			}, func(whole bool) {
				if ticked {
					s.mu.Lock()
					defer s.mu.Unlock()
					other.Selected = whole
				} else if config.Calendars = []string{"Me"}; whole {
					config.Calendars = append(config.Calendars, "Family")
				}
			})
		})
	}
}
