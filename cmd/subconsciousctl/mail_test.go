package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

const (
	mailUser     = "me@example.com"
	mailPassword = "abcd efgh ijkl mnop"
)

// mailHere is a mail server on this machine, with three messages in it.
type mailHere struct {
	server *mailtest.Server
	port   int
	ca     string
}

// serveMailbox serves one mailbox over TLS, and writes its authority into dir.
func serveMailbox(dir string) (*mailHere, error) {
	authority, err := mailtest.Certificate(time.Now())
	if err != nil {
		return nil, err
	}
	server := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: mailUser, Password: mailPassword}}, TLS: authority.Config})
	for i := range 3 {
		server.User(mailUser).Deliver("INBOX", mailtest.Compose(mailtest.Message{From: "ines@example.org", To: []string{mailUser}, Subject: fmt.Sprintf("Lunch %d", i)}), time.Now())
	}
	address, err := server.ListenTLS()
	if err != nil {
		return nil, err
	}
	ca := filepath.Join(dir, "ca.pem")
	return &mailHere{server, address.(*net.TCPAddr).Port, ca}, os.WriteFile(ca, authority.PEM, 0o600)
}

func (m *mailHere) close() { _ = m.server.Close(context.Background()) }

// serveProvider serves a provider of sign-ins, whose tokens the mail server takes.
func serveProvider(m *mailHere, options oauthtest.Options) *oauthtest.Server {
	options.ClientID = "sample-client"
	options.Issued = func(access string) { m.server.SetToken(mailUser, access) }
	return oauthtest.New(options)
}

// signInConfig is a configuration with that account, and one with a password.
func signInConfig(m *mailHere, p *oauthtest.Server) string {
	return fmt.Sprintf(`senses:
  mail:
    - id: work
      host: 127.0.0.1
      port: %d
      ca_file: %q
      user: %s
      oauth: {provider: custom, client_id: sample-client, auth_url: %q, token_url: %q, scopes: [imap]}
    - {id: home, host: 127.0.0.1, port: %d, ca_file: %q, user: %s, password_env: MAIL_PASSWORD}
  calendar:
    - {id: mine, google: %s, oauth: {provider: custom, client_id: sample-client, auth_url: %q, token_url: %q, scopes: [calendar]}}
`, m.port, m.ca, mailUser, p.AuthURL(), p.TokenURL(), m.port, m.ca, mailUser, mailUser, p.AuthURL(), p.TokenURL())
}

// mailScript is "mailserver [DENIES]": it serves a mailbox and a provider of
// sign-ins, whose page may refuse, writes a configuration with both to
// signin.yaml, and sets MAIL_PORT, MAIL_CA and BROWSER.
func mailScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: mailserver [DENIES]")
	}
	m, err := serveMailbox(ts.Getenv("WORK"))
	ts.Check(err)
	ts.Defer(m.close)
	var options oauthtest.Options
	if len(args) == 1 {
		options.Denies = args[0]
	}
	provider := serveProvider(m, options)
	ts.Defer(provider.Close)
	ts.Check(os.WriteFile(ts.MkAbs("signin.yaml"), []byte(signInConfig(m, provider)), 0o600))
	ts.Setenv("MAIL_PORT", strconv.Itoa(m.port))
	ts.Setenv("MAIL_CA", m.ca)
	ts.Setenv("BROWSER", "browser")
}

// browser is a program that opens an address as a browser does, and ends when
// the page is there.
func browser() {
	response, err := http.Get(os.Args[len(os.Args)-1])
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestAuthPaste signs in with a browser on another machine: the address is in
// what is printed, and the one at which the browser ended is pasted.
func TestAuthPaste(t *testing.T) {
	dir := t.TempDir()
	m, err := serveMailbox(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	provider := serveProvider(m, oauthtest.Options{})
	t.Cleanup(provider.Close)
	config := filepath.Join(dir, "config.yaml")
	testutil.Write(t, config, signInConfig(m, provider))
	screen, shown := io.Pipe()
	typed, keyboard := io.Pipe()
	var errs bytes.Buffer
	p := here(shown, &errs, "auth", "mail", "work", "--paste", "--config", config, "--state-dir", filepath.Join(dir, "state"))
	p.stdin, p.inTerminal, p.now = typed, true, time.Now
	p.env = func(name string) (string, bool) { return dir, name == "HOME" }
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), p)
		_ = shown.Close()
	}()
	var all strings.Builder
	lines := bufio.NewScanner(screen)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		address, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), provider.AuthURL())
		if !ok {
			continue
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Get(provider.AuthURL() + address)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		client.CloseIdleConnections()
		go func() {
			_, _ = io.WriteString(keyboard, "what?\n"+response.Header.Get("Location")+"\n")
		}()
	}
	if code := <-ended; code != exitFine {
		t.Fatalf("exit code %d\n%s%s", code, &all, &errs)
	}
	for _, want := range []string{"copy all of it", "✓ Signed in to work", "INBOX with 3 messages"} {
		if !strings.Contains(strings.Join(strings.Fields(all.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, &all)
		}
	}
	for _, secret := range provider.Secrets() {
		if strings.Contains(all.String()+errs.String(), secret) {
			t.Errorf("%q is shown:\n%s%s", secret, &all, &errs)
		}
	}
}
