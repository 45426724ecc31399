package mailtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

const (
	ines     = "ines@example.com"
	password = "a password"
	token    = "a token"
)

var morning = time.Date(2026, 3, 10, 8, 30, 0, 0, time.UTC)

func serve(t *testing.T, options mailtest.Options) *mailtest.Server {
	t.Helper()
	options.Users = []mailtest.User{{Name: ines, Password: password, Token: token}}
	options.Now = func() time.Time { return morning }
	s := mailtest.New(options)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect is a client that has not signed in.
func connect(t *testing.T, s *mailtest.Server, options *imapclient.Options) *imapclient.Client {
	t.Helper()
	conn, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	c := imapclient.New(conn, options)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func signIn(t *testing.T, s *mailtest.Server, options *imapclient.Options) *imapclient.Client {
	t.Helper()
	c := connect(t, s, options)
	if err := c.Login(ines, password).Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t *testing.T, c *imapclient.Client, folder string, options *imap.SelectOptions) *imap.SelectData {
	t.Helper()
	data, err := c.Select(folder, options).Wait()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func examine() *imap.SelectOptions { return &imap.SelectOptions{ReadOnly: true} }

func numbered(n int) []byte {
	return mailtest.Compose(mailtest.Message{From: "Omar <omar@example.org>", To: []string{ines}, Subject: fmt.Sprintf("Message %d", n),
		Text: strings.Repeat("A line of text.\n", 20), Date: morning, MessageID: fmt.Sprintf("message-%d@example.org", n)})
}

func uids(first, last imap.UID) imap.UIDSet {
	var s imap.UIDSet
	s.AddRange(first, last)
	return s
}

func fetch(t *testing.T, c *imapclient.Client, set imap.NumSet, options *imap.FetchOptions) []*imapclient.FetchMessageBuffer {
	t.Helper()
	all, err := c.Fetch(set, options).Collect()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReading(t *testing.T) {
	s := serve(t, mailtest.Options{})
	box := s.User(ines)
	for n := range 5 {
		box.Deliver("INBOX", numbered(n), morning.AddDate(0, 0, n), imap.FlagFlagged)
	}
	box.Expunge("INBOX", 2)
	c := signIn(t, s, nil)
	data := open(t, c, "INBOX", examine())
	if data.NumMessages != 4 || data.UIDNext != 6 || data.UIDValidity == 0 || data.HighestModSeq == 0 {
		t.Errorf("EXAMINE says %+v", data)
	}
	found, err := c.UIDSearch(&imap.SearchCriteria{Since: morning.AddDate(0, 0, 3)}, nil).Wait()
	if err != nil || !slices.Equal(found.AllUIDs(), []imap.UID{4, 5}) {
		t.Errorf("SINCE finds %v, %v", found.AllUIDs(), err)
	}
	found, err = c.UIDSearch(&imap.SearchCriteria{UID: []imap.UIDSet{uids(100, 0)}}, nil).Wait()
	if err != nil || !slices.Equal(found.AllUIDs(), []imap.UID{5}) {
		t.Errorf("UID 100:* finds %v, %v; it is the last", found.AllUIDs(), err)
	}
	found, err = c.UIDSearch(&imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: "message 3"}}}, &imap.SearchOptions{ReturnCount: true}).Wait()
	if err != nil || found.Count != 1 {
		t.Errorf("the subject is found %d times, %v", found.Count, err)
	}
	part := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Offset: 10, Size: 40}}
	head := &imap.FetchItemBodySection{Peek: true, Specifier: imap.PartSpecifierHeader}
	all := fetch(t, c, uids(4, 0), &imap.FetchOptions{UID: true, Flags: true, InternalDate: true, RFC822Size: true, Envelope: true, BodySection: []*imap.FetchItemBodySection{part, head}})
	if len(all) != 2 {
		t.Fatalf("%d messages", len(all))
	}
	m, want := all[0], numbered(3)
	if m.UID != 4 || m.SeqNum != 3 || !m.InternalDate.Equal(morning.AddDate(0, 0, 3)) || m.RFC822Size != int64(len(want)) ||
		m.Envelope.Subject != "Message 3" || !slices.Equal(m.Flags, []imap.Flag{imap.FlagFlagged}) {
		t.Errorf("message %+v", m)
	}
	if got := m.FindBodySection(part); !bytes.Equal(got, want[10:50]) {
		t.Errorf("a part of it is %q", got)
	}
	if got := m.FindBodySection(head); !bytes.Equal(got, want[:bytes.Index(want, []byte("\r\n\r\n"))+4]) {
		t.Errorf("its header is %q", got)
	}
	if w := box.Writes(); len(w) > 0 {
		t.Errorf("reading left %v", w)
	}
}

