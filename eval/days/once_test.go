package days

import (
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
	}{
		"what is to be done at a time is told then, not as it is written": {`-- timeline --
13:33 tell "cake out at 14:00"
13:50 restart
14:03 restart
14:20 restart
`, []string{"14:00 cake"}},
		"a promise with a time has a lead and its time, and is not overdue": {`-- notes/form.md --
- [ ] hand in the form on 3 March 2026 at 16:00
-- timeline --
14:03 restart
16:03 restart
18:00 restart
`, []string{"08:30 form", "14:00 form", "16:00 form"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			d := dayOf(t, c.sections)
			for _, push := range played(t, d, 24*time.Hour).Pushes {
				got = append(got, push.At.In(d.zone).Format("15:04 ")+push.Words)
			}
			if !slices.EqualFunc(got, c.want, func(got, want string) bool {
				at, what, _ := strings.Cut(want, " ")
				return strings.HasPrefix(got, at) && strings.Contains(got, what)
			}) {
				t.Errorf("told %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
		})
	}
}
