package mail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

const asking = "Hi Ines,\n\ncould you send me the figures by Friday?\n\nThanks\nCarla\n"

func TestConformance(t *testing.T) {
	for name, without := range map[string][]imap.Cap{"full": nil, "bare": {imap.CapCondStore, imap.CapIdle, imap.CapSpecialUse, imap.CapESearch}} {
		t.Run(name, func(t *testing.T) { sensetest.Run(t, requests(t, mailtest.Options{Without: without})) })
	}
}

// opens opens another sense over the mailbox.
func (h *house) opens(t testing.TB, rows senses.RowReader) senses.Sense {
	t.Helper()
	s, err := New(h.config, h.options(rows))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// requests is a source whose observations are messages that ask something.
func requests(t *testing.T, options mailtest.Options) sensetest.Harness {
	h := newHouse(t, options, func(c *Config) { c.Idle = nil })
	h.at = time.Now()
	h.knows(boss)
	at := map[int]imap.UID{}
	round := 0
	return sensetest.Harness{
		OpenWith: h.opens,
		Add: func(t testing.TB, n int) {
			round++
			l := h.message(fmt.Sprintf("thing-%d-%d", n, round), "Carla Reyes <"+boss+">", "Figures", asking)
			at[n] = h.deliverAt("INBOX", l, time.Now().Add(-time.Minute))
		},
		Change: func(t testing.TB, n int) { h.box.SetFlags("INBOX", at[n], imap.FlagSeen) },
		Remove: func(t testing.TB, n int) { h.box.Expunge("INBOX", at[n]) },
		Break: func(t testing.TB) {
			h.server.Refuse(mailtest.NoConnection, -1)
			h.server.Drop()
		},
		Mend: func(t testing.TB) { h.server.Mend() },
	}
}

// TestConformanceMomentary: what arrives, asks nothing and was read. Nothing is told of
// what becomes of it, so that another message is each change.
func TestConformanceMomentary(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.at = time.Now()
	round := 0
	arrive := func(t testing.TB, n int) {
		round++
		l := h.message(fmt.Sprintf("thing-%d-%d", n, round), "Tom <"+other+">", "News", "It went well.")
		h.deliverAt("INBOX", l, time.Now().Add(-time.Minute), imap.FlagSeen)
	}
	sensetest.Run(t, sensetest.Harness{
		OpenWith: h.opens,
		Add:      arrive, Change: arrive, Remove: arrive, Momentary: true, SilentBaseline: true,
		Break: func(testing.TB) {
			h.server.Refuse(mailtest.NoConnection, -1)
			h.server.Drop()
		},
		Mend: func(testing.TB) { h.server.Mend() },
	})
}

func TestFirstCollect(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	h.deliverAt("INBOX", h.message("old", boss, "Figures", asking), now.Add(-20*24*time.Hour))
	h.deliver("INBOX", h.message("a", "Carla <"+boss+">", "Figures", asking))
	h.deliver("INBOX", h.message("b", boss, "News", "It went well."))
	h.deliver("INBOX", h.message("c", boss, "More", asking), imap.FlagAnswered)
	h.deliver("INBOX", h.message("d", boss, "Again", asking), imap.FlagSeen)
	h.expect("the first collect", h.ticks(), "+request mid:a@example.org", "+request mid:d@example.org")
	if got := h.stands["mid:a@example.org"]; got.Title != "Carla: Figures" || got.Severity != 1 || got.Due.IsZero() || got.Attrs["known"] != "1" || got.Attrs["asks"] != "true" || got.Attrs["addressed"] != "to" {
		t.Errorf("%+v", got)
	}
	if got := h.stands["mid:d@example.org"]; got.Severity != 0 || !strings.HasPrefix(got.Fingerprint, "request read") {
		t.Errorf("what was read: %+v", got)
	}
	h.expect("nothing new", h.tick())
	h.deliver("INBOX", h.message("e", boss, "News", "It went better."))
	h.expect("one more", h.tick(), "mail mid:e@example.org")
	h.expect("and no more", h.tick())
	if w := h.box.Writes(); len(w) > 0 {
		t.Errorf("the sense tried to change something: %v", w)
	}
}
