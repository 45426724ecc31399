package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-sasl"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// loginDisabled is the capability that says that LOGIN is refused.
const loginDisabled imap.Cap = "LOGINDISABLED"

// signIn signs in the way that both sides know best.
func (a *Account) signIn(ctx context.Context, c *connection) error {
	if a.options.Token != nil {
		token, err := a.options.Token(ctx)
		if err != nil {
			return fmt.Errorf("%w: no token for it: %w", ErrSignIn, err)
		}
		c.hidden.add(token)
		return a.withToken(ctx, c, token)
	}
	password, err := a.options.Password(ctx)
	if err != nil {
		return fmt.Errorf("%w: no password for it: %w", ErrSignIn, err)
	}
	c.hidden.add(password.Reveal())
	return a.withPassword(ctx, c, password)
}

func (a *Account) withPassword(ctx context.Context, c *connection, password secret.Value) error {
	plain := c.caps.Has(imap.AuthCap("PLAIN"))
	if !plain && c.caps.Has(loginDisabled) {
		return fmt.Errorf("%w: the server takes no passwords%s", ErrSignIn, a.wayIn(c.caps))
	}
	err := c.command(ctx, allowance{}, func() error {
		if plain {
			return c.client.Authenticate(sasl.NewPlainClient("", a.options.User, password.Reveal()))
		}
		return c.client.Login(a.options.User, password.Reveal()).Wait()
	})
	return a.refused(err, "check the user and the password; a provider with a second factor wants a password made for this program in its settings")
}

// wayIn says what else the server offers.
func (a *Account) wayIn(caps imap.CapSet) string {
	names := caps.AuthMechanisms()
	if a.options.Security == None && caps.Has(imap.CapStartTLS) {
		return " before TLS; use security starttls"
	}
	if slices.Contains(names, "XOAUTH2") || slices.Contains(names, "OAUTHBEARER") {
		return "; set up oauth for the account"
	}
	return "; ask its operator how programs sign in"
}

func (a *Account) withToken(ctx context.Context, c *connection, token string) error {
	mechanism := a.options.Mechanism
	if mechanism == "" {
		switch {
		case c.caps.Has(imap.AuthCap(sasl.OAuthBearer)):
			mechanism = "oauthbearer"
		case c.caps.Has(imap.AuthCap("XOAUTH2")):
			mechanism = "xoauth2"
		default:
			return fmt.Errorf("%w: the server takes no tokens; use a password, or the host that the provider names for IMAP", ErrSignIn)
		}
	}
	var client sasl.Client = &xoauth2{user: a.options.User, token: token}
	if mechanism == "oauthbearer" {
		client = bearer{sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{
			Username: a.options.User, Token: token, Host: a.options.Host, Port: a.options.Port,
		})}
	}
	c.guard.mu.Lock()
	c.guard.bare = mechanism == "xoauth2"
	c.guard.mu.Unlock()
	err := c.command(ctx, allowance{}, func() error { return c.client.Authenticate(client) })
	if err = a.refused(err, "run: subconsciousctl auth mail "+a.options.Name); errors.Is(err, ErrSignIn) && a.options.Refused != nil {
		a.options.Refused(token)
	}
	return err
}

// crowded are the words in which servers say that there are too many
// connections, or that it is no good time, where they say it by no code.
var crowded = regexp.MustCompile(`(?i)too many|maximum number|connection limit|temporar|try again later|unavailable|overquota|bandwidth`)

// refused says what a refused sign-in means, and what to do.
func (a *Account) refused(err error, advice string) error {
	var answer *answerError
	if !errors.As(err, &answer) {
		return err
	}
	if busy(answer.code, answer.text) {
		return fmt.Errorf("%w: %w; it is tried again at the next tick; if this stays, close other mail programs", ErrBusy, err)
	}
	return fmt.Errorf("%w: %w; %s", ErrSignIn, err, advice)
}

func busy(code imap.ResponseCode, text string) bool {
	switch code {
	case imap.ResponseCodeUnavailable, imap.ResponseCodeInUse, imap.ResponseCodeLimit, imap.ResponseCodeServerBug, imap.ResponseCodeOverQuota:
		return true
	case imap.ResponseCodeAuthenticationFailed, imap.ResponseCodeAuthorizationFailed, imap.ResponseCodeExpired:
		return false
	}
	return crowded.MatchString(text)
}

// bearer is OAUTHBEARER to its end: the library's breaks off where the token was
// refused.
type bearer struct{ sasl.Client }

// Next is asked only when the token was refused: the server sends why, and wants
// one byte, 0x01, before it says no (RFC 7628, 3.2.3).
func (bearer) Next([]byte) ([]byte, error) { return []byte{1}, nil }

// xoauth2 is the mechanism of that name, which some providers have beside the
// standard one, or instead:
// https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
type xoauth2 struct{ user, token string }

var _ sasl.Client = (*xoauth2)(nil)

// Start sends everything at once.
func (x *xoauth2) Start() (string, []byte, error) {
	return "XOAUTH2", []byte("user=" + x.user + "\x01auth=Bearer " + x.token + "\x01\x01"), nil
}

// Next is asked only when the token was refused: the server sends why, and wants
// an empty answer before it says no.
func (x *xoauth2) Next([]byte) ([]byte, error) { return []byte{}, nil }
