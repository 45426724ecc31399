package mail

import (
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// A folder that is renamed while something stands in it must not stop the mail
// of the others, nor end what stands.
func TestRenamedFolderStopsNoOther(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options, watching("INBOX", "Projects"))
		h.box.Create("Projects")
		h.knows(boss)
		h.ticks()
		h.deliver("INBOX", h.message("a", boss, "Figures", asking))
		h.deliver("Projects", h.message("b", boss, "Plans", asking))
		h.expect("they came", h.tick(), "+request mid:a@example.org", "+request mid:b@example.org")
		h.box.Rename("Projects", "Old projects")
		h.deliver("INBOX", h.message("c", boss, "Sums", asking))
		h.expect("renamed", h.tick(), "+request mid:c@example.org")
		if !strings.Contains(h.last.Degraded, "Old projects") || strings.Contains(h.last.Degraded, "Examine") {
			t.Errorf("it says %q", h.last.Degraded)
		}
		h.box.Rename("Old projects", "Projects")
		h.expect("named back", h.tick())
	})
}

// A folder that is configured and was never there keeps nothing standing that
// was deleted.
func TestMissingFolderKeepsNothingStanding(t *testing.T) {
	h := newHouse(t, mailtest.Options{}, watching("INBOX", "Nowhere"))
	h.knows(boss)
	h.ticks()
	uid := h.deliver("INBOX", h.message("a", boss, "Figures", asking))
	h.expect("it came", h.tick(), "+request mid:a@example.org")
	h.box.Expunge("INBOX", uid)
	h.expect("deleted", h.tick(), "-request mid:a@example.org")
}

// What a filter of the server's or of the mail program's marked as junk asks
// nothing.
func TestMarkedAsJunkAsksNothing(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	h.ticks()
	h.deliver("INBOX", h.message("a", boss, "Figures", asking), "$Junk")
	h.expect("junk", h.tick(), "mail mid:a@example.org")
	if o := h.last.Changes; len(o) != 1 || o[0].Attrs["junk"] != "true" {
		t.Errorf("%+v", o)
	}
}

// A clock of ours that was set back passes nothing over.
func TestClockSetBackLosesNothing(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	for i := range firstMessages {
		h.deliverAt("INBOX", h.message("old-"+hash(i).key(), other, "News", "It went well."), h.at.Add(-time.Hour), imap.FlagSeen)
	}
	h.ticks()
	l := h.message("a", boss, "Figures", asking)
	arrived := h.at
	h.at = h.at.Add(-20 * 24 * time.Hour)
	h.deliverAt("INBOX", l, arrived) // the server's clock is right
	h.expect("behind", h.tick(), "+request mid:a@example.org")
}

// More messages in one day than are kept must not pass over those that follow.
func TestFloodOfOneDayHidesNothing(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	h.ticks()
	for i := range maxKnown + 1000 {
		h.sense.known.base[hash(i)] = known{Received: uint32(h.at.Unix())}
	}
	h.at = h.at.Add(2 * pruneEvery)
	h.tick()
	if len(h.sense.known.over) == 0 && (*h.sense.commits.Pending()).Forgot == 0 {
		t.Fatal("nothing was to be forgotten: the test tests nothing")
	}
	h.deliver("INBOX", h.message("a", boss, "Figures", asking))
	h.expect("behind the flood", h.tick(), "+request mid:a@example.org")
}
