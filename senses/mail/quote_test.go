package mail

import (
	"strings"
	"testing"
	"time"
)

// TestTelling: of a letter the sentences are quoted that say what is to be known of
// it, and the time that it names is found.
func TestTelling(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ subject, text, quote, named string }{
		{"", "Hi Ruth,\n\nthe weekend was lovely, thanks again for the cake.\n\nI need the hiring plan tonight by 7pm instead of Monday.\n\nDeb", "I need the hiring plan tonight by 7pm instead of Monday.", "19:00"},
		{"Re: Probe", "Hallo,\nschöne Grüße aus Graz!\nDie Probe fällt heute aus. Könntest du Anna Bescheid geben?\nLG", "Die Probe fällt heute aus. Könntest du Anna Bescheid geben?", ""},
		{"Water in the cellar", "Hello, we have not met, I moved in upstairs last month.\nThe cellar is under water by your door.\nI have no key of yours and would have lifted the boxes, as far as they can be lifted at all.", "The cellar is under water by your door. I have no key of yours and would have lifted the boxes, as far as they can be lifted at all.", ""},
		{"", "Thanks!\n\nPaul", "", ""},
		{"", "Nothing much is new with us here.\nPaul", "Nothing much is new with us here.", ""},
		{"", "We wondered for quite a while, " + strings.Repeat("after all that we heard of it from so many people, ", 4) + "whether you could be at the station by 18:30 today.", "whether you could be at the station by 18:30 today.", "18:30"},
	} {
		quote, named := telling(c.subject, c.text, at)
		clock := ""
		if !named.IsZero() {
			clock = named.Format("15:04")
		}
		if !strings.HasSuffix(quote, c.quote) || c.quote == "" && quote != "" || len(quote) > 2*quoteBytes || clock != c.named {
			t.Errorf("%q at %q is quoted of %q", quote, clock, c.text)
		}
	}
}
