package mail

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestActs: what the person does with a letter is noted once, and what says nothing
// of it is not.
func TestActs(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		const day = 24 * time.Hour
		answers := func(automatic bool) func(*house, imap.UID) {
			return func(h *house, _ imap.UID) {
				l := reply(h, "r", "a@example.org")
				if automatic {
					l.Headers = append(l.Headers, "Auto-Submitted: auto-replied")
				}
				h.deliver("Sent", l, imap.FlagSeen)
			}
		}
		reads := func(h *house, uid imap.UID) { h.box.SetFlags("INBOX", uid, imap.FlagSeen) }
		otherRead := func(h *house) {
			h.deliver("INBOX", h.message(fmt.Sprint("other", h.at.Unix()), other, "News", "It goes on."))
			h.tick()
			for uid, flags := range h.box.Flags("INBOX") {
				if len(flags) == 0 && uid != 1 {
					reads(h, uid)
				}
			}
			h.tick()
		}
		for name, c := range map[string]struct {
			text string
			does func(*house, imap.UID)
			want string
		}{
			"answered":             {"It went well.", answers(false), "answered"},
			"a question, answered": {asking, answers(false), "answered"},
			"read, then answered": {"It went well.", func(h *house, uid imap.UID) {
				reads(h, uid)
				h.tick()
				answers(false)(h, uid)
			}, "read soon answered"},
			"answered by a machine": {"It went well.", answers(true), ""},
			"read":                  {"It went well.", reads, "read soon"},
			"a question, read":      {asking, reads, "read soon"},
			"read later":            {"It went well.", func(h *house, uid imap.UID) { h.at = h.at.Add(time.Hour); reads(h, uid) }, "read"},
			"removed":               {"It went well.", func(h *house, uid imap.UID) { h.box.Expunge("INBOX", uid) }, "removed"},
			"filed, and read there": {"It went well.", func(h *house, uid imap.UID) {
				moved := h.box.Move("INBOX", uid, "Archive")
				h.box.SetFlags("Archive", moved, imap.FlagSeen)
			}, "read soon"},
			"numbered anew":            {"It went well.", func(h *house, _ imap.UID) { h.box.Renumber("INBOX") }, ""},
			"never read, and no other": {"It went well.", func(h *house, _ imap.UID) { h.at = h.at.Add(3 * day) }, ""},
			"never read, but others": {"It went well.", func(h *house, _ imap.UID) {
				for range 3 {
					h.at = h.at.Add(day)
					otherRead(h)
				}
			}, "unread"},
			"a folder marked at once": {"It went well.", func(h *house, _ imap.UID) {
				for i := range 6 {
					h.deliver("INBOX", h.message(fmt.Sprint("more", i), other, "News", "It goes on."))
				}
				h.tick()
				for uid := range h.box.Flags("INBOX") {
					reads(h, uid)
				}
			}, ""},
		} {
			h := newHouse(t, options, watching("INBOX", "Archive"))
			h.knows(boss)
			h.ticks()
			uid := h.deliverAt("INBOX", h.message("a", boss, "Figures", c.text), h.at)
			h.tick()
			var acts []string
			seen := func() {
				for _, act := range h.last.Acts {
					if act.ID == "mid:a@example.org" && !slices.Contains(acts, string(act.Deed)) {
						acts = append(acts, string(act.Deed))
					}
				}
			}
			h.committed = seen
			c.does(h, uid)
			for range 3 {
				h.tick()
			}
			if got := strings.Join(acts, " "); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			h.stop()
		}
	})
}

// TestHabits: nobody who writes bears the name of another, or of a list of others.
func TestHabits(t *testing.T) {
	for _, c := range []struct{ from, list, want string }{
		{"anna@choir.example.org", "", "anna@choir.example.org @example.org"},
		{"ben@gmail.com", "", "ben@gmail.com"},
		{"club@example.org", "members.example.org", "club@example.org list:members.example.org"},
		{"stranger@elsewhere.example", "members.example.org", "stranger@elsewhere.example"},
		{"stranger@gmail.com", "members.gmail.com", "stranger@gmail.com"},
		{"stranger@elsewhere.example", "true", "stranger@elsewhere.example"},
		{"club@example.org", "a list:b.example.org", ""},
		{strings.Repeat("a", 235) + "@acme.community", "", ""},
	} {
		j := judge{collect: &collect{}}
		j.From.Addr, j.List = c.from, c.list
		if got := j.habits(); got != c.want {
			t.Errorf("%s, list %q: %q, want %q", c.from, c.list, got, c.want)
		}
	}
}
