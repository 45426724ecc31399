package initial

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/setup"
)

const (
	mailAddress  = "me@mail-here.example"
	mailPassword = "Vq7mZx2LwR9tKpB4"
)

// mailWorld is a world in which one mail server answers, imap.mail-here.example,
// and every other name is not known.
type mailWorld struct {
	server *mailtest.Server
	ca     string
}

func newMailWorld(t *testing.T) *mailWorld {
	t.Helper()
	authority, err := mailtest.Certificate(time.Now(), "imap.mail-here.example", "imap.gmail.com")
	if err != nil {
		t.Fatal(err)
	}
	w := &mailWorld{ca: filepath.Join(t.TempDir(), "ca.pem"),
		server: mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: mailAddress, Password: mailPassword}, {Name: "me", Password: mailPassword}, {Name: "me@gmail.com", Password: "abcdefghijklmnop"}}, TLS: authority.Config})}
	t.Cleanup(func() { _ = w.server.Close(context.Background()) })
	testutil.Write(t, w.ca, authority.PEM)
	return w
}

// options are those of a new machine in that world, where mail is asked for.
func (w *mailWorld) options(t *testing.T, pairs ...string) Options {
	t.Helper()
	o := here(t, pairs...)
	o.Preset, o.Unchecked = models.PresetReflex, false
	o.Mail.CAFile = w.ca
	o.Mail.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
		switch address {
		case "imap.mail-here.example:993", "imap.gmail.com:993":
			return w.server.DialTLS()
		}
		return nil, &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}
	}
	return o
}

