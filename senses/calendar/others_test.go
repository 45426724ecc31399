package calendar

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar/calendartest"
)

// TestExpandedAsOthersDo expands events of a file; the drivers' tests of that name
// do those of servers.
func TestExpandedAsOthersDo(t *testing.T) {
	calendartest.Run(t, 0, func(all []calendartest.Series, rows senses.RowReader) senses.Sense {
		path := filepath.Join(t.TempDir(), "sample.ics")
		testutil.Write(t, path, calendartest.Calendar(all))
		sense, err := New(Config{ID: "sample", ICS: path}, Options{Rows: rows, Zone: func() *time.Location { return time.UTC }})
		if err != nil {
			t.Fatal(err)
		}
		return sense
	})
}