// TestCondstore follows flags by mod-sequences.
func TestCondstore(t *testing.T) {
	s := serve(t, mailtest.Options{})
	box := s.User(ines)
	for n := range 3 {
		box.Deliver("INBOX", numbered(n), morning)
	}
	c := signIn(t, s, nil)
	if !c.Caps().Has(imap.CapCondStore) {
		t.Fatalf("there is no CONDSTORE among %v", c.Caps())
	}
	before := open(t, c, "INBOX", &imap.SelectOptions{ReadOnly: true, CondStore: true}).HighestModSeq
	if all := fetch(t, c, uids(1, 0), &imap.FetchOptions{Flags: true, UID: true, ChangedSince: before}); len(all) != 0 {
		t.Errorf("%d messages changed since nothing changed", len(all))
	}
	box.SetFlags("INBOX", 2, imap.FlagSeen, "$Label")
	all := fetch(t, c, uids(1, 0), &imap.FetchOptions{Flags: true, UID: true, ModSeq: true, ChangedSince: before})
	var changed []*imapclient.FetchMessageBuffer
	for _, m := range all {
		if m.UID != 0 {
			changed = append(changed, m)
		}
	}
	if len(changed) != 1 || changed[0].UID != 2 || changed[0].ModSeq <= before || !slices.Equal(changed[0].Flags, []imap.Flag{"$Label", imap.FlagSeen}) {
		t.Errorf("changed is %+v", changed)
	}
	status, err := c.Status("INBOX", &imap.StatusOptions{HighestModSeq: true, UIDNext: true}).Wait()
	if err != nil || status.HighestModSeq != changed[0].ModSeq || status.UIDNext != 4 {
		t.Errorf("STATUS says %+v, %v", status, err)
	}
}

// TestLacking reads from a server that has few capabilities.
func TestLacking(t *testing.T) {
	s := serve(t, mailtest.Options{Without: []imap.Cap{imap.CapCondStore, imap.CapIdle, imap.CapSpecialUse, imap.CapESearch, imap.CapMove, imap.CapUIDPlus, imap.CapEnable}})
	s.User(ines).Deliver("INBOX", numbered(1), morning)
	c := signIn(t, s, nil)
	for _, lacking := range []imap.Cap{imap.CapCondStore, imap.CapIdle, imap.CapSpecialUse, imap.CapESearch, imap.CapMove, imap.CapUIDPlus, imap.CapEnable} {
		if c.Caps().Has(lacking) {
			t.Errorf("there is %s", lacking)
		}
	}
	if data := open(t, c, "INBOX", examine()); data.HighestModSeq != 0 || data.NumMessages != 1 {
		t.Errorf("EXAMINE says %+v", data)
	}
	if _, err := c.Idle(); err == nil {
		t.Error("IDLE is answered")
	}
	if _, err := c.Select("INBOX", &imap.SelectOptions{CondStore: true, ReadOnly: true}).Wait(); err == nil {
		t.Error("CONDSTORE is understood")
	}
	all, err := c.List("", "*", nil).Collect()
	if err != nil || len(all) != 6 || slices.ContainsFunc(all, func(d *imap.ListData) bool { return len(d.Attrs) > 0 }) {
		t.Errorf("LIST says %v, %v", all, err)
	}
}

