package mail

import (
	"bytes"
	"context"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// poisoned ends each connection over which a mark is read.
type poisoned struct {
	net.Conn
	mark string
	read *atomic.Int64
}

func (p *poisoned) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if bytes.Contains(b[:n], []byte(p.mark)) {
		p.read.Add(1)
		_ = p.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

func TestMessageThatEndsTheConnection(t *testing.T) {
	for _, where := range []string{"body", "header"} {
		t.Run(where, func(t *testing.T) {
			h := newHouse(t, mailtest.Options{})
			h.knows(boss)
			h.ticks()
			var read atomic.Int64
			s, err := New(h.config, func() Options {
				o := h.options(h)
				o.Dial = func(context.Context, string, string) (net.Conn, error) {
					conn, err := h.server.Dial()
					return &poisoned{conn, "qzpoisonqz", &read}, err
				}
				return o
			}())
			if err != nil {
				t.Fatal(err)
			}
			h.stop()
			h.sense = s
			for _, id := range []string{"a", "b"} {
				h.deliver("INBOX", h.message(id, other, "News", "It went well."))
			}
			bad := h.message("bad", other, "News", "It went qzpoisonqz well.")
			if where == "header" {
				bad.Subject = "qzpoisonqz"
			}
			h.deliver("INBOX", bad)
			for _, id := range []string{"c", "d"} {
				h.deliver("INBOX", h.message(id, other, "News", "It went well."))
			}
			var told []string
			for range 4 {
				told = append(told, h.tick()...)
			}
			h.expect("all but one", sorted(told), "mail mid:a@example.org", "mail mid:b@example.org", "mail mid:c@example.org", "mail mid:d@example.org")
			if !strings.Contains(h.last.Degraded, "1 message could not be read, and was passed over") {
				t.Errorf("degraded: %q", h.last.Degraded)
			}
			tries := read.Load()
			h.expect("nothing more", h.tick())
			if read.Load() != tries || tries > 6 {
				t.Errorf("it was read %d times, and then %d", tries, read.Load())
			}
			h.at = h.at.Add(25 * time.Hour)
			h.tick()
			if h.last.Degraded != "" {
				t.Errorf("a day later: %q", h.last.Degraded)
			}
		})
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func TestWhatIsNoMessage(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.ticks()
	h.box.Deliver("INBOX", []byte("\r\n\r\n"), h.at)
	h.box.Deliver("INBOX", nil, h.at)
	h.deliver("INBOX", h.message("a", other, "News", "It went well."))
	h.expect("the rest is told", h.tick(), "mail mid:a@example.org")
	if !strings.Contains(h.last.Degraded, "2 messages could not be read") {
		t.Errorf("degraded: %q", h.last.Degraded)
	}
	h.expect("once", h.tick())
}

func TestConnectionThatBreaksAnywhere(t *testing.T) {
	// However much of a collect goes through, all is told once in the end.
	h := newHouse(t, mailtest.Options{}, watching("INBOX", "Archive"))
	h.knows(boss)
	h.ticks()
	want := map[string]bool{}
	for n := range 60 {
		id := string(rune('a'+n%26)) + strings.Repeat("x", n/26)
		h.deliver([]string{"INBOX", "Archive"}[n%2], h.message(id, other, "News", "It went well."), []imap.Flag{}...)
		want["mail mid:"+id+"@example.org"] = true
	}
	var left atomic.Int64
	h.stop()
	o := h.options(h)
	o.Dial = func(context.Context, string, string) (net.Conn, error) {
		conn, err := h.server.Dial()
		return &short{conn, &left}, err
	}
	s, err := New(h.config, o)
	if err != nil {
		t.Fatal(err)
	}
	h.sense = s
	h.told = nil
	for n := int64(200); n < 30_000; n += 1_700 {
		left.Store(n)
		h.at = h.at.Add(5 * time.Minute)
		batch, err := h.collect()
		if err == nil && n%3 != 0 {
			h.commit(batch)
		}
	}
	left.Store(1 << 40)
	for range 3 {
		h.tick()
	}
	got := map[string]int{}
	for _, what := range h.told {
		got[what]++
	}
	for what := range want {
		if got[what] != 1 {
			t.Errorf("%s: told %d times", what, got[what])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d observations were told, should be %d", len(got), len(want))
	}
	if h.last.Degraded != "" {
		t.Errorf("degraded: %q", h.last.Degraded)
	}
}

// short is a connection that ends when so many bytes were read.
type short struct {
	net.Conn
	left *atomic.Int64
}

func (s *short) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	if s.left.Add(-int64(n)) < 0 {
		_ = s.Close()
		return 0, net.ErrClosed
	}
	return n, err
}
