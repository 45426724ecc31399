package setup_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/setup"
)

// TestMail: accounts of each kind are read, what is left out is filled in, paths
// are made absolute, and what is written again loads the same.
func TestMail(t *testing.T) {
	config, err := load(t, `
senses:
  mail:
    - {id: home, host: imap.example.com, user: me@example.com, password_file: keys/home, ca_file: ~/ca.pem}
    - {id: club, host: mail.example.org, security: starttls, user: me, addresses: [me@example.org], password_env: CLUB, idle: false}
    - {id: old, host: mail.example.org, port: 10993, user: me@example.org, password_keyring: subconscious/0123456789abcdef0123456789abcdef, look_back: 48h}
    - id: work
      host: imap.gmail.com
      user: me@example.com
      oauth: {provider: google, client_id: 123456789012-a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6.apps.googleusercontent.com, client_secret_file: ~/client}
    - id: lab
      host: imap.example.net
      user: me@example.net
      oauth: {provider: custom, client_id: a1b2c3d4e5f60718293a4b5c6d7e8f90, auth_url: "https://login.example.net/a?p=mail", token_url: "http://127.0.0.1:8080/t", scopes: [imap]}
`)
	if err != nil {
		t.Fatal(err)
	}
	all := config.Senses.Mail
	for i, want := range []struct {
		port     int
		security account.Security
		back     time.Duration
	}{{993, account.TLS, 336 * time.Hour}, {143, account.StartTLS, 336 * time.Hour}, {10993, account.TLS, 48 * time.Hour}} {
		if c := all[i]; c.Port != want.port || c.Security != want.security || c.LookBack != want.back {
			t.Errorf("%s: port %d, %s, %s; want %+v", c.ID, c.Port, c.Security, c.LookBack, want)
		}
	}
	if !filepath.IsAbs(all[0].Password.File) || all[0].CAFile != "/home/sample/ca.pem" || all[3].OAuth.Secret.File != "/home/sample/client" {
		t.Errorf("paths are %q, %q, %q", all[0].Password.File, all[0].CAFile, all[3].OAuth.Secret.File)
	}
	if ref := all[1].Password; ref.String() != "variable CLUB" {
		t.Errorf("the password is in %s", ref)
	}
	sign := setup.MailSignIn(all[3], "/srv/mind", nil)
	if sign.Path != "/srv/mind/sign-in/mail-work.json" || sign.Command != "subconsciousctl auth mail work" || sign.Config.Secret.String() != "file /home/sample/client" {
		t.Errorf("the sign-in is %+v", sign)
	}
	for _, i := range []int{3, 4} {
		if err := setup.MailSignIn(all[i], "/srv/mind", nil).Config.Validate(); err != nil {
			t.Errorf("%s: what Load takes cannot be signed in with: %v", all[i].ID, err)
		}
	}
	loadsAgain(t, config)
}

// TestPasswordsAreNotSaid puts passwords and tokens wherever a person might, and
// looks for them in what is said of it.
func TestPasswordsAreNotSaid(t *testing.T) {
	const account = "senses: {mail: [{id: home, host: imap.example.com, user: me@example.com, "
	for _, secret := range append([]string{"abcd efgh ijkl mnop", "ya29.a0AfB_byC1d2E3f4G5h6I7j8K9l0M1n2O3p4Q5r6S7t8"}, planted...) {
		for _, content := range []string{
			account + "password: SECRET}]}",
			account + "app_password: SECRET}]}",
			account + "token: SECRET}]}",
			account + "password_env: SECRET}]}",
			account + "password_file: SECRET}]}",
			account + "password_keyring: SECRET}]}",
			account + "password_credential: SECRET}]}",
			account + "oauth: {provider: google, client_id: me, client_secret: SECRET}}]}",
			account + "oauth: {provider: google, client_id: me, client_secret_env: SECRET}}]}",
			account + "oauth: {provider: google, client_id: me, client_secret_file: SECRET}}]}",
			account + "oauth: {provider: google, client_id: me, refresh_token: SECRET}}]}",
			account + "oauth: {provider: custom, client_id: me, scopes: [imap], auth_url: \"https://a.example.com\", token_url: \"https://a.example.com/?client_secret=SECRET\"}}]}",
		} {
			_, err := load(t, strings.ReplaceAll(content, "SECRET", secret))
			if err == nil {
				t.Errorf("%s loads with a secret in it", content)
				continue
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), secret[:12]) {
				t.Errorf("%s: the secret is said: %v", content, err)
			}
		}
	}
}
