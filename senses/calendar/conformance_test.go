package calendar

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// diary is a calendar file that a test changes as a program would: it writes
// another file and renames it over the first.
type diary struct {
	path   string
	events map[int]string
}

func (d *diary) save(t testing.TB) {
	t.Helper()
	var body strings.Builder
	for n := range 10 {
		body.WriteString(d.events[n])
	}
	replaceFile(t, d.path, calendarOf(body.String()))
}

func replaceFile(t testing.TB, path, text string) {
	t.Helper()
	testutil.Write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func calendarOf(events string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example.org//sample//EN\r\n" + events + "END:VCALENDAR\r\n"
}

func eventOf(uid, lines string) string {
	return "BEGIN:VEVENT\r\nUID:" + uid + "\r\n" + lines + "\r\nEND:VEVENT\r\n"
}

func TestConformance(t *testing.T) {
	d := &diary{path: filepath.Join(t.TempDir(), "sample.ics"), events: map[int]string{}}
	d.save(t)
	event := func(n int, hour int) string {
		start := time.Now().UTC().AddDate(0, 0, 3+n).Format("20060102")
		return eventOf(fmt.Sprintf("event-%d@example.org", n), fmt.Sprintf("DTSTART:%sT%02d0000Z\r\nSUMMARY:Event %d", start, hour, n))
	}
	away := d.path + ".away"
	rename := func(t testing.TB, from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	sensetest.Run(t, sensetest.Harness{
		OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
			watcher, err := watch.New(watch.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s, err := New(Config{ID: "sample", ICS: d.path}, Options{Watcher: watcher, Rows: rows, Zone: func() *time.Location { return time.UTC }})
			if err != nil {
				t.Fatal(err)
			}
			return &withWatcher{s, watcher}
		},
		Add:    func(t testing.TB, n int) { d.events[n] = event(n, 9); d.save(t) },
		Change: func(t testing.TB, n int) { d.events[n] = event(n, 14); d.save(t) },
		Remove: func(t testing.TB, n int) {
			if delete(d.events, n); n%2 == 0 { // or cancelled
				d.events[n] = strings.Replace(event(n, 14), "SUMMARY", "STATUS:CANCELLED\r\nSUMMARY", 1)
			}
			d.save(t)
		},
		Break: func(t testing.TB) { rename(t, d.path, away) },
		Mend:  func(t testing.TB) { rename(t, away, d.path) },
	})
}
