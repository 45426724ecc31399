package account_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// meddled serves one connection with STARTTLS by f and returns the options of an
// account of it, with all that the client sent in the clear.
func meddled(t *testing.T, f func(conn net.Conn, r *bufio.Reader)) (account.Options, *strings.Builder) {
	t.Helper()
	var all sync.WaitGroup
	var clear strings.Builder
	t.Cleanup(all.Wait)
	cert := authority(t, time.Now(), "mail.example.com")
	return account.Options{
		Host: "mail.example.com", Security: account.StartTLS, User: ines, Password: known(password), RootCAs: cert.Pool,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			all.Go(func() {
				defer func() { _ = theirs.Close() }()
				f(theirs, bufio.NewReader(io.TeeReader(theirs, &clear)))
				_, _ = io.Copy(&clear, theirs)
			})
			return ours, nil
		},
	}, &clear
}

// reply writes text when a line has come.
func reply(conn net.Conn, r *bufio.Reader, text string) {
	if _, err := r.ReadString('\n'); err == nil {
		_, _ = io.WriteString(conn, text)
	}
}

func TestMeddledStartTLS(t *testing.T) {
	greeting := "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n"
	for name, c := range map[string]struct {
		f    func(conn net.Conn, r *bufio.Reader)
		want error
		say  string
	}{
		"stripped": {func(conn net.Conn, r *bufio.Reader) {
			_, _ = io.WriteString(conn, greeting)
			reply(conn, r, "S1 BAD no such command\r\n")
		}, account.ErrSecure, "use security tls"},
		"signed in already": {func(conn net.Conn, r *bufio.Reader) {
			_, _ = io.WriteString(conn, "* PREAUTH welcome\r\n")
		}, account.ErrSecure, "right port"},
		"busy": {func(conn net.Conn, r *bufio.Reader) {
			_, _ = io.WriteString(conn, "* BYE too many\r\n")
		}, account.ErrBusy, "too many"},
		"closed": {func(conn net.Conn, r *bufio.Reader) { _ = conn.Close() }, account.ErrLost, "before TLS"},
		"injected": {func(conn net.Conn, r *bufio.Reader) {
			_, _ = io.WriteString(conn, greeting)
			reply(conn, r, "S1 OK go\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n")
		}, account.ErrSecure, "meddling"},
		"injected later": {func(conn net.Conn, r *bufio.Reader) {
			_, _ = io.WriteString(conn, greeting)
			reply(conn, r, "S1 OK go\r\n")
			_, _ = conn.Read(make([]byte, 4096)) // the beginning of TLS
			_, _ = io.WriteString(conn, "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n")
		}, account.ErrSecure, "meddling"},
		"endless line": {func(conn net.Conn, r *bufio.Reader) { flood(conn, "* OK ", huge) }, account.ErrBounds, "line"},
		"endless lines": {func(conn net.Conn, r *bufio.Reader) {
			_, _ = io.WriteString(conn, greeting)
			_, _ = r.ReadString('\n')
			flood(conn, "* OK wait\r\n", huge)
		}, account.ErrLost, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o, clear := meddled(t, c.f)
			a, err := account.New(o)
			if err != nil {
				t.Fatal(err)
			}
			says(t, a.Do(t.Context(), nothing), c.want, c.say)
			if err := a.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			t.Cleanup(func() { // behind the server's end
				for _, verb := range []string{"LOGIN", "AUTHENTICATE", "correct", "ines"} {
					if strings.Contains(clear.String(), verb) {
						t.Errorf("%s was sent in the clear: %q", verb, clear.String())
					}
				}
			})
		})
	}
}

// TestWhatCameBeforeTLSCountsForNothing has capabilities in the clear that are
// not those behind TLS.
func TestWhatCameBeforeTLSCountsForNothing(t *testing.T) {
	cert := authority(t, time.Now(), "mail.example.com")
	said := make(chan string, 1)
	o, _ := meddled(t, func(conn net.Conn, r *bufio.Reader) {
		_, _ = io.WriteString(conn, "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n")
		reply(conn, r, "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nS1 OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] go\r\n")
		secure := tls.Server(conn, cert.Config)
		lines := bufio.NewReader(secure)
		line, _ := lines.ReadString('\n')
		said <- line
		tag, _, _ := strings.Cut(line, " ")
		_, _ = fmt.Fprintf(secure, "* CAPABILITY IMAP4rev1 LOGINDISABLED AUTH=XOAUTH2\r\n%s OK done\r\n", tag)
	})
	o.RootCAs = cert.Pool
	says(t, open(t, o).Do(t.Context(), nothing), account.ErrSignIn, "set up oauth")
	if line := <-said; !strings.HasSuffix(line, " CAPABILITY\r\n") {
		t.Errorf("the first thing behind TLS was %q", line)
	}
}
