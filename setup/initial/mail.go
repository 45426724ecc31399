package initial

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// MailOptions are a mail account: where an Address is set, none is asked for.
type MailOptions struct {
	// Address is the person's.
	Address string
	// Config is what is known of the account; what is empty is found, or has its
	// usual value.
	mail.Config
	// Client is as which one signs in by the browser, where it has a provider.
	Client oauth.Config
	// Dial connects to mail servers; nil is the usual way.
	Dial live.Dial
}

// mailbox decides which mail account is read: the one that was named, else
// the one that the person types. Those that are configured already stay.
func mailbox(ctx context.Context, s *session) error {
	if s.Mail.Address == "" {
		if s.Agree || len(s.existing.Senses.Mail) > 0 {
			return nil
		}
		err := s.pick(ctx, "Shall mail be read, for what is asked of you and what you promised?", 1,
			option{"yes", "over IMAP; nothing is changed there, nothing is marked as read", func() (err error) { s.Mail.Address, err = s.typeAddress(ctx); return err }},
			option{none, "more can be named in the configuration at any time", nil})
		if err != nil || s.Mail.Address == "" {
			return err
		}
	}
	if slices.ContainsFunc(s.existing.Senses.Mail, func(c mail.Config) bool {
		return strings.EqualFold(c.User, s.Mail.Address) || slices.ContainsFunc(c.Addresses, func(a string) bool { return strings.EqualFold(a, s.Mail.Address) })
	}) {
		s.say("%s is configured already.", s.Mail.Address)
		return nil
	}
	known, host, err := s.mailServer(ctx)
	if err != nil || host == "" {
		return err
	}
	c := s.mailConfig(known, host)
	if known.Title != "" {
		s.say("%s: %s, over TLS. %s", known.Title, host, known.Needs)
	} else {
		s.say("The server is %s, over %s. With a second factor it mostly wants an app password: one that you make in its settings for this program alone.", host, securityWords(c.Security))
	}
	s.mail = &c
	if !s.signsIn() {
		if err := s.howToSignIn(ctx, known); err != nil || s.mail == nil {
			return err
		}
	}
	return s.tryMail(ctx)
}

func securityWords(s account.Security) string {
	switch s {
	case account.StartTLS:
		return "STARTTLS"
	case account.None:
		return "nothing that protects it"
	}
	return "TLS"
}

// typeAddress takes a mail address that is typed, until it is one; nothing typed
// is none.
func (s *session) typeAddress(ctx context.Context) (string, error) {
	return s.typeUntil(ctx, "Your mail address, or Enter for none", "", func(address string) error {
		if domainOf(address) == "" {
			return fmt.Errorf("%s is no mail address; write it as name@example.com", address)
		}
		return nil
	})
}

// domainOf is what stands behind the "@"; "" where it is no address.
func domainOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at <= 0 || at == len(address)-1 || strings.ContainsAny(address, " \t<>,;\"/\\") || strings.ContainsFunc(address, func(r rune) bool { return r < ' ' }) {
		return ""
	}
	return strings.ToLower(address[at+1:])
}

// mailServer finds the server: named, known, found, or typed; "" is none.
func (s *session) mailServer(ctx context.Context) (known mailHost, host string, err error) {
	domain := domainOf(s.Mail.Address)
	known, ok := mailHostOf(domain)
	switch {
	case s.Mail.Host != "" && s.Mail.Host != known.Host:
		return mailHost{}, s.Mail.Host, nil
	case ok:
		return known, known.Host, nil
	}
	if !s.Unchecked {
		s.say("Looking for the mail server of %s (imap.%s, mail.%s).", domain, domain, domain)
		roots, err := s.mailRoots()
		if err != nil {
			return mailHost{}, "", err
		}
		if host := findMailHost(ctx, domain, s.Mail.Dial, roots); host != "" {
			return mailHost{}, host, nil
		}
		if err := ctx.Err(); err != nil {
			return mailHost{}, "", err
		}
		s.say("None answers there over TLS.")
	}
	if s.Agree {
		return mailHost{}, "", mistake("--mail-address %s: its server is not known; name it with --mail-host", s.Mail.Address)
	}
	host, err = s.typeMailHost(ctx)
	return mailHost{}, host, err
}

// mailRoots are the authorities that --mail-ca-file names; nil: the system's.
func (s *session) mailRoots() (*x509.CertPool, error) {
	if s.Mail.CAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.Mail.CAFile)
	if err != nil {
		return nil, mistake("--mail-ca-file: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, mistake("--mail-ca-file: %s holds no certificate; name a PEM file", s.Mail.CAFile)
	}
	return roots, nil
}

// typeMailHost takes the name of a server, with a port where it is another one,
// until it can be one; nothing typed is none.
func (s *session) typeMailHost(ctx context.Context) (string, error) {
	host, port := "", 0
	text, err := s.typeUntil(ctx, "Its IMAP server, such as imap.example.com, or Enter for none", "", func(text string) error {
		host, port = text, s.Mail.Port
		if name, number, err := net.SplitHostPort(text); err == nil {
			host = name
			if port, err = strconv.Atoi(number); err != nil {
				return fmt.Errorf("%s is no port", number)
			}
		}
		return mail.Config{ID: "mail", Host: host, Port: port, User: s.Mail.Address, Password: secret.Ref{Env: "MAIL_PASSWORD"}}.Validate()
	})
	if err != nil || text == "" {
		return "", err
	}
	s.Mail.Port = port
	return host, nil
}

