package daemon_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestMemoryOfTheWorld: what a memory cites is known by its own identity, and what it
// rests on no more is said with it.
func TestMemoryOfTheWorld(t *testing.T) {
	ctx := t.Context()
	var asked atomic.Int64 // what a feed has at first is no news
	feed := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		page := [...]string{"old", "prices"}[min(asked.Add(1)-1, 1)]
		fmt.Fprintf(rw, `<rss version="2.0"><channel><title>News</title><item><title>Sample %s</title><link>https://example.com/%[1]s</link></item></channel></rss>`, page)
	}))
	defer feed.Close()
	w := newWorld(t)
	w.options.Config.Senses.Feeds = []source.FeedConfig{{ID: "news", URL: feed.URL, Every: 5 * time.Minute}}
	at := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	soon := event{"soon", "Call the sample bank", start.Add(30 * time.Minute), time.Minute}
	stays, moved, gone := event{"stays", "Dentist", at(48), time.Hour}, event{"moved", "Sample review", at(50), time.Hour}, event{"gone", "Lunch at the sample inn", at(52), time.Hour}
	w.calendar(soon, stays, moved, gone)
	w.begin()
	w.tick()
	refs := map[string]memory.Citation{}
	w.d.World().Of("calendar", func(o subconscious.Observation) bool {
		refs[o.ID[:4]] = memory.Citation{Ref: o.Ref(), Seq: o.Seq}
		return true
	})
	message, err := w.d.Talk().Add(ctx, chat.Message{Author: chat.Person, Text: "The sample key lies under the mat."})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name  string
		cites memory.Citation
		want  memory.Validity
		says  string
	}{
		{"over", refs["soon"], memory.Holds, "it is over"},
		{"stays", refs["stay"], memory.Holds, "unchanged"},
		{"moved", refs["move"], memory.Changed, "it was changed on 2026-11-23"},
		{"cancelled", refs["gone"], memory.Missing, "it was gone on 2026-11-23"},
		{"said", memory.Citation{Conversation: message.Conversation, Message: message.ID}, memory.Holds, "the message is there"},
		{"never said", memory.Citation{Conversation: message.Conversation, Message: message.ID + 1}, memory.Unknown, "the message is not kept any more"},
		{"read", memory.Citation{URL: "https://example.com/prices", Fetched: start.Format(time.RFC3339)}, memory.Holds, "unchanged"},
		{"never read", memory.Citation{URL: "https://example.com/other"}, memory.Unknown, "nothing is known of it, or no more"},
		{"never seen", memory.Citation{Ref: subconscious.NewRef("calendar", "never")}, memory.Unknown, "nothing is known of it, or no more"},
	}
	ids := map[string]string{}
	for _, c := range cases {
		done, err := w.d.Remembered().Add(ctx, memory.Record{Text: "What is remembered " + c.name, Trust: subconscious.Machine, Source: memory.Mechanics, Citations: []memory.Citation{c.cites}})
		if err != nil {
			t.Fatal(c.name, err)
		}
		ids[c.name] = done.ID
	}
	moved.start = at(60)
	w.calendar(stays, moved)
	w.clock.advance(time.Hour)
	w.tick()
	w.tick()
	for _, c := range cases {
		r, found, err := w.d.Remembered().Validate(ctx, ids[c.name])
		if err != nil || r.Validity != c.want || len(found) != 1 || found[0].Says != c.says {
			t.Errorf("%s: %s, %+v, %v", c.name, r.Validity, found, err)
		}
	}
	recalled, err := w.d.Recall(ctx, "cancelled remembered")
	if err != nil || len(recalled) == 0 || recalled[0].ID != ids["cancelled"] || recalled[0].Doubt != "its source is gone" {
		t.Errorf("%+v, %v", recalled, err)
	}
}

// TestMemoryIsPutInOrder: once after a start, and once a day, beside the ticks.
func TestMemoryIsPutInOrder(t *testing.T) {
	w := newWorld(t)
	w.begin()
	last := func() time.Time {
		h, err := w.d.Remembered().Health(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h.Last.At
	}
	w.tick()
	w.until("it is put in order", func() bool { return !last().IsZero() })
	first := last()
	w.clock.advance(25 * time.Hour)
	w.tick()
	w.until("it is put in order again", func() bool { return last().After(first) })
	if said := w.log.String(); !strings.Contains(said, "the memory was put in order") {
		t.Error(said)
	}
}
