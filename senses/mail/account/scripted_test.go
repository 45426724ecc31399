package account_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// scripted is a server of few words, which a test makes say anything at all.
type scripted struct {
	// greeting is what it begins with; "" is a usual one.
	greeting string
	// answer answers a command itself and returns true, or leaves it.
	answer func(w io.Writer, tag, command string) bool
	// wrap is put around a connection; nil: nothing.
	wrap func(n int, conn net.Conn) net.Conn

	mu          sync.Mutex
	connections int
	commands    []string
	all         sync.WaitGroup
}

const oneMessage = "From: omar@example.org\r\nSubject: Hello\r\n\r\nSome words.\r\n"

// usual are its answers where the test has none.
func usual(w io.Writer, tag, command string, r *bufio.Reader) {
	ok := func(lines ...string) {
		for _, line := range lines {
			fmt.Fprintf(w, "* %s\r\n", line)
		}
		fmt.Fprintf(w, "%s OK done\r\n", tag)
	}
	switch verb, _, _ := strings.Cut(strings.TrimPrefix(command, "UID "), " "); verb {
	case "CAPABILITY":
		ok("CAPABILITY IMAP4rev1 IDLE AUTH=PLAIN AUTH=XOAUTH2 SASL-IR CONDSTORE")
	case "LIST":
		ok(`LIST (\HasNoChildren) "/" INBOX`, `LIST (\Sent) "/" "Sent"`, `LIST () "/" {7}`+"\r\nArchive")
	case "EXAMINE":
		ok(`FLAGS (\Seen \Answered)`, "3 EXISTS", "OK [UIDVALIDITY 7] valid", "OK [UIDNEXT 4] next", "OK [HIGHESTMODSEQ 12] modified")
	case "SEARCH":
		ok("SEARCH 1 2 3")
	case "FETCH":
		size := ""
		if strings.Contains(command, "BODY.PEEK[") {
			size = fmt.Sprintf(` RFC822.SIZE %d INTERNALDATE " 2-Mar-2026 10:00:00 +0100" BODY[]<0> {%d}`+"\r\n%s", len(oneMessage), len(oneMessage), oneMessage)
		}
		ok(fmt.Sprintf(`1 FETCH (UID 1 FLAGS (\Seen)%s)`, size), fmt.Sprintf(`2 FETCH (UID 2 FLAGS ()%s)`, size))
	case "IDLE":
		fmt.Fprint(w, "+ idling\r\n")
		if line, err := r.ReadString('\n'); err == nil && line == "DONE\r\n" {
			ok()
		}
	case "LOGOUT":
		ok("BYE bye")
	default:
		ok()
	}
}

// count is how many connections there were.
func (s *scripted) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

// dial connects to it without a socket.
func (s *scripted) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	s.mu.Lock()
	s.connections++
	n := s.connections
	s.mu.Unlock()
	conn := net.Conn(theirs)
	if s.wrap != nil {
		conn = s.wrap(n, conn)
	}
	s.all.Go(func() {
		defer func() { _ = conn.Close() }()
		s.serve(conn)
	})
	return ours, nil
}

func (s *scripted) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	greeting := s.greeting
	if greeting == "" {
		greeting = "* OK ready\r\n"
	}
	if _, err := io.WriteString(conn, greeting); err != nil {
		return
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		tag, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.mu.Lock()
		s.commands = append(s.commands, line[:len(line)-2])
		s.mu.Unlock()
		if s.answer == nil || !s.answer(conn, tag, command) {
			usual(conn, tag, command, r)
		}
	}
}

// open makes an account of it, which is stopped with the test.
func (s *scripted) open(t *testing.T, change func(*account.Options)) *account.Account {
	t.Helper()
	o := account.Options{Name: "home", Host: "mail.example.com", Security: account.None, User: ines, Password: known(password), Dial: s.dial}
	if change != nil {
		change(&o)
	}
	a, err := account.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.stop(t, a) })
	return a
}

// stop ends the account and waits for the server.
func (s *scripted) stop(t *testing.T, a *account.Account) {
	t.Helper()
	if err := a.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	s.all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	changesNothing(t, s.commands)
	s.commands = nil
}

// visit asks everything that there is to ask.
func visit(ctx context.Context, s *account.Session) error {
	if _, err := s.Folders(ctx); err != nil {
		return err
	}
	if _, err := s.Examine(ctx, "INBOX"); err != nil {
		return err
	}
	uids, err := s.After(ctx, 0, 100)
	if err != nil {
		return err
	}
	if _, err := s.Since(ctx, arrival(0), 100); err != nil {
		return err
	}
	skip := func(account.Raw) error { return nil }
	if err := s.Headers(ctx, uids, skip); err != nil {
		return err
	}
	if err := s.Messages(ctx, uids, 1<<16, skip); err != nil {
		return err
	}
	_, err = s.Flags(ctx, append(uids, imap.UID(9)))
	return err
}

func TestUsualServer(t *testing.T) {
	s := &scripted{}
	a := s.open(t, nil)
	do(t, a, func(session *account.Session) error {
		if err := visit(t.Context(), session); err != nil {
			return err
		}
		n := 0
		err := session.Messages(t.Context(), []imap.UID{1, 2, 3}, 1<<16, func(raw account.Raw) error {
			n++
			if string(raw.Body) != oneMessage || raw.Received.Unix() != 1772442000 {
				t.Errorf("message: %+v", raw)
			}
			return nil
		})
		if n != 2 {
			t.Errorf("%d messages", n)
		}
		return err
	})
}