func TestFolders(t *testing.T) {
	s := serve(t, mailtest.Options{})
	box := s.User(ines)
	box.Create("Work/Café", "")
	box.Rename("Archive", "Old")
	box.Delete("Junk")
	c := signIn(t, s, nil)
	all, err := c.List("", "*", nil).Collect()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]imap.MailboxAttr{}
	for _, d := range all {
		found[d.Mailbox] = d.Attrs
	}
	want := map[string][]imap.MailboxAttr{"INBOX": nil, "Sent": {imap.MailboxAttrSent}, "Drafts": {imap.MailboxAttrDrafts}, "Trash": {imap.MailboxAttrTrash},
		"Old": {imap.MailboxAttrArchive}, "Work/Café": nil}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("folders %v", found)
	}
	if _, err := c.Select("Junk", examine()).Wait(); err == nil {
		t.Error("a folder that was deleted opens")
	}
	before := open(t, c, "Work/Café", examine()).UIDValidity
	box.Deliver("Work/Café", numbered(1), morning)
	box.Renumber("Work/Café")
	if err := c.Noop().Wait(); err == nil {
		t.Error("the connection outlived that the folder was numbered anew")
	}
	c = signIn(t, s, nil)
	if data := open(t, c, "Work/Café", examine()); data.UIDValidity == before || data.NumMessages != 1 {
		t.Errorf("UIDVALIDITY is %d after %d", data.UIDValidity, before)
	}
}

// TestIdle waits for news without a clock.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, mailtest.Options{})
		box := s.User(ines)
		box.Deliver("INBOX", numbered(1), morning)
		box.Deliver("INBOX", numbered(2), morning)
		var seen []string
		options := &imapclient.Options{UnilateralDataHandler: &imapclient.UnilateralDataHandler{
			Mailbox: func(data *imapclient.UnilateralDataMailbox) {
				if data.NumMessages != nil {
					seen = append(seen, fmt.Sprintf("exists %d", *data.NumMessages))
				}
			},
			Expunge: func(n uint32) { seen = append(seen, fmt.Sprintf("expunge %d", n)) },
			Fetch: func(m *imapclient.FetchMessageData) {
				if b, err := m.Collect(); err == nil {
					seen = append(seen, fmt.Sprintf("flags %d %v", b.SeqNum, b.Flags))
				}
			},
		}}
		c := signIn(t, s, options)
		open(t, c, "INBOX", examine())
		idle, err := c.Idle()
		if err != nil {
			t.Fatal(err)
		}
		want := func(what ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(seen, what) {
				t.Errorf("IDLE told %q, not %q", seen, what)
			}
			seen = nil
		}
		want()
		box.Deliver("INBOX", numbered(3), morning)
		want("exists 3")
		box.Deliver("Archive", numbered(3), morning)
		want()
		box.SetFlags("INBOX", 3, imap.FlagSeen)
		want(`flags 3 [\Seen]`)
		box.Expunge("INBOX", 1, 2)
		want("expunge 1", "expunge 1")
		box.Move("Archive", 1, "INBOX")
		want("exists 2")
		s.Hang(mailtest.News)
		box.Deliver("INBOX", numbered(4), morning)
		want()
		s.Mend()
		want("exists 3")
		if err := idle.Close(); err != nil {
			t.Error(err)
		}
		if err := idle.Wait(); err != nil {
			t.Error(err)
		}
		idle, err = c.Idle()
		if err != nil {
			t.Fatal(err)
		}
		s.Drop()
		if err := idle.Wait(); err == nil {
			t.Error("IDLE outlived its connection")
		}
	})
}

