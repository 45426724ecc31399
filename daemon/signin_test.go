package daemon_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestRefusedSignInIsToldOnce: the tick that meets it shows what to do, what stood
// stands, and it is told once, and once again where it was well in between.
func TestRefusedSignInIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sense string
		over  func(t *testing.T, w *world) func(bool)
	}{
		"CalDAV": {"calendar", func(t *testing.T, w *world) func(bool) {
			r := &roof{at: start.Add(72 * time.Hour)}
			c := r.account(t, w)
			c.ID = "work"
			w.options.Config.Senses.Calendar = []calendar.Config{c}
			return r.lock
		}},
		"mail": {"mail", func(t *testing.T, w *world) func(bool) {
			server, box := lettered(t, w, "")
			box.Deliver("INBOX", letter("The roof", "Hello Sam, can you send me the plan by Friday?", "roof@example.org", start), start)
			return func(over bool) {
				if server.Mend(); over {
					server.Refuse(mailtest.BadSignIn, -1)
					server.Drop()
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			phone := phoned(w)
			refuse := c.over(t, w)
			w.begin()
			state := func() api.SenseStatus {
				for _, s := range w.status().Senses {
					if s.Kind == c.sense {
						return s
					}
				}
				return api.SenseStatus{}
			}
			notices := func() (all []string) {
				w.rests()
				for _, m := range phone.Messages() {
					if m.Kind == notify.KindNotice {
						all = append(all, m.Title+" "+m.Text)
					}
				}
				return all
			}
			w.ticks(3)
			stood := state()
			if stood.State != "ok" || stood.Standing == 0 {
				t.Fatalf("signed in it is %+v", stood)
			}
			for round := range 2 {
				refuse(true)
				for range 20 {
					w.tick()
					if now := state(); now.State != "blind" || now.Standing != stood.Standing || !strings.Contains(now.Error, "a password made for this program") {
						t.Fatalf("refused it is %+v", now)
					}
				}
				if told := notices(); len(told) != round+1 || !strings.Contains(told[round], "was refused") {
					t.Fatalf("refused for the time %d, it is told %q", round+1, told)
				}
				refuse(false)
				for range 5 { // what failed is not tried at every tick
					w.clock.advance(time.Hour)
					w.tick()
				}
				if now := state(); now.State != "ok" || now.Standing != stood.Standing {
					t.Fatalf("taken again it is %+v", now)
				}
				if n, raised := w.notice("sense_blind"); raised {
					t.Errorf("taken again it is noticed: %+v", n)
				}
			}
		})
	}
}
