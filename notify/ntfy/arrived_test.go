package ntfy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// asks has a client ask, and wants an answer.
func asks(t *testing.T, client *ntfy.Client, m notify.Message, since time.Time, want bool) {
	t.Helper()
	if arrived, err := client.Arrived(t.Context(), m, since); err != nil || arrived != want {
		t.Errorf("%q arrived: %t, %v; want %t", m.Title, arrived, err, want)
	}
}

// cannotTell asks a client, and wants it to have no answer.
func cannotTell(t *testing.T, client *ntfy.Client, m notify.Message, since time.Time, trouble notify.Trouble, says string) {
	t.Helper()
	arrived, err := client.Arrived(t.Context(), m, since)
	if err == nil || arrived {
		t.Fatalf("it says %t", arrived)
	}
	if e := failure(t, err); e.Trouble != trouble || !strings.Contains(e.Text, says) || e.Next == "" {
		t.Errorf("%s: %s, next: %s", e.Trouble, e.Text, e.Next)
	}
}

// A message whose connection broke is found where it was kept, by a client that
// was made anew too, and however long the server took.
func TestArrived(t *testing.T) {
	for name, old := range map[string]bool{"": false, "an old server": true} {
		for fault, kept := range map[ntfytest.Fault]bool{ntfytest.CutBefore: false, ntfytest.CutAfter: true, ntfytest.Late: true, ntfytest.CutLate: false} {
			t.Run(name+string(fault), func(t *testing.T) {
				options := account()
				options.Old, options.Late = old, time.Hour
				server := start(t, options)
				server.SetTroubles(ntfytest.Trouble{Fault: fault, Use: ntfytest.Publish, Times: 1})
				client := open(t, server, ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}, ntfy.Options{})
				since := time.Now()
				if _, err := client.Send(t.Context(), full()); failure(t, err).Trouble != notify.Unknown {
					t.Fatal(err)
				}
				another := open(t, server, ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}, ntfy.Options{})
				for _, c := range []*ntfy.Client{client, another} {
					asks(t, c, full(), since, kept)
				}
				server.Release()
				asks(t, another, full(), since, kept || fault == ntfytest.CutLate)
				title := notify.Message{Sequence: "other", Kind: notify.KindIncident, Title: "Something else"}
				asks(t, another, title, since, false)
			})
		}
	}
}

// What tells messages apart: sequence and words where the server has them, else the
// words, and that it was not there before.
func TestArrivedTellsApart(t *testing.T) {
	now := time.Now()
	for _, old := range []bool{false, true} {
		server := start(t, ntfytest.Options{Old: old, Now: func() time.Time { return now }})
		client := open(t, server, ntfy.Config{}, ntfy.Options{Now: func() time.Time { return now }})
		if _, err := client.Send(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		again := full()
		again.Sequence = "6a1d0000"
		asks(t, client, again, now, old) // of the same words: an old server has them alone
		marked := full()
		marked.Title += " (possibly repeated)"
		asks(t, client, marked, now, false)                 // other words of a sequence are another message; the outbox asks for each wording
		asks(t, client, again, now.Add(time.Minute), false) // it was there before
		asks(t, client, full(), now.Add(time.Hour), !old)   // the clock was set
		alone := notify.Message{Sequence: "7b2e0000", Kind: notify.KindTest, Title: "A title alone"}
		asks(t, client, alone, now, false)
		if _, err := client.Send(t.Context(), alone); err != nil {
			t.Fatal(err)
		}
		asks(t, client, alone, now, true)
	}
}

// Where the server would not show a message that it had, nobody can tell.
func TestArrivedCannotTell(t *testing.T) {
	t.Run("may not read", func(t *testing.T) {
		options := account()
		options.Accounts[0].Access = []ntfytest.Grant{{Topic: topic, Write: true}}
		client := open(t, start(t, options), ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}, ntfy.Options{})
		if _, err := client.Send(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		cannotTell(t, client, full(), time.Now(), notify.Refused, "does not let the channel read its topic (403)")
	})
	t.Run("keeps nothing", func(t *testing.T) {
		server := start(t, ntfytest.Options{Uncached: true})
		client := open(t, server, ntfy.Config{}, ntfy.Options{})
		cannotTell(t, client, full(), time.Now(), notify.Unknown, "may not have kept")
		if _, err := client.Send(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		cannotTell(t, client, full(), time.Now(), notify.Unknown, "may not have kept")
	})
	t.Run("has forgotten it", func(t *testing.T) {
		client := open(t, start(t, ntfytest.Options{}), ntfy.Config{}, ntfy.Options{})
		asks(t, client, full(), time.Now().Add(-11*time.Hour), false)
		cannotTell(t, client, full(), time.Now().Add(-13*time.Hour), notify.Unknown, "may not have kept")
	})
	t.Run("without buttons", func(t *testing.T) {
		no := false
		server := start(t, ntfytest.Options{})
		client := open(t, server, ntfy.Config{Replies: &no}, ntfy.Options{})
		cannotTell(t, client, full(), time.Now(), notify.Unknown, "may not have kept")
		if _, err := open(t, server, ntfy.Config{}, ntfy.Options{}).Send(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		other := notify.Message{Sequence: "other", Title: "Something else"}
		asks(t, client, other, time.Now().Add(-2*time.Hour), false) // what it shows, it has kept
	})
	for fault, want := range map[ntfytest.Fault]struct {
		trouble notify.Trouble
		says    string
	}{
		ntfytest.CutBefore: {notify.Unavailable, "there is no connection"},
		ntfytest.Broken:    {notify.Unavailable, "(50001)"},
		ntfytest.Gateway:   {notify.Unavailable, "(502)"},
		ntfytest.Late:      {notify.Unavailable, "(504)"},
		ntfytest.Limited:   {notify.Unavailable, "asked too often (42901)"},
		ntfytest.Denied:    {notify.Refused, "does not let the channel read"},
		ntfytest.Huge:      {notify.Unknown, "more than 4 MiB"},
		ntfytest.Garbage:   {notify.Unknown, "no event"},
		ntfytest.Page:      {notify.Unknown, "web page"},
		ntfytest.Redirect:  {notify.Refused, "does not say what it keeps of the topic (302)"},
	} {
		t.Run(string(fault), func(t *testing.T) {
			server := start(t, ntfytest.Options{})
			client := open(t, server, ntfy.Config{}, ntfy.Options{})
			if _, err := client.Send(t.Context(), full()); err != nil {
				t.Fatal(err)
			}
			server.SetTroubles(ntfytest.Trouble{Fault: fault, Use: ntfytest.Poll})
			cannotTell(t, client, full(), time.Now(), want.trouble, want.says)
		})
	}
	t.Run("half an answer", func(t *testing.T) {
		client, err := ntfy.New(ntfy.Config{URL: "https://ntfy.example.org", Topic: topic}, ntfy.Options{Transport: trip(func(*http.Request) (*http.Response, error) {
			return reply200(`{"id":"abcDEF012345","time":1790000000,"expires":1790043200,"event":"mess`), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		cannotTell(t, client, full(), time.Now(), notify.Unknown, "half a line")
	})
}
