package account

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// Options are what an Account needs. Host, User and one of Password and Token
// have to be there; every other zero value is usable.
type Options struct {
	// Name is what people call the account in messages and commands; "" is User.
	Name string
	// Host is the server's name or address.
	Host string
	// Port is the server's; 0 is 993 with TLS and 143 with the others.
	Port int
	// Security is how the connection is protected; "" is TLS. None is refused
	// where the address that was reached is not of this machine.
	Security Security
	// RootCAs are whom to trust to have signed the server's certificate; nil
	// are those of the system.
	RootCAs *x509.CertPool
	// User is the name to sign in with.
	User string
	// Password fetches the password, at each sign-in.
	Password func(context.Context) (secret.Value, error)
	// Token fetches a token of OAuth that is valid now, at each sign-in, in
	// place of Password.
	Token func(context.Context) (string, error)
	// Refused hears of a token that the server did not take, so that Token has
	// another one the next time; nil: nobody does.
	Refused func(token string)
	// Mechanism is how the token is sent, "oauthbearer" or "xoauth2"; "" is what
	// the server offers, the first before the second.
	Mechanism string
	// Idle asks for hints, see Account.Hints; false: there are none.
	Idle bool
	// IdleFolder is the folder whose news are hinted at; "" is INBOX.
	IdleFolder string
	// Patience is how long the server may say nothing where it has to answer;
	// 0 is 20 s.
	Patience time.Duration
	// Dial connects; nil is a net.Dialer. A connection whose address is of the
	// network "pipe" is one of this machine.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger is told when the connection for hints breaks; nil: nobody is.
	Logger *slog.Logger
	// Now is the clock that certificates are judged by; nil is time.Now.
	Now func() time.Time
}

// validate fills in what was left out and refuses what cannot work.
func (o *Options) validate() error {
	o.Name = cmp.Or(o.Name, o.User)
	o.Security = cmp.Or(o.Security, TLS)
	o.IdleFolder = cmp.Or(o.IdleFolder, "INBOX")
	o.Patience = cmp.Or(o.Patience, patience)
	o.Mechanism = strings.ToLower(o.Mechanism)
	if o.Port == 0 {
		o.Port = 143
		if o.Security == TLS {
			o.Port = 993
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: o.Patience, KeepAlive: 30 * time.Second}).DialContext
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o.refuse()
}

func (o *Options) refuse() error {
	switch {
	case o.Host == "":
		return errors.New("no host: write the name of the IMAP server")
	case strings.ContainsFunc(o.Host, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' || r == '@' }):
		return fmt.Errorf("host %q: write the name of the server alone, as in imap.example.org", o.Host)
	case o.Port < 1 || o.Port > 65535:
		return fmt.Errorf("port %d: use one from 1 to 65535", o.Port)
	case o.Security != TLS && o.Security != StartTLS && o.Security != None:
		return fmt.Errorf("security %q: use tls, starttls or none", o.Security)
	case o.User == "":
		return errors.New("no user: write the name to sign in with, mostly the mail address")
	case strings.ContainsFunc(o.User, unicode.IsControl):
		return errors.New("user: it has control characters in it")
	case (o.Password == nil) == (o.Token == nil):
		return errors.New("one way to sign in has to be there, a password or a token, and one alone")
	case o.Mechanism != "" && o.Mechanism != "oauthbearer" && o.Mechanism != "xoauth2":
		return fmt.Errorf("mechanism %q: use oauthbearer or xoauth2, or leave it out", o.Mechanism)
	case o.Mechanism != "" && o.Token == nil:
		return fmt.Errorf("mechanism %q is for tokens; leave it out where a password is used", o.Mechanism)
	case o.Patience < 0:
		return errors.New("patience: it cannot be negative")
	}
	return nil
}

// address is what to dial.
func (o *Options) address() string {
	return net.JoinHostPort(strings.Trim(o.Host, "[]"), strconv.Itoa(o.Port))
}
