package daemon_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// hostileServer speaks just enough IMAP to be signed in to, and then answers as
// it likes.
type hostileServer struct {
	listener net.Listener
	serving  sync.WaitGroup
}

// serveHostile answers each command behind LOGIN with what answer writes; it
// returns when the connection is done with.
func serveHostile(t *testing.T, answer func(w net.Conn, tag, command string) bool) *hostileServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &hostileServer{listener: listener}
	s.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.serving.Go(func() { s.talk(conn, answer) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.serving.Wait()
	})
	return s
}

func (s *hostileServer) talk(conn net.Conn, answer func(w net.Conn, tag, command string) bool) {
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprint(conn, "* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n")
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		tag, command, _ := strings.Cut(lines.Text(), " ")
		switch verb, _, _ := strings.Cut(command, " "); strings.ToUpper(verb) {
		case "LOGIN":
			_, _ = fmt.Fprintf(conn, "%s OK [CAPABILITY IMAP4rev1 IDLE] in\r\n", tag)
		case "CAPABILITY":
			_, _ = fmt.Fprintf(conn, "* CAPABILITY IMAP4rev1 IDLE\r\n%s OK done\r\n", tag)
		case "LOGOUT":
			return
		default:
			if !answer(conn, tag, command) {
				return
			}
		}
	}
}

// TestHostileMailServer: whatever a mail server sends, ticks end in their time,
// the other senses go on, the sense is blind and that is told once.
func TestHostileMailServer(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w net.Conn, tag, command string) bool{
		"a literal of 950 MB": func(w net.Conn, _, _ string) bool {
			_, _ = fmt.Fprint(w, "* 1 FETCH (BODY[] {950000000}\r\n")
			for range 2_000 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return false
				}
			}
			return false
		},
		"an endless line": func(w net.Conn, _, _ string) bool {
			_, _ = fmt.Fprint(w, "* OK ")
			for {
				if _, err := w.Write([]byte(strings.Repeat("x", 64<<10))); err != nil {
					return false
				}
			}
		},
		"a million brackets": func(w net.Conn, _, _ string) bool {
			_, err := fmt.Fprint(w, "* 1 FETCH (BODYSTRUCTURE "+strings.Repeat("(", 1_000_000))
			return err == nil
		},
		"nonsense": func(w net.Conn, tag, _ string) bool {
			_, err := fmt.Fprintf(w, "* \x00\xff)(\r\n%s WHAT\r\n", tag)
			return err == nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveHostile(t, answer)
			address := s.listener.Addr().(*net.TCPAddr)
			w := newWorld(t)
			w.options.Env = func(name string) (string, bool) { return "secret", name == "MAIL_PASSWORD" }
			w.options.Config.Senses.Mail = []mail.Config{{ID: "home", Host: "127.0.0.1", Port: address.Port, Security: account.None, User: "ines@example.com", Password: secret.Ref{Env: "MAIL_PASSWORD"}}}
			w.begin()
			blind, told := 0, 0
			for range 8 {
				report := w.tick()
				if w.mailState().State == "blind" {
					blind++
				}
				for _, m := range report.Told {
					if m.Kind == "notice" && strings.Contains(strings.ToLower(m.Title+m.Text), "mail") {
						told++
					}
				}
				w.clock.advance(slot)
			}
			if blind != 8 || told != 1 {
				t.Errorf("the sense was blind at %d of 8 ticks, which was told %d times, should once", blind, told)
			}
		})
	}
}
