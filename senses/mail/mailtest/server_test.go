package mailtest_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
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

// TestWrites: every attempt to change something is refused and seen.
func TestWrites(t *testing.T) {
	s := serve(t, mailtest.Options{})
	box := s.User(ines)
	box.Deliver("INBOX", numbered(1), morning)
	c := signIn(t, s, nil)
	if _, err := c.Select("INBOX", nil).Wait(); err == nil {
		t.Error("SELECT for writing")
	}
	open(t, c, "INBOX", examine())
	seen := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen, imap.FlagDeleted}}
	appended := c.Append("Drafts", 3, nil)
	_, _ = io.WriteString(appended, "a\r\n")
	_ = appended.Close()
	_, appendErr := appended.Wait()
	_, fetchErr := c.Fetch(uids(1, 1), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}).Collect()
	_, moveErr := c.Move(uids(1, 1), "Trash").Wait()
	_, copyErr := c.Copy(uids(1, 1), "Trash").Wait()
	_, expungeErr := c.Expunge().Collect()
	for what, err := range map[string]error{"APPEND": appendErr, "FETCH": fetchErr, "STORE": c.Store(uids(1, 1), seen, nil).Close(), "MOVE": moveErr, "COPY": copyErr,
		"EXPUNGE": expungeErr, "CREATE": c.Create("New", nil).Wait(), "DELETE": c.Delete("Junk").Wait(), "RENAME": c.Rename("Junk", "Spam", nil).Wait(),
		"SUBSCRIBE": c.Subscribe("Junk").Wait(), "CLOSE": c.UnselectAndExpunge().Wait()} {
		if err == nil {
			t.Errorf("%s is answered", what)
		}
	}
	var commands []string
	for _, w := range box.Writes() {
		commands = append(commands, w.Command)
	}
	want := []string{"SELECT", "APPEND", "FETCH", "MOVE", "COPY", "EXPUNGE", "STORE", "CREATE", "DELETE", "RENAME", "SUBSCRIBE", "CLOSE"}
	if !slices.Equal(commands, want) {
		t.Errorf("writes %v\n  want %v", commands, want)
	}
	if left := box.Flags("INBOX"); len(left) != 1 || len(left[1]) > 0 {
		t.Errorf("INBOX has %v", left)
	}
}

// TestBroken hands out messages that are none, as they stand.
func TestBroken(t *testing.T) {
	s := serve(t, mailtest.Options{})
	c := signIn(t, s, nil)
	for n, raw := range []string{"", "no header at all", "A: b\n\nlines that end in LF\n", "\r\n\r\nonly a body", strings.Repeat("x", 1<<20), "A: \x00\xff\r\n\r\n\x00"} {
		s.User(ines).Deliver("INBOX", []byte(raw), time.Time{})
		open(t, c, "INBOX", examine())
		all := &imap.FetchItemBodySection{Peek: true}
		m := fetch(t, c, imap.UIDSetNum(imap.UID(n+1)), &imap.FetchOptions{RFC822Size: true, InternalDate: true, BodySection: []*imap.FetchItemBodySection{all}})
		if len(m) != 1 || string(m[0].FindBodySection(all)) != raw ||
			m[0].RFC822Size != int64(len(raw)) || !m[0].InternalDate.Equal(morning) {
			t.Errorf("message %d is not what was delivered", n+1)
		}
	}
}