// TestMailIsFound goes the way from an address to a configuration that loads:
// the server is found, the password is typed wrong and then right.
func TestMailIsFound(t *testing.T) {
	w := newMailWorld(t)
	o := w.options(t)
	p := &person{answers: []string{none, none, none, "yes", "type it", "again", none, "never", "yes"}, texts: []string{"me", mailAddress}, secrets: []string{"wrong", mailPassword}}
	// The certificate's authority is known by a flag alone, which names the address
	// as well; so that the address is asked for it is left out here.
	outcome, err := Run(t.Context(), o, p)
	if err != nil {
		t.Fatal(err)
	}
	said := p.said.String()
	for _, want := range []string{"me is no mail address", "Looking for the mail server", "The server is imap.mail-here.example", "✗ signing in was refused", "✓ imap.mail-here.example lets you in", "INBOX with 0 messages"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	config, err := setup.Load(o.File, o.Env)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Senses.Mail[0]
	if c.ID != "mail-here" || c.Host != "imap.mail-here.example" || c.User != mailAddress || c.Port != 993 || outcome.Account != "mail-here" || len(outcome.Failed) > 0 {
		t.Errorf("%+v, %+v", c, outcome)
	}
	key := filepath.Join(filepath.Dir(o.File), "keys", "mail-mail-here")
	if c.Password.File != key || read(t, key) != mailPassword+"\n" || filesBelow(t, filepath.Dir(o.File))["keys/mail-mail-here"] != 0o600 {
		t.Errorf("the password is in %q: %q", c.Password.File, read(t, key))
	}
	if strings.Contains(said+read(t, o.File), mailPassword) {
		t.Error("the password is shown")
	}
	// Again: it is configured, and not asked for.
	again := &person{}
	if outcome, err := Run(t.Context(), o, again); err != nil || outcome.Written || strings.Contains(again.said.String(), "Shall mail be read") {
		t.Errorf("%+v, %v\n%s", outcome, err, again.said.String())
	}
	// And a second one beside it, by flags.
	o.Agree, o.Mail.Address, o.Mail.Password.Env = true, "me@gmail.com", "GMAIL"
	o.Env = with(o.Env, "GMAIL", "abcdefghijklmnop")
	outcome, err = Run(t.Context(), o, &person{})
	if err != nil || !outcome.Written || len(outcome.Failed) > 0 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if config, err = setup.Load(o.File, o.Env); err != nil || len(config.Senses.Mail) != 2 || config.Senses.Mail[1].Host != "imap.gmail.com" || config.Senses.Mail[1].Password.Env != "GMAIL" {
		t.Errorf("%+v, %v", config.Senses.Mail, err)
	}
}

// with is an environment with one more variable.
func with(env func(string) (string, bool), name, value string) func(string) (string, bool) {
	return func(asked string) (string, bool) {
		if asked == name {
			return value, true
		}
		return env(asked)
	}
}

// TestMailWays goes each way in which an account can be signed in to.
func TestMailWays(t *testing.T) {
	keyring.MockInit()
	w := newMailWorld(t)
	file := filepath.Join(t.TempDir(), "password")
	testutil.Write(t, file, mailPassword+"\n")
	for name, test := range map[string]struct {
		answers, texts, secrets []string
		env                     []string
		written, said           string
		missing, failed         string
	}{
		"a keyring":       {[]string{"keyring"}, []string{mailAddress}, []string{mailPassword}, []string{"DBUS_SESSION_BUS_ADDRESS", "x"}, `password_keyring: "subconscious/mail-mail-here"`, "lets you in", "", ""},
		"a file":          {[]string{"file"}, []string{mailAddress, file}, nil, nil, `password_file: "` + file + `"`, "lets you in", "", ""},
		"a variable":      {[]string{"variable"}, []string{mailAddress, "has space", "$MINE"}, nil, []string{"MINE", mailPassword}, `password_env: "MINE"`, "is not the name of a variable", "", ""},
		"not set":         {[]string{"variable", "go on"}, []string{mailAddress, "MINE"}, nil, nil, `password_env: "MINE"`, "it is not set", "", "mail/mail-here"},
		"left out":        {[]string{"without"}, []string{mailAddress}, nil, nil, "#mail:", "No mail is read for now", "", ""},
		"no password":     {[]string{"type it"}, []string{mailAddress}, []string{""}, nil, "#mail:", "No mail is read for now", "", ""},
		"given up":        {[]string{"type it", "without"}, []string{mailAddress}, []string{"wrong"}, nil, "#mail:", "refused", "", ""},
		"spaces":          {[]string{"type it"}, []string{"me@gmail.com"}, []string{"abcd efgh ijkl mnop"}, nil, `host: "imap.gmail.com"`, "lets you in", "", ""},
		"gmail's browser": {[]string{"browser"}, []string{"me@googlemail.com", "1-a.apps.googleusercontent.com"}, []string{"GOCSPX-0123"}, nil, "provider: google", "subconsciousctl auth mail googlemail", "mail/googlemail", ""},
		"outlook":         {[]string{"browser"}, []string{"me@hotmail.co.uk", "a b", "0-1-2"}, nil, nil, "provider: microsoft", "takes no passwords", "mail/hotmail", ""},
		"another server":  {[]string{"type it", "other server"}, []string{"me@icloud.com", "http://x", "imap.mail-here.example"}, []string{mailPassword}, nil, `host: "imap.mail-here.example"`, "cannot be reached", "", ""},
		"another name":    {[]string{"type it", "other name"}, []string{"other@mail-here.example", mailAddress}, []string{mailPassword}, nil, `addresses: ["other@mail-here.example"]`, "lets you in", "", ""},
		"nobody's":        {nil, []string{"me@nowhere.example", ""}, nil, nil, "#mail:", "None answers there over TLS", "", ""},
		"a port":          {[]string{"type it", "go on"}, []string{"me@nowhere.example", "imap.nowhere.example:143"}, []string{"x"}, nil, "security: starttls", "over STARTTLS", "", "mail/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			o := w.options(t, test.env...)
			p := &person{answers: append([]string{none, none, none, "yes"}, test.answers...), texts: test.texts, secrets: test.secrets}
			outcome, err := Run(t.Context(), o, p)
			if err != nil {
				t.Fatalf("%v\n%s", err, p.said.String())
			}
			text := read(t, o.File)
			if !strings.Contains(text, test.written) || !strings.Contains(p.said.String(), test.said) {
				t.Errorf("want %q written and %q said:\n%s\n%s", test.written, test.said, text, p.said.String())
			}
			if strings.Join(outcome.Missing, " ") != test.missing || strings.Join(outcome.Failed, " ") != test.failed {
				t.Errorf("%+v\n%s", outcome, p.said.String())
			}
			if _, err := setup.Load(o.File, o.Env); err != nil {
				t.Error(err)
			}
			for _, secret := range append(test.secrets, mailPassword) {
				if len(secret) > 5 && strings.Contains(text+p.said.String(), secret) {
					t.Errorf("a secret is shown: %s", secret)
				}
			}
			if outcome.Account == "" && len(outcome.KeyFiles) > 0 {
				t.Errorf("it left %v", outcome.KeyFiles)
			}
		})
	}
	if kept, err := keyring.Get("subconscious", "mail-mail-here"); err != nil || kept != mailPassword {
		t.Errorf("the keyring holds %q, %v", kept, err)
	}
}

