package doctor_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// TestMailAccounts holds each fault of an account against what is said of it.
func TestMailAccounts(t *testing.T) {
	const password = "Vq7mZx2LwR9tKpB4"
	authority, err := mailtest.Certificate(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	server := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: "me@example.com", Password: password}, {Name: "bare@example.com", Password: password}}, TLS: authority.Config})
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	server.User("bare@example.com").Delete("Sent")
	address, err := server.ListenTLS()
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	testutil.Write(t, ca, authority.PEM)
	port := address.(*net.TCPAddr).Port
	account := func(more string) string {
		return fmt.Sprintf("senses: {mail: [{id: home, host: 127.0.0.1, port: %d, ca_file: %s, user: me@example.com, %s}]}", port, ca, more)
	}
	set := func(_ *testing.T, p *patient) { p.env["MAIL_PASSWORD"] = password }
	for name, test := range map[string]struct {
		fault
		next string
	}{
		"all is well":         {fault{account("password_env: MAIL_PASSWORD"), set, "home", doctor.OK, "(IDLE)"}, ""},
		"no password":         {fault{account("password_env: MAIL_PASSWORD"), nil, "home", doctor.Broken, "variable MAIL_PASSWORD: it is not set"}, "export it"},
		"a wrong password":    {fault{account("password_env: MAIL_PASSWORD"), func(_ *testing.T, p *patient) { p.env["MAIL_PASSWORD"] = "other" }, "home", doctor.Broken, "refused"}, "check the user"},
		"a folder too much":   {fault{account("password_env: MAIL_PASSWORD, folders: [INBOX, Work]"), set, "home folders", doctor.Degraded, "has no folder Work"}, "Archive, Drafts, INBOX"},
		"no folder of sent":   {fault{strings.Replace(account("password_env: MAIL_PASSWORD"), "me@", "bare@", 1), set, "home sent", doctor.Note, "was not found"}, "sent: none"},
		"a strange authority": {fault{strings.Replace(account("password_env: MAIL_PASSWORD"), "ca_file: "+ca+", ", "", 1), set, "home", doctor.Broken, "certificate is signed by nobody"}, "ca_file"},
		"an open password":    {fault{account("password_file: keys/mail"), func(t *testing.T, p *patient) { write(t, p.dir+"/keys/mail", password, 0o644) }, "home", doctor.Broken, "others can read it"}, "chmod 600"},
		"no sign-in":          {fault{account("oauth: {provider: google, client_id: me}"), nil, "home", doctor.Broken, "nobody has signed in"}, "run: subconsciousctl auth mail home"},
		"a sign-in's end": {fault{account("oauth: {provider: google, client_id: me}"), func(t *testing.T, p *patient) {
			path := oauth.Path(p.options.StateDir, "mail", "home")
			write(t, path, fmt.Sprintf(`{"version": 1, "provider": "google", "client_id": "me", "token_url": "https://oauth2.googleapis.com/token", "access_token": %q,
				"refresh_token": "r", "expiry": %q, "signed_in": %q, "renewed": %q, "ends": %q}`, password, at.Add(time.Hour).Format(time.RFC3339),
				at.AddDate(0, 0, -5).Format(time.RFC3339), at.Format(time.RFC3339), at.AddDate(0, 0, 2).Format(time.RFC3339)), 0o600)
		}, "home sign-in", doctor.Degraded, "ends it on"}, "sign in anew before: subconsciousctl auth mail home"},
		"the daemon's own key": {fault{account("password_env: MAIL_PASSWORD"), mailRuns("ok"), "home", doctor.OK, "the daemon, which runs, reads it"}, ""},
		"nor the daemon's":     {fault{account("password_env: MAIL_PASSWORD"), mailRuns("blind"), "home", doctor.Broken, "it is not set"}, "export it"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := test.told(t, password); !strings.Contains(got.Next, test.next) || got.Part != doctor.PartMail {
				t.Errorf("%+v, want %q", got, test.next)
			}
		})
	}
	if w := server.User("me@example.com").Writes(); len(w) > 0 {
		t.Errorf("it wrote %v", w)
	}
}

// mailRuns is a daemon whose account is in that state.
func mailRuns(state senses.State) func(*testing.T, *patient) {
	return func(_ *testing.T, p *patient) {
		p.options.Daemon = fakeDaemon{status: api.Status{Senses: []api.SenseStatus{{ID: "home", Kind: "mail", State: state}}}}
	}
}
