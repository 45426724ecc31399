package mail

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	me    = "ines@example.com"
	boss  = "carla@example.org"
	other = "tom@example.net"
)

// now is the time of these tests: a Tuesday.
var now = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

// house is a mailbox, a sense over it, and what was committed.
type house struct {
	t      testing.TB
	server *mailtest.Server
	box    *mailtest.Box
	config Config
	sense  *Sense
	at     time.Time
	sensetest.Kept
	// stands is what stands, by ID; told is all that was told, in order.
	stands map[string]subconscious.Observation
	told   []string
	last   senses.Batch
	// committed is called after each commit, where it is set.
	committed func()
	// through is put between the sense and the server; nil: nothing.
	through func(net.Conn) net.Conn
}

func newHouse(t testing.TB, options mailtest.Options, change ...func(*Config)) *house {
	t.Helper()
	options.Users = []mailtest.User{{Name: me, Password: "secret"}}
	h := &house{t: t, server: mailtest.New(options), at: now, stands: map[string]subconscious.Observation{}}
	h.box = h.server.User(me)
	off := false
	h.config = Config{ID: "home", Host: "localhost", Security: account.None, User: me, Password: secret.Ref{File: "unused"}, Idle: &off}
	for _, f := range change {
		f(&h.config)
	}
	t.Cleanup(func() {
		h.stop()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := h.server.Close(ctx); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
	h.restart()
	return h
}

func (h *house) options(rows senses.RowReader) Options {
	return Options{
		Rows:     rows,
		Zone:     func() *time.Location { return time.UTC },
		Password: func(context.Context) (secret.Value, error) { return secret.New("secret"), nil },
		Dial: func(context.Context, string, string) (net.Conn, error) {
			conn, err := h.server.Dial()
			if err == nil && h.through != nil {
				conn = h.through(conn)
			}
			return conn, err
		},
	}
}

func (h *house) stop() {
	if h.sense == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.sense.Stop(ctx); err != nil {
		h.t.Errorf("stop: %v", err)
	}
	h.sense = nil
}

// restart opens the sense afresh over what was committed.
func (h *house) restart() {
	h.t.Helper()
	h.stop()
	s, err := New(h.config, h.options(h))
	if err != nil {
		h.t.Fatalf("open the sense: %v", err)
	}
	h.sense = s
}

// collect is one that is not committed.
func (h *house) collect() (senses.Batch, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return h.sense.Collect(ctx, h.at, h.Cursor)
}

// tick is one that is committed, five minutes later. It returns what was told
// in it: "mail ID", also of a letter that stands, "+kind ID", "~kind ID", "-kind ID".
func (h *house) tick() []string {
	h.t.Helper()
	h.at = h.at.Add(5 * time.Minute)
	batch, err := h.collect()
	if err != nil {
		h.t.Fatalf("Collect: %v", err)
	}
	return h.commit(batch)
}

func (h *house) commit(batch senses.Batch) []string {
	var told []string
	for _, o := range batch.Changes {
		told = append(told, o.Kind+" "+o.ID)
	}
	for _, set := range batch.Sets {
		stands := map[string]subconscious.Observation{}
		for _, o := range set.Items {
			stands[o.ID] = o
			switch before, stood := h.stands[o.ID]; {
			case !stood && o.Kind == kindMail:
				told = append(told, "mail "+o.ID)
			case !stood:
				told = append(told, "+"+o.Kind+" "+o.ID)
			case before.Fingerprint != o.Fingerprint || before.Severity != o.Severity:
				told = append(told, "~"+o.Kind+" "+o.ID)
			}
		}
		for id, o := range h.stands {
			if _, still := stands[id]; !still {
				told = append(told, "-"+o.Kind+" "+id)
			}
		}
		h.stands = stands
	}
	h.Keep(batch)
	h.last = batch
	if h.committed != nil {
		h.committed()
	}
	slices.Sort(told)
	h.told = append(h.told, told...)
	return told
}

// ticks collects until a first collect is over, and returns all that was told.
func (h *house) ticks() []string {
	h.t.Helper()
	var told []string
	for range 100 {
		told = append(told, h.tick()...)
		if !h.last.Starting {
			return told
		}
	}
	h.t.Fatal("the first collect was not over after 100 ticks")
	return nil
}

// expect checks what was told.
func (h *house) expect(what string, got []string, want ...string) {
	h.t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		h.t.Errorf("%s: told %q, should be %q (degraded: %q)", what, got, want, h.last.Degraded)
	}
}

// message is one to the person from somebody, received an hour ago.
func (h *house) message(id, from, subject, text string) mailtest.Message {
	return mailtest.Message{From: from, To: []string{"Ines Vidal <" + me + ">"}, Subject: subject, Text: text, Date: h.at.Add(-time.Hour), MessageID: id + "@example.org"}
}

// deliver puts it into a folder.
func (h *house) deliver(folder string, l mailtest.Message, flags ...imap.Flag) imap.UID {
	return h.deliverAt(folder, l, h.at.Add(-time.Hour), flags...)
}

func (h *house) deliverAt(folder string, l mailtest.Message, at time.Time, flags ...imap.Flag) imap.UID {
	l.Date = at
	return h.box.Deliver(folder, mailtest.Compose(l), at, flags...)
}

// writes are what the person wrote to somebody.
func (h *house) writes(id, to, subject, text string) mailtest.Message {
	return mailtest.Message{From: "Ines Vidal <" + me + ">", To: []string{to}, Subject: subject, Text: text, Date: h.at.Add(-time.Hour), MessageID: id + "@example.com"}
}

// knows lets the person have written to somebody a month ago.
func (h *house) knows(address string) {
	h.deliverAt("Sent", h.writes("old-"+strings.ReplaceAll(address, "@", "-at-"), address, "Notes", "Here are the notes."), h.at.Add(-30*24*time.Hour), imap.FlagSeen)
}