// TestMailIsLeft leaves at every question of the way: nothing is written, in
// files or in the keyring.
func TestMailIsLeft(t *testing.T) {
	keyring.MockInit()
	w := newMailWorld(t)
	for at := 1; ; at++ {
		o := w.options(t, "DBUS_SESSION_BUS_ADDRESS", "x")
		p := &person{answers: []string{none, none, none, "yes", "keyring", "again"}, texts: []string{mailAddress}, secrets: []string{"wrong", mailPassword}, leaveAt: at}
		_, err := Run(t.Context(), o, p)
		if err == nil && p.asked < at {
			if at < 10 {
				t.Errorf("there were %d questions alone", p.asked)
			}
			return
		}
		if !errors.Is(err, ErrLeft) {
			t.Fatalf("question %d: %v", at, err)
		}
		if got := filesBelow(t, filepath.Dir(filepath.Dir(o.File))); len(got) != 0 {
			t.Errorf("question %d left %v", at, got)
		}
		if _, err := keyring.Get("subconscious", "mail-mail-here"); !errors.Is(err, keyring.ErrNotFound) {
			t.Errorf("question %d left a password in the keyring", at)
		}
	}
}

func TestMailFlagsThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*MailOptions){
		"with --mail-address":         func(m *MailOptions) { m.Host = "imap.example.com" },
		"is no mail address":          func(m *MailOptions) { m.Address = "me" },
		"name where the password is":  func(m *MailOptions) { m.Address = mailAddress },
		"more than one way":           func(m *MailOptions) { m.Address, m.Password.Env, m.Client.Provider = mailAddress, "A", "google" },
		"--mail-host: ":               func(m *MailOptions) { m.Address, m.Password.Env, m.Host = mailAddress, "A", "imaps://x" },
		"--mail-port: ":               func(m *MailOptions) { m.Address, m.Password.Env, m.Port = mailAddress, "A", 70000 },
		"--mail-security: ":           func(m *MailOptions) { m.Address, m.Password.Env, m.Security = mailAddress, "A", "ssl" },
		"--mail-password-env: is not": func(m *MailOptions) { m.Address, m.Password.Env = mailAddress, "a b" },
		"--mail-oauth: \"yahoo\"":     func(m *MailOptions) { m.Address, m.Client.Provider, m.Client.ClientID = mailAddress, "yahoo", "me" },
		"--mail-client-id: ":          func(m *MailOptions) { m.Address, m.Client.Provider = mailAddress, "google" },
		"--mail-ca-file: ":            func(m *MailOptions) { m.Address, m.Password.Env, m.CAFile = mailAddress, "A", "/nowhere" },
		"name it with --mail-host":    func(m *MailOptions) { m.Address, m.Password.Env = "me@nowhere.example", "A" },
		"--mail-security: none would send": func(m *MailOptions) {
			m.Address, m.Password.Env, m.Security, m.Host = mailAddress, "A", "none", "imap.example.com"
		},
	} {
		w := newMailWorld(t)
		o := w.options(t)
		o.Mail.CAFile, o.Agree = "", true
		change(&o.Mail)
		_, err := Run(t.Context(), o, &person{})
		if _, wrong := errors.AsType[*Mistake](err); !wrong || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if got := filesBelow(t, filepath.Dir(filepath.Dir(o.File))); len(got) != 0 {
			t.Errorf("%s: it left %v", want, got)
		}
	}
}

