package mail

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestServerThatHangs: at whatever stage, a collect ends in its time, and when the
// server answers again all is told once.
func TestServerThatHangs(t *testing.T) {
	for _, stage := range []mailtest.Stage{mailtest.Greeting, mailtest.SignIn, mailtest.Listing, mailtest.Opening, mailtest.Search, mailtest.Fetch, mailtest.Body, mailtest.Anything} {
		t.Run(string(stage), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, mailtest.Options{})
				h.knows(boss)
				h.ticks()
				h.deliver("INBOX", h.message("a", boss, "Figures", asking))
				h.server.Drop()
				h.server.Hang(stage)
				for range 3 {
					h.at = h.at.Add(5 * time.Minute)
					began := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), 19*time.Second)
					batch, err := h.sense.Collect(ctx, h.at, h.Cursor)
					cancel()
					if took := time.Since(began); took > 19*time.Second {
						t.Errorf("a collect took %v", took)
					}
					switch {
					case err == nil && batch.Degraded == "" && stage != mailtest.Listing:
						t.Errorf("nothing is said: %+v", batch)
					case err == nil:
						h.commit(batch)
					}
				}
				h.server.Mend()
				h.restart()
				for range 3 {
					h.tick()
				}
				if _, stands := h.stands["mid:a@example.org"]; !stands {
					t.Errorf("what came meanwhile does not stand: %q, degraded %q", h.told, h.last.Degraded)
				}
			})
		})
	}
}

func TestHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, mailtest.Options{}, func(c *Config) { c.Idle = nil })
		h.ticks()
		hints := h.sense.Hints()
		time.Sleep(time.Minute)
		for len(hints) > 0 {
			<-hints
		}
		h.deliver("INBOX", h.message("a", other, "News", "It went well."))
		select {
		case <-hints:
		case <-time.After(10 * time.Minute):
			t.Error("no hint came")
		}
		h.expect("what was hinted at", h.tick(), "mail mid:a@example.org")
		h.stop()
	})
	h := newHouse(t, mailtest.Options{})
	if h.sense.Hints() != nil {
		t.Error("hints although idle is false")
	}
}