// TestWrites shows that every attempt to change something is seen.
func TestWrites(t *testing.T) {
	s := serve(t, mailtest.Options{})
	box := s.User(ines)
	for n := range 4 {
		box.Deliver("INBOX", numbered(n), morning)
	}
	c := signIn(t, s, nil)
	open(t, c, "INBOX", examine())
	whole := &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}
	seen := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen, imap.FlagDeleted}}
	fetch(t, c, uids(1, 1), whole)
	if err := c.Store(uids(1, 1), seen, nil).Close(); err == nil {
		t.Error("STORE into a folder that is open for reading")
	}
	if _, err := c.Move(uids(1, 1), "Trash").Wait(); err == nil {
		t.Error("MOVE out of a folder that is open for reading")
	}
	if _, err := c.Expunge().Collect(); err == nil {
		t.Error("EXPUNGE of a folder that is open for reading")
	}
	if err := c.UnselectAndExpunge().Wait(); err != nil {
		t.Error(err)
	}
	for uid, flags := range box.Flags("INBOX") {
		if len(flags) > 0 {
			t.Errorf("message %d has %v", uid, flags)
		}
	}
	open(t, c, "INBOX", nil)
	fetch(t, c, uids(1, 1), whole)
	if err := c.Store(uids(2, 2), seen, nil).Close(); err != nil {
		t.Error(err)
	}
	if data, err := c.Move(uids(3, 3), "Trash").Wait(); err != nil || data.DestUIDs.(imap.UIDSet).String() != "1" {
		t.Errorf("MOVE says %+v, %v", data, err)
	}
	if _, err := c.Copy(uids(4, 4), "Archive").Wait(); err != nil {
		t.Error(err)
	}
	if gone, err := c.Expunge().Collect(); err != nil || !slices.Equal(gone, []uint32{2}) {
		t.Errorf("EXPUNGE says %v, %v", gone, err)
	}
	appended := c.Append("Drafts", 3, nil)
	if _, err := io.WriteString(appended, "a\r\n"); err != nil {
		t.Error(err)
	}
	_ = appended.Close()
	if data, err := appended.Wait(); err != nil || data.UID != 1 {
		t.Errorf("APPEND says %+v, %v", data, err)
	}
	want := []mailtest.Write{{"FETCH", "INBOX"}, {"STORE", "INBOX"}, {"MOVE", "INBOX"}, {"EXPUNGE", "INBOX"}, {"SELECT", "INBOX"}, {"FETCH", "INBOX"},
		{"STORE", "INBOX"}, {"MOVE", "INBOX"}, {"COPY", "INBOX"}, {"EXPUNGE", "INBOX"}, {"APPEND", "Drafts"}}
	if got := box.Writes(); !slices.Equal(got, want) {
		t.Errorf("writes %v\n  want %v", got, want)
	}
	left := box.Flags("INBOX")
	if want := map[imap.UID][]imap.Flag{1: {imap.FlagSeen}, 4: nil}; !reflect.DeepEqual(left, want) {
		t.Errorf("INBOX has %v", left)
	}
}

