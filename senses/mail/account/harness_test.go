package account_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

const (
	ines     = "ines@example.com"
	password = "correct-horse-battery-9"
	token    = "ya29.token-of-a-test-0123456789"
)

// allowed is what the client may ever send: nothing of it changes anything. "…"
// is what the server keeps of an answer in a sign-in.
var allowed = regexp.MustCompile(`^(CAPABILITY|NOOP|LOGIN .*|AUTHENTICATE .*|STARTTLS|LIST .*|EXAMINE .*|` +
	`UID SEARCH .*|UID FETCH [0-9:,]+ \(` + fetched + `( ` + fetched + `)*\)|IDLE|DONE|LOGOUT|…)$`)

const fetched = `(UID|FLAGS|INTERNALDATE|RFC822\.SIZE|BODY\.PEEK\[(HEADER\.FIELDS \([^()\[\]]*\))?\]<0\.\d+>)`

func TestTheListItself(t *testing.T) {
	for _, command := range []string{
		"UID FETCH 1:3 (UID BODY[])", "UID FETCH 1 (UID RFC822)", "UID FETCH 1 (UID BODY.PEEK[])", "FETCH 1 (FLAGS)", "UID FETCH 1 (UID BODY[HEADER]<0.5>)",
		"SELECT INBOX", "UID STORE 1 +FLAGS (\\Seen)", "EXPUNGE", "CLOSE", "UID COPY 1 Trash", "APPEND INBOX {3}", "DELETE INBOX", "UID SEARCHX", "noop",
	} {
		if allowed.MatchString(command) {
			t.Errorf("%q is on the list", command)
		}
	}
}

// changesNothing fails the test if a line that a client sent could change
// anything.
func changesNothing(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		if strings.HasPrefix(line, "\x16\x03") {
			continue // TLS, where there is none
		}
		command := line
		if tag, rest, ok := strings.Cut(line, " "); ok && regexp.MustCompile(`^[A-Z]+\d+$`).MatchString(tag) {
			command = rest
		}
		if !allowed.MatchString(command) {
			t.Errorf("a client sent %q, which is not on the list", line)
		}
	}
}

// serve starts a server for the time of the test, and checks at its end what
// clients asked.
func serve(t *testing.T, change func(*mailtest.Options)) *mailtest.Server {
	t.Helper()
	options := mailtest.Options{Users: []mailtest.User{{Name: ines, Password: password, Token: token}}}
	if change != nil {
		change(&options)
	}
	server := mailtest.New(options)
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
		commands := server.Commands()
		changesNothing(t, commands)
		for _, u := range options.Users {
			for _, w := range server.User(u.Name).Writes() {
				t.Errorf("it tried to change something: %+v", w)
			}
		}
	})
	return server
}

// options are those of an account of the server without a socket.
func options(server *mailtest.Server) account.Options {
	return account.Options{
		Name: "home", Host: "mail.example.com", Security: account.None, User: ines, Password: known(password),
		Dial: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
	}
}

func known(text string) func(context.Context) (secret.Value, error) {
	return func(context.Context) (secret.Value, error) { return secret.New(text), nil }
}

// open makes an account that is stopped with the test.
func open(t *testing.T, o account.Options) *account.Account {
	t.Helper()
	a, err := account.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

// do runs f, which must succeed.
func do(t *testing.T, a *account.Account, f func(s *account.Session) error) {
	t.Helper()
	if err := a.Do(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// read is all of INBOX, by UID.
func read(ctx context.Context, s *account.Session) (map[imap.UID]account.Raw, error) {
	if _, err := s.Examine(ctx, "INBOX"); err != nil {
		return nil, err
	}
	uids, err := s.After(ctx, 0, 1000)
	if err != nil {
		return nil, err
	}
	all := make(map[imap.UID]account.Raw)
	return all, s.Messages(ctx, uids, 1<<16, func(raw account.Raw) error {
		all[raw.UID] = raw
		return nil
	})
}

// message is message number i.
func message(i int) []byte {
	return mailtest.Compose(mailtest.Message{
		From: "Omar Reyes <omar@example.org>", To: []string{ines}, Subject: fmt.Sprintf("Message %d", i),
		Text: strings.Repeat("Some words.\n", i%7), Date: arrival(i),
	})
}

func arrival(i int) time.Time {
	return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
}

// says fails unless err is kind, its text has each of the parts, and no secret.
func says(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	if err == nil || kind != nil && !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
	clean(t, err.Error())
}

// clean fails if there is a secret in text.
func clean(t *testing.T, text string) {
	t.Helper()
	if found := leaks(text); len(found) > 0 {
		t.Errorf("a secret is in what was said: %s", found)
	}
}

func logger(w *testutil.Log) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