// mailConfig is the account that comes of what is known by then.
func (s *session) mailConfig(known mailHost, host string) mail.Config {
	word, _, _ := strings.Cut(domainOf(s.Mail.Address), ".")
	c := s.Mail.Config
	c.ID, c.Host, c.CAFile, c.Password.File = s.mailID(word), host, absolute(c.CAFile), absolute(c.Password.File)
	c.Security = cmp.Or(c.Security, usualSecurity(c.Port))
	if c.User == "" {
		c.User = s.Mail.Address
		if known.Local {
			c.User, _, _ = strings.Cut(s.Mail.Address, "@")
		}
	}
	if c.User != s.Mail.Address {
		c.Addresses = []string{s.Mail.Address}
	}
	if client := s.Mail.Client; client.Provider != "" {
		client.Secret.File = absolute(client.Secret.File)
		c.OAuth = &client
	}
	return c
}

// usualSecurity is how a connection to a port is protected.
func usualSecurity(port int) account.Security {
	if port == 143 {
		return account.StartTLS
	}
	return account.TLS
}

// absolute makes a path of a flag absolute.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// mailID makes an id that no account has yet.
func (s *session) mailID(word string) string {
	return freeID(word, "mail", func(id string) bool {
		return slices.ContainsFunc(s.existing.Senses.Mail, func(c mail.Config) bool { return c.ID == id })
	})
}

// tryMail signs in, says what is there, and asks what to do where that fails.
func (s *session) tryMail(ctx context.Context) error {
	if s.mail.OAuth != nil {
		s.result.SignIn = setup.MailSignIn(*s.mail, "", nil).Command
		s.result.Missing = append(s.result.Missing, "mail/"+s.mail.ID)
		return nil
	}
	if s.Unchecked {
		return nil
	}
	for done := false; !done; {
		s.say("Signing in to %s.", s.mail.Host)
		m := live.Mail(ctx, *s.mail, "", s.env(), s.Mail.Dial)
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.Problem == "" {
			s.say("✓ %s.", m.Detail)
			return nil
		}
		s.say("✗ %s\n  → %s", m.Problem, m.Next)
		again, preset := "you type the password anew", 3
		if _, typed := s.plan.keys[s.mailKey()]; !typed {
			again = "once you have put it right"
		} else if m.Locked {
			preset = 0
		}
		err := s.pick(ctx, "What now?", preset, option{"again", again, func() error { return s.typeAgain(ctx) }},
			option{"other name", "you type the name to sign in with, where it is not the address", func() error { return s.otherName(ctx) }},
			option{"other server", "you type its name", func() error { return s.otherServer(ctx) }},
			option{"go on", "it is set up, and can be put right later", func() error {
				s.result.Failed, done = append(s.result.Failed, "mail/"+s.mail.ID), true
				return nil
			}},
			option{without, "no mail for now", func() error {
				s.mail, done = nil, true
				maps.DeleteFunc(s.plan.keys, func(name, _ string) bool { return strings.HasPrefix(name, "mail-") })
				return nil
			}})
		if err != nil {
			return err
		}
	}
	return nil
}

// otherName takes another name to sign in with; nothing typed keeps the one.
func (s *session) otherName(ctx context.Context) error {
	_, err := s.typeUntil(ctx, "The name to sign in with", s.mail.User, func(name string) error {
		return s.change(func(c *mail.Config) {
			if c.User, c.Addresses = name, nil; name != s.Mail.Address {
				c.Addresses = []string{s.Mail.Address}
			}
		})
	})
	return err
}

// change changes the account, unless it could not be used then.
func (s *session) change(change func(*mail.Config)) error {
	c := *s.mail
	change(&c)
	err := c.Validate()
	if err == nil {
		*s.mail = c
	}
	return err
}

// otherServer takes the name of another server; nothing typed keeps the one.
func (s *session) otherServer(ctx context.Context) error {
	host, err := s.typeMailHost(ctx)
	if err != nil || host == "" {
		return err
	}
	s.mail.Host, s.mail.Port = host, s.Mail.Port
	if s.Mail.Security == "" {
		s.mail.Security = usualSecurity(s.mail.Port)
	}
	return nil
}

// readMailFlags looks at what was asked for beforehand.
func (s *session) readMailFlags() error {
	m := s.Mail
	ways := len(m.Password.Names())
	if m.Client.Provider != "" {
		ways++
	}
	if _, err := s.mailRoots(); err != nil {
		return err
	}
	switch {
	case m.Address == "" && s.Agree && !(reflect.ValueOf(m.Config).IsZero() && reflect.ValueOf(m.Client).IsZero()):
		return mistake("--mail-…: name the address too, with --mail-address")
	case m.Address == "":
		return nil
	case domainOf(m.Address) == "":
		return mistake("--mail-address: %q is no mail address; write it as name@example.com", m.Address)
	case ways == 0 && s.Agree:
		return mistake("--mail-address: name where the password is, with --mail-password-file or --mail-password-env, or sign in by the browser, with --mail-oauth")
	case ways > 1:
		return mistake("--mail-…: more than one way to sign in is named; keep one")
	}
	known, _ := mailHostOf(domainOf(m.Address))
	c := s.mailConfig(known, cmp.Or(m.Host, "imap.example.com")) // or the one that is found later
	if ways == 0 {
		c.Password.Env = "MAIL_PASSWORD"
	}
	if err := c.Validate(); err != nil {
		return mistake("%w", flagged("--mail-", err))
	}
	return nil
}