// TestFaults has the server fail in each of its ways and then mends it.
func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, mailtest.Options{})
		s.User(ines).Deliver("INBOX", numbered(1), morning)
		s.Refuse(mailtest.NoConnection, 1)
		if _, err := s.Dial(); err == nil {
			t.Error("a connection is taken")
		}
		s.Refuse(mailtest.Busy, 1)
		if err := connect(t, s, nil).WaitGreeting(); err == nil {
			t.Error("a busy server greets")
		}
		for _, how := range []mailtest.Refusal{mailtest.BadSignIn, mailtest.Unavailable} {
			s.Refuse(how, -1)
			for range 3 {
				if err := connect(t, s, nil).Login(ines, password).Wait(); err == nil {
					t.Errorf("%s: signed in", how)
				}
			}
		}
		s.Mend()
		for stage, do := range map[mailtest.Stage]func(*imapclient.Client) error{
			mailtest.Listing: func(c *imapclient.Client) error { _, err := c.List("", "*", nil).Collect(); return err },
			mailtest.Opening: func(c *imapclient.Client) error { _, err := c.Select("INBOX", examine()).Wait(); return err },
			mailtest.Search: func(c *imapclient.Client) error {
				_, err := c.UIDSearch(&imap.SearchCriteria{}, nil).Wait()
				return err
			},
			mailtest.Fetch: func(c *imapclient.Client) error {
				_, err := c.Fetch(uids(1, 0), &imap.FetchOptions{Flags: true}).Collect()
				return err
			},
			mailtest.Body: func(c *imapclient.Client) error {
				_, err := c.Fetch(uids(1, 0), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{Peek: true}}}).Collect()
				return err
			},
			mailtest.Idling: func(c *imapclient.Client) error { i, err := c.Idle(); return errors.Join(err, closed(i)) },
		} {
			c := signIn(t, s, nil)
			open(t, c, "INBOX", examine())
			s.Hang(stage)
			done := make(chan error, 1)
			go func() { done <- do(c) }()
			synctest.Wait()
			select {
			case err := <-done:
				t.Errorf("%s does not hang: %v", stage, err)
			default:
				s.Mend()
				if err := <-done; err != nil {
					t.Errorf("%s after it hung: %v", stage, err)
				}
			}
		}
		s.Slow(3 * time.Second)
		began := time.Now()
		c := signIn(t, s, nil)
		if took := time.Since(began); took < 3*time.Second {
			t.Errorf("a slow server signs in within %s", took)
		}
		s.Mend()
		s.Drop()
		if err := c.Noop().Wait(); err == nil {
			t.Error("a connection that was cut answers")
		}
		s.Hang(mailtest.Greeting) // Close has to end it
		connect(t, s, nil)
		synctest.Wait()
	})
}

func closed(i *imapclient.IdleCommand) error {
	if i == nil {
		return nil
	}
	return errors.Join(i.Close(), i.Wait())
}

// TestMany makes a large folder of which little is read.
func TestMany(t *testing.T) {
	s := serve(t, mailtest.Options{})
	box := s.User(ines)
	made := 0
	box.DeliverMany("INBOX", 100_000, func(i int) time.Time { return morning.Add(time.Duration(i-100_000) * time.Minute) },
		func(i int) []byte { made++; return numbered(i) }, imap.FlagSeen)
	c := signIn(t, s, nil)
	if data := open(t, c, "INBOX", examine()); data.NumMessages != 100_000 {
		t.Errorf("%d messages", data.NumMessages)
	}
	found, err := c.UIDSearch(&imap.SearchCriteria{Since: morning}, nil).Wait()
	if err != nil || len(found.AllUIDs()) != 8*60+30 {
		t.Errorf("%d messages of today, %v", len(found.AllUIDs()), err)
	}
	before := s.Traffic()
	all := fetch(t, c, uids(100_000, 100_000), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{Peek: true}}})
	if len(all) != 1 || made != 1 || !bytes.Equal(all[0].BodySection[0].Bytes, numbered(99_999)) {
		t.Errorf("%d messages, %d made", len(all), made)
	}
	after := s.Traffic()
	if after.Commands-before.Commands != 1 || after.Written-before.Written < int64(len(numbered(99_999))) || after.Written-before.Written > 2000 {
		t.Errorf("traffic went from %+v to %+v", before, after)
	}
}

// TestListen reads over a socket, and Close frees its address.
func TestListen(t *testing.T) {
	s := serve(t, mailtest.Options{})
	addr, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	c, err := imapclient.DialInsecure(addr.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.Login(ines, password).Wait(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", addr.String()); err == nil {
		_ = conn.Close()
		t.Error("a closed server listens")
	}
	if _, err := s.Dial(); err == nil {
		t.Error("a closed server is reached")
	}
}
