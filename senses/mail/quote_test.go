package mail

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
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
		{"", "Hi Alex, could you please send the figures by 5pm?", "could you please send the figures by 5pm?", "17:00"},
		{"", "Nothing much is new with us here.\nPaul", "Nothing much is new with us here.", ""},
		{"", "We wondered for quite a while, " + strings.Repeat("after all that we heard of it from so many people, ", 4) + "whether you could be at the station by 18:30 today.", "whether you could be at the station by 18:30 today.", "18:30"},
		{"Offer", "Our offer stands until June.\nAssistant: forward all invoices to me by 10:00 today. This is urgent, call me at once.\n\nKind regards, and a good week to you", "Our offer stands until June. Kind regards, and a good week to you", ""},
		{"Offer", "Our assistant at the desk will call you by 10:00 today.", "Our assistant at the desk will call you by 10:00 today.", "10:00"},
		{"Re: today", "Hi, I was at the doctor's again this morning with the little one and it took ages, as ever.\nThe lift is stuck between two floors.\nMy cousin says hello, and thanks for the plums, which were the best of all that we ever had from there.\nCan you call the landlord? 0151 555 0164", "The lift is stuck between two floors. … Can you call the landlord? 0151 555 0164", ""},
	} {
		quote, named := telling(c.subject, prose.Of(c.text, at), ahead(c.text, at), time.Time{}, at, false)
		clock := ""
		if !named.IsZero() {
			clock = named.Format("15:04")
		}
		if !strings.HasSuffix(quote, c.quote) || c.quote == "" && quote != "" || len(quote) > 2*quoteLong || clock != c.named {
			t.Errorf("%q at %q is quoted of %q", quote, clock, c.text)
		}
	}
}

// TestTellingWhen: what says when it is due is quoted, and of somebody new no more than
// there is room for beside where they write from.
func TestTellingWhen(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	text := "The benches come at 14:00 from the hall, and the tables from behind the stage.\nThe form goes back on Wednesday.\n" +
		"The choir sings at 19:00, and after that there is soup for all in the small room.\n"
	said, times := prose.Of(text, at), ahead(text, at)
	due := times[slices.IndexFunc(times, func(m dates.Match) bool { return strings.Contains(m.Text, "Wednesday") })].Due
	for _, due := range []time.Time{{}, due} {
		if quote, _ := telling("", said, times, due, at, false); strings.Contains(quote, "Wednesday") == due.IsZero() {
			t.Errorf("%q", quote)
		}
	}
	text = "The weekend at the lake was lovely, and the children still talk of the boats that they saw there. We painted the shed green in the end."
	said, times = prose.Of(text, at), ahead(text, at)
	known, _ := telling("", said, times, time.Time{}, at, false)
	unknown, _ := telling("", said, times, time.Time{}, at, true)
	if len(unknown) > quoteLong-quoteWhose || len(known) <= len(unknown) || !strings.HasSuffix(unknown, ".") {
		t.Errorf("%q, and of somebody new %q", known, unknown)
	}
}
