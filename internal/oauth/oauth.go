// Package oauth signs in to a provider by OAuth 2.0 in the browser, and gets
// fresh access tokens from then on.
//
// It stores one file for each account, readable by its owner alone, in a folder
// that its owner alone can open: STATE_DIR/sign-in/SENSE-ID.json, and beside it
// an empty SENSE-ID.lock, which processes hold while they change it. Only a
// sign-in makes the file; fetching a token renews it. Its content, the client's
// secret, codes and tokens are in no error and in no log.
//
// The daemon fetches tokens for its senses, setup signs in, doctor looks.
package oauth

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// The providers.
const (
	Google    = "google"
	Microsoft = "microsoft"
	Custom    = "custom"
)

// Providers are their names.
func Providers() []string { return []string{Google, Microsoft, Custom} }

// Config says at whom to sign in, and as which client.
type Config struct {
	Provider  string `mapstructure:"provider" about:"google, microsoft or custom."`
	Mechanism string `mapstructure:"mechanism" about:"How the token is sent, oauthbearer or xoauth2; left out: what the server offers."`
	ClientID  string `mapstructure:"client_id" about:"The id of the client that you registered with the provider, as a desktop application."`
	// Secret of the client, where the provider wants one.
	Secret secret.Ref `mapstructure:"client_secret" about:"the secret of that client, where the provider gave one"`
	// AuthURL, TokenURL and Scopes are those of a custom provider; the others
	// have their own.
	AuthURL  string   `mapstructure:"auth_url" about:"Where one signs in at a custom provider; https, or http on this machine."`
	TokenURL string   `mapstructure:"token_url" about:"Where a custom provider gives tokens; https, or http on this machine."`
	Scopes   []string `mapstructure:"scopes" about:"What a custom provider calls the right to read mail over IMAP, or calendars."`
}

const (
	maxScopes = 20
	// maxName bounds what is one word, in bytes.
	maxName = 255
)

// Validate returns what is wrong, each error beginning with the key.
func (c Config) Validate() error { return errors.Join(c.Wrong()...) }