func TestMailHostOf(t *testing.T) {
	for domain, want := range map[string]string{
		"gmail.com": "imap.gmail.com", "GoogleMail.com": "imap.gmail.com", "outlook.com": "outlook.office365.com", "hotmail.fr": "outlook.office365.com",
		"live.co.uk": "outlook.office365.com", "icloud.com": "imap.mail.me.com", "me.com": "imap.mail.me.com", "fastmail.com": "imap.fastmail.com",
		"gmx.de": "imap.gmx.net", "gmx.com": "imap.gmx.com", "web.de": "imap.web.de", "posteo.net": "posteo.de", "mailbox.org": "imap.mailbox.org",
		"yahoo.co.uk": "imap.mail.yahoo.com", "aol.com": "imap.aol.com", "zoho.eu": "imap.zoho.eu", "zoho.com": "imap.zoho.com", "orange.fr": "imap.orange.fr",
		"free.fr": "imap.free.fr", "t-online.de": "secureimap.t-online.de",
		"example.com": "", "notgmail.com": "", "gmail.com.example.com": "", "yahoo.": "", "": "", "yahoo.a.b.example.com": "",
	} {
		if h, ok := mailHostOf(domain); h.Host != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", domain, h.Host, want)
		}
	}
}

// TestOnlyAMailServerIsFound: what answers otherwise, or with a certificate of
// another name, is not taken, and nothing is said to it.
func TestOnlyAMailServerIsFound(t *testing.T) {
	w := newMailWorld(t)
	s := &session{Options: w.options(t)}
	roots, err := s.mailRoots()
	if err != nil {
		t.Fatal(err)
	}
	if host := findMailHost(t.Context(), "mail-here.example", s.Mail.Dial, roots); host != "imap.mail-here.example" {
		t.Errorf("found %q", host)
	}
	// A pipe takes no parting word, so that what is not trusted waits for the end.
	ctx, done := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer done()
	if host := findMailHost(ctx, "mail-here.example", s.Mail.Dial, nil); host != "" {
		t.Errorf("found %q, whose certificate is not trusted", host)
	}
	everywhere := func(context.Context, string, string) (net.Conn, error) { return w.server.DialTLS() }
	ctx, done = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer done()
	if host := findMailHost(ctx, "other.example", everywhere, roots); host != "" {
		t.Errorf("found %q, whose certificate is of another name", host)
	}
	silent := func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		return ours, nil
	}
	ctx, done = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer done()
	if host := findMailHost(ctx, "mail-here.example", silent, roots); host != "" {
		t.Errorf("found %q, which says nothing", host)
	}
	if c := w.server.Commands(); len(c) > 0 {
		t.Errorf("it said %v", c)
	}
}

func TestMailItem(t *testing.T) {
	s := &session{Options: Options{Mail: MailOptions{Address: "me@icloud.com", Config: mail.Config{Password: secret.Ref{Env: "A"}}}}, existing: setup.Default()}
	known, _ := mailHostOf("icloud.com")
	c := s.mailConfig(known, known.Host)
	if c.User != "me" || len(c.Addresses) != 1 || c.Addresses[0] != "me@icloud.com" || c.Security != account.TLS {
		t.Errorf("%+v", c)
	}
}
