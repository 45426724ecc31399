package caldav

import (
	"fmt"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// A calendar that left the list of those of the account that are looked at.
func TestCalendarLeaves(t *testing.T) {
	for name, set := range map[string]func(*server){
		"sync-collection": func(*server) {},
		"etags alone":     func(s *server) { s.syncs, s.tags = false, false },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			set(s)
			s.put("/cal/work/0.ics", event(31, 9))
			config := s.config()
			path := func(n int) string { return fmt.Sprintf("/cal/family/%d.ics", n) }
			sensetest.RunList(t, sensetest.Harness{
				OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense { return open(t, config, Options{}, rows) },
				Add:      func(_ testing.TB, n int) { s.put(path(n), event(27+n, 9)) },
				Remove:   func(_ testing.TB, n int) { s.put(path(n), "") },
			}, func(whole bool) {
				if config.Calendars = []string{"WORK"}; whole {
					config.Calendars = append(config.Calendars, "family")
				}
			})
		})
	}
}
