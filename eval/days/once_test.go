package days

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTellsOnce plays what is told of one thing over a day, through restarts: a
// lead and the time itself, and nothing twice.
func TestTellsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		sections string
		want     []string // the time of each push and what it names
		cleared  []string
	}{
		"what is to be done at a time is told then, not as it is written": {sections: `-- timeline --
13:33 tell "cake out at 14:00"
13:50 restart
14:03 restart
14:20 restart
`, want: []string{"14:00 cake"}},
		"what is noted for a minute is told at that minute": {sections: `-- timeline --
12:31 write notes/today.md "- [ ] oven off at 12:53\nring the plumber at 12:58, he is in until 13:30\nmet Ann at 5, nice talk\n"
12:52 restart
12:54 restart
`, want: []string{"12:53 oven", "12:58 plumber"}},
		"what a note says is off fails without a word": {sections: `-- timeline --
09:00 write notes/today.md "the backup is off until 4 March 2026\n"
10:00 unit user/backup.service failed
`},
		"a promise with a time has a lead and its time, and is not overdue": {sections: `-- notes/form.md --
- [ ] hand in the form on 3 March 2026 at 16:00
-- timeline --
14:03 restart
16:03 restart
18:00 restart
`, want: []string{"08:30 form", "14:00 form", "16:00 form"}},
		"three events at once are one clash, which ends alone": {sections: planned("a.ics 18:00-19:00 Ada", "b.ics 19:00-20:00 Bert", "later/c.ics 18:30-19:30 Cleo") + `-- timeline --
10:00 event a.ics from later/c.ics
10:03 restart
10:30 dismiss all
-- labels --
worth all
  about event c@home
  because "It is at once with two others."
`, want: []string{"10:00 Ada 18:00–19:00, Cleo 18:30–19:30 and Bert 19:00–20:00"}},
		"an event that is moved onto another is told with it": {sections: planned("a.ics 18:00-19:00 Ada", "b.ics 15:00-16:00 Bert", "later/b.ics 18:30-19:30 Bert") + `-- timeline --
10:00 event b.ics from later/b.ics
10:03 restart
`, want: []string{"10:00 Bert 18:30–19:30 (was 15:00)"}},
		"what the person puts off is not told them, what is earlier and what others move is": {sections: planned("a.ics 18:00-19:00 Ada", "b.ics 15:00-16:00 Bert",
			"later/a.ics 20:00-21:00 Ada", "later/b.ics 14:00-15:00 Bert", "d.ics 16:00-17:00 Dora", "later/d.ics 17:00-18:00 Dora") +
			strings.ReplaceAll(planned("c.ics 10:00-11:00 Cleo", "later/c.ics 09:00-10:00 Cleo"), "20260303", "20260306") + `-- timeline --
09:50 presence active
10:00 event c.ics from later/c.ics
10:05 event d.ics from later/d.ics
10:10 event b.ics from later/b.ics
10:30 presence locked
11:00 event a.ics from later/a.ics
11:03 restart
`, want: []string{"10:15 Bert", "11:00 Ada"}},
		"what the person put off fails without a word, until it is over": {sections: `-- timeline --
09:00 tell "the backup is off until 3 March 2026 at 13:00"
10:00 unit user/backup.service failed
11:00 unit user/backup.service ok
16:00 unit user/backup.service failed
`, want: []string{"11:00 backup is off", "16:00 backup.service"}},
		"a disk that is well again takes the alarm back, through a restart": {sections: `-- health --
disk / 50% of 100GB
-- timeline --
10:00 disk / 97%
10:30 restart
12:00 disk / 50%
12:03 restart
`, want: []string{"10:00 Disk / is 97% full"}, cleared: []string{"12:00 All clear, no longer: Disk / is 97% full: 3.0 GB left"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			d := dayOf(t, c.sections)
			p := played(t, d, 24*time.Hour)
			for _, push := range p.Pushes {
				got = append(got, push.At.In(d.zone).Format("15:04 ")+push.Words)
			}
			if !slices.EqualFunc(got, c.want, func(got, want string) bool {
				at, what, _ := strings.Cut(want, " ")
				return strings.HasPrefix(got, at) && strings.Contains(got, what)
			}) {
				t.Errorf("told %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
			if !slices.Equal(p.Cleared, c.cleared) {
				t.Errorf("taken back %q, want %q", p.Cleared, c.cleared)
			}
		})
	}
}

// planned are events of the day as sections, each given as in "a.ics 18:00-19:00 Ada".
func planned(events ...string) (sections string) {
	for _, e := range events {
		file, rest, _ := strings.Cut(e, " ")
		span, name, _ := strings.Cut(rest, " ")
		from, to, _ := strings.Cut(strings.ReplaceAll(span, ":", ""), "-")
		uid := strings.TrimSuffix(path.Base(file), ".ics")
		sections += "-- " + file + " --\nBEGIN:VEVENT\nUID:" + uid + "@home\nDTSTART:20260303T" + from + "00\nDTEND:20260303T" + to + "00\nSUMMARY:" + name + "\nEND:VEVENT\n"
	}
	return sections
}