// Wrong is Validate, error by error.
func (c Config) Wrong() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	switch c.Provider {
	case Google, Microsoft:
		for _, field := range [...]struct {
			key string
			set bool
		}{{"auth_url", c.AuthURL != ""}, {"token_url", c.TokenURL != ""}, {"scopes", len(c.Scopes) > 0}} {
			if field.set {
				add("%s: is known of %s; leave it out, or set provider: custom", field.key, c.Provider)
			}
		}
	case Custom:
		if err := checkURL(c.AuthURL, "authorize"); err != nil {
			add("auth_url: %w", err)
		}
		if err := checkURL(c.TokenURL, "token"); err != nil {
			add("token_url: %w", err)
		}
		if len(c.Scopes) == 0 {
			add("scopes: is missing; name what the provider calls the right to read mail over IMAP")
		}
		for i, scope := range c.Scopes {
			if scope == "" || !isWord(scope) || strings.ContainsAny(scope, `"\`) || i == maxScopes {
				add("scopes[%d]: %.40q is none; give one scope an entry, without spaces, at most %d", i, scope, maxScopes)
				break
			}
		}
	case "":
		add("provider: is missing; use google, microsoft or custom")
	default:
		add("provider: %q is unknown; use google, microsoft or custom", c.Provider)
	}
	if strings.TrimSpace(c.ClientID) == "" {
		add("client_id: is missing; register a desktop client with the provider, and write its id")
	} else if !isWord(c.ClientID) {
		add("client_id: has spaces in it, or is over %d bytes; write it as the provider shows it", maxName)
	}
	if !slices.Contains([]string{"", "oauthbearer", "xoauth2"}, c.Mechanism) {
		add("mechanism: %q is unknown; use oauthbearer or xoauth2, or leave it out", c.Mechanism)
	}
	return append(wrong, c.Secret.Wrong("client_secret", "secret", "MAIL_CLIENT_SECRET", "subconscious/mail-client")...)
}

// isWord reports whether a text is one word that can be sent.
func isWord(text string) bool {
	return len(text) <= maxName && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// checkURL refuses addresses over which a secret would go in the open. What
// stands there is not shown, since it may hold one; path is that of an example.
func checkURL(text, path string) error {
	if text == "" {
		return errors.New("is missing; write the address that the provider documents")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return fmt.Errorf("is no address; write it as https://example.com/%s", path)
	case u.User != nil || u.Fragment != "":
		return errors.New(`has a name, a password or a "#" in it; write the plain address`)
	case u.Scheme == "https", u.Scheme == "http" && own.Loopback(u.Hostname()):
		return nil
	}
	return errors.New("is not protected; use https, for what goes there signs in to your account")
}

// endpoint is where a provider is, and what it is asked for.
type endpoint struct {
	title             string
	authURL, tokenURL string
	scopes            []string
	// extra are parameters without which it gives no refresh token.
	extra map[string]string
	// redirect is the host under which it knows this machine.
	redirect string
}

func (o Options) endpoint() endpoint {
	c := o.Config
	switch c.Provider {
	case Google:
		scope := "https://mail.google.com/"
		if o.Calendars {
			scope = "https://www.googleapis.com/auth/calendar.readonly"
		}
		return endpoint{
			title:   "Google",
			authURL: "https://accounts.google.com/o/oauth2/v2/auth", tokenURL: "https://oauth2.googleapis.com/token",
			scopes: []string{scope}, redirect: "127.0.0.1",
			extra: map[string]string{"access_type": "offline", "prompt": "consent"},
		}
	case Microsoft:
		const at = "https://login.microsoftonline.com/common/oauth2/v2.0/"
		return endpoint{
			title: "Microsoft", authURL: at + "authorize", tokenURL: at + "token",
			scopes: []string{"https://outlook.office.com/IMAP.AccessAsUser.All", "offline_access"},
			// The port of localhost is free there, that of 127.0.0.1 has to be
			// registered by editing a manifest.
			redirect: "localhost",
		}
	}
	title := "the provider"
	if u, err := url.Parse(c.AuthURL); err == nil && u.Hostname() != "" {
		title = u.Hostname()
	}
	return endpoint{title: title, authURL: c.AuthURL, tokenURL: c.TokenURL, scopes: slices.Clone(c.Scopes), redirect: "127.0.0.1"}
}

// client is the configuration for x/oauth2.
func (o Options) client(value secret.Value, style oauth2.AuthStyle, redirect string) *oauth2.Config {
	e := o.endpoint()
	return &oauth2.Config{
		ClientID: o.Config.ClientID, ClientSecret: value.Reveal(), Scopes: e.scopes, RedirectURL: redirect,
		Endpoint: oauth2.Endpoint{AuthURL: e.authURL, TokenURL: e.tokenURL, AuthStyle: style},
	}
}

// Path is the file of an account's sign-in: of sense "mail" and the id "home" it
// is STATE_DIR/sign-in/mail-home.json.
func Path(stateDir, sense, id string) string {
	return filepath.Join(stateDir, "sign-in", sense+"-"+id+".json")
}

// ErrSignInAgain says that no token can be had until the person signs in.
var ErrSignInAgain = errors.New("sign in again")

// SignInAgain is an ErrSignInAgain with the reason and the command to run.
type SignInAgain struct{ Why, Command string }

func (s *SignInAgain) Error() string {
	if s.Command == "" {
		return s.Why + "; sign in again"
	}
	return s.Why + "; run: " + s.Command
}

// Is makes it an ErrSignInAgain.
func (s *SignInAgain) Is(target error) bool { return target == ErrSignInAgain }

// hostPort is an address as it stands in an URL.
func hostPort(host string, port int) string { return net.JoinHostPort(host, fmt.Sprint(port)) }
