package live_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

const mailPassword = "Vq7mZx2LwR9tKpB4"

// mailServer is a server with one mailbox, and an account on it.
func mailServer(t *testing.T, change func(*mailtest.Options)) (*mailtest.Server, mail.Config) {
	t.Helper()
	authority, err := mailtest.Certificate(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	options := mailtest.Options{Users: []mailtest.User{{Name: "me@example.com", Password: mailPassword, Token: "token"}}, TLS: authority.Config}
	if change != nil {
		change(&options)
	}
	server := mailtest.New(options)
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	address, err := server.ListenTLS()
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	testutil.Write(t, ca, authority.PEM)
	return server, mail.Config{ID: "home", Host: "127.0.0.1", Port: address.(*net.TCPAddr).Port, Security: account.TLS, CAFile: ca,
		User: "me@example.com", Password: secret.Ref{Env: "MAIL_PASSWORD"}}
}

func mailEnv(name string) (string, bool) { return mailPassword, name == "MAIL_PASSWORD" }

func TestMail(t *testing.T) {
	server, config := mailServer(t, nil)
	box := server.User("me@example.com")
	for range 3 {
		box.Deliver("INBOX", mailtest.Compose(mailtest.Message{From: "ines@example.org", To: []string{"me@example.com"}, Subject: "Lunch"}), time.Now())
	}
	got := live.Mail(t.Context(), config, t.TempDir(), mailEnv, nil)
	for _, want := range []string{"127.0.0.1 lets you in", "INBOX with 3 messages", "Sent with 0 messages of yours", "(IDLE)", "(CONDSTORE)"} {
		if !strings.Contains(got.Detail, want) {
			t.Errorf("%q is not in %+v", want, got)
		}
	}
	config.Folders = []string{"INBOX", "Work"}
	config.Sent = "none"
	if got := live.Mail(t.Context(), config, "", mailEnv, nil); got.Missing != "127.0.0.1 has no folder Work" || strings.Contains(got.Detail, "yours") {
		t.Errorf("%+v", got)
	}
	if w := box.Writes(); len(w) > 0 {
		t.Errorf("it wrote %v", w)
	}
	for _, c := range server.Commands() {
		if strings.Contains(c, mailPassword) {
			continue // the server was told
		}
		if strings.Contains(c, "SELECT ") || strings.Contains(c, "FETCH") {
			t.Errorf("it did more than look: %s", c)
		}
	}
}

func TestMailThatFails(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	wrong := func(string) (string, bool) { return "not-the-password-at-all", true }
	for name, test := range map[string]struct {
		change    func(*mailtest.Server, *mail.Config)
		env       func(string) (string, bool)
		problem   string
		next      string
		locked    bool
		untrusted bool
		signIn    bool
	}{
		"no password":      {nil, none, "variable MAIL_PASSWORD", "export it", true, false, false},
		"a wrong password": {nil, wrong, "refused", "made for this program", true, false, false},
		"a strange server": {func(_ *mailtest.Server, c *mail.Config) { c.CAFile = "" }, mailEnv, "certificate", "ca_file", false, true, false},
		"another name":     {func(_ *mailtest.Server, c *mail.Config) { c.Host = "127.0.0.2" }, mailEnv, "", "", false, true, false},
		"no authority":     {func(_ *mailtest.Server, c *mail.Config) { c.CAFile = "/nowhere/ca.pem" }, mailEnv, "ca_file", "correct ca_file", false, false, false},
		"nobody there":     {func(s *mailtest.Server, _ *mail.Config) { _ = s.Close(context.Background()) }, mailEnv, "cannot be reached", "check host and port", false, false, false},
		"a busy server":    {func(s *mailtest.Server, _ *mail.Config) { s.Refuse(mailtest.Unavailable, -1) }, mailEnv, "no room", "next tick", false, false, false},
		"no sign-in": {func(_ *mailtest.Server, c *mail.Config) {
			c.Password.Env, c.OAuth = "", &oauth.Config{Provider: "google", ClientID: "me"}
		}, mailEnv, "nobody has signed in", "run: subconsciousctl auth mail home", true, false, true},
		"without a sign-in": {func(_ *mailtest.Server, c *mail.Config) { c.Host = "" }, mailEnv, "host", "", false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			server, config := mailServer(t, nil)
			if test.change != nil {
				test.change(server, &config)
			}
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				_, port, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
			}
			got := live.Mail(t.Context(), config, t.TempDir(), test.env, dial)
			t.Logf("%s\n  → %s", got.Problem, got.Next)
			if got.Problem == "" || !strings.Contains(got.Problem, test.problem) || !strings.Contains(got.Next, test.next) || got.Next == "" {
				t.Errorf("problem %q, next %q", got.Problem, got.Next)
			}
			if got.Locked != test.locked || got.Untrusted != test.untrusted || got.SignIn != test.signIn {
				t.Errorf("%+v", got)
			}
			if strings.Contains(got.Problem+got.Next, "not-the-password") || strings.Contains(got.Problem, "\n") {
				t.Errorf("%q", got.Problem)
			}
		})
	}
}

// TestMailIsLeft: the end of the context ends it.
func TestMailIsLeft(t *testing.T) {
	server, config := mailServer(t, nil)
	server.Hang(mailtest.SignIn)
	ctx, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer leave()
	if got := live.Mail(ctx, config, "", mailEnv, nil); got.Problem == "" {
		t.Errorf("%+v", got)
	}
}
