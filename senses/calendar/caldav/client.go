package caldav

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What one answer may be at most, after decompression, and how long it may take.
const (
	maxListing  = 16 << 20 // bytes of a list, or of a whole calendar
	maxItem     = 2 << 20  // bytes of one event with its exceptions
	maxHeader   = 64 << 10
	maxHops     = 5
	answersIn   = 15 * time.Second
	dialsWithin = 10 * time.Second
)

// ErrSignIn says that the server does not take who asks.
var ErrSignIn = errors.New("the sign-in was refused")

// client asks one account's hosts, and no other: the one that is configured, and
// within its registered domain those to which looking for the account leads.
type client struct {
	under  *http.Transport
	user   string
	secret func(context.Context) (secret.Value, error) // nil: nobody signs in
	// password is what secret gave last.
	password secret.Value
	hosts    map[string]bool // with port, where it is not the usual one
	domain   string          // "" where no other host may be asked
	// expires is when the first certificate ends that was shown.
	expires time.Time
}

func newClient(o Options, user string, password func(context.Context) (secret.Value, error)) *client {
	return &client{user: user, secret: password, hosts: map[string]bool{}, under: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: o.Dial, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout: dialsWithin, MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: fetchers, IdleConnTimeout: 30 * time.Second,
	}}
}

// registered is the domain that somebody registered of a host's name, "" for an
// address of a machine or a name of a network's own.
func registered(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(strings.TrimSuffix(host, ".")))
	if err != nil {
		return ""
	}
	return domain
}

// hostOf is the host that is asked at an address.
func hostOf(at *url.URL) string {
	host := strings.ToLower(at.Host)
	if at.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	}
	return host
}

// admit reports whether an address may be asked. Where the account is looked for,
// hosts of its domain are added to those that may.
func (c *client) admit(at *url.URL, looking bool) error {
	host := hostOf(at)
	switch {
	case at.Scheme != "https" && (at.Scheme != "http" || !own.Loopback(at.Hostname())):
		return fmt.Errorf("the server leads to %s without https, where nothing is sent; write the address that it has now into the configuration", shown(host))
	case c.hosts[host]:
		return nil
	case looking && c.domain != "" && registered(at.Hostname()) == c.domain && len(c.hosts) < 20:
		c.hosts[host] = true
		return nil
	}
	return fmt.Errorf("the server leads to %s, where nothing is sent; if that is right, write its address into the configuration", shown(host))
}

// request is one question.
type request struct {
	method string
	at     *url.URL
	header map[string]string
	body   string
	most   int64 // bytes of the answer
	// looking: for the account; see admit.
	looking bool
}

// answer is what came. at is where it came from in the end.
type answer struct {
	at     *url.URL
	status int
	header http.Header
	body   []byte
}

// do asks. It follows where the server leads, with the same method and body, as
// far as it may. An error has nothing of the address but its host.
func (c *client) do(ctx context.Context, r request) (*answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answersIn, fmt.Errorf("no whole answer came within %s; it is asked again at the next tick", answersIn))
	defer cancel()
	for range maxHops {
		if err := c.admit(r.at, r.looking); err != nil {
			return nil, err
		}
		got, err := c.once(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown(r.at.Host), err)
		}
		switch got.status {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		case http.StatusUnauthorized:
			if c.secret == nil {
				return nil, fmt.Errorf("%s wants to know who asks: %w; set user and password_file of the calendar", shown(r.at.Host), ErrSignIn)
			}
			return nil, fmt.Errorf("%s: %w; check user and password; a provider with a second factor wants a password made for this program in its settings", shown(r.at.Host), ErrSignIn)
		default:
			return got, nil
		}
		next, err := r.at.Parse(got.header.Get("Location"))
		if err != nil || next.Host == "" {
			return nil, fmt.Errorf("%s leads to an address that is none", shown(r.at.Host))
		}
		next.User, next.Fragment = nil, ""
		r.at = next
	}
	return nil, fmt.Errorf("%s leads in a circle, or further than %d addresses; check the address", shown(r.at.Host), maxHops)
}

// once asks one address.
func (c *client) once(ctx context.Context, r request) (*answer, error) {
	asked, err := http.NewRequestWithContext(ctx, r.method, r.at.String(), strings.NewReader(r.body))
	if err != nil {
		return nil, errors.New("the address cannot be asked")
	}
	asked.Header.Set("User-Agent", "subconsciousd")
	if r.body != "" {
		asked.Header.Set("Content-Type", `application/xml; charset="utf-8"`)
	}
	for name, value := range r.header {
		asked.Header.Set(name, value)
	}
	if c.secret != nil {
		asked.SetBasicAuth(c.user, c.password.Reveal())
	}
	response, err := c.under.RoundTrip(asked)
	if err != nil {
		return nil, plain(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // all that is wanted was read
	if t := response.TLS; r.looking && t != nil && len(t.PeerCertificates) > 0 {
		if end := t.PeerCertificates[0].NotAfter; c.expires.IsZero() || end.Before(c.expires) {
			c.expires = end
		}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, r.most+1))
	switch {
	case int64(len(body)) > r.most:
		return nil, fmt.Errorf("%w %d MiB; have it hold a shorter time, or look at fewer calendars", errTooLarge, r.most>>20)
	case err != nil:
		return nil, plain(ctx, err)
	}
	return &answer{at: r.at, status: response.StatusCode, header: response.Header, body: body}, nil
}

var errTooLarge = errors.New("the answer is larger than")

// plain puts an error of the network in words, with what to do.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wrong, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("its certificate does not hold: %w; whoever runs the server has to renew it, or name the certificate of who signed it as ca_file", wrong.Err)
	}
	return fmt.Errorf("it cannot be reached: %w; check the address, and whether this machine is online", err)
}

// shown is what a server made up, as it may be shown.
func shown(text string) string { return subconscious.Head(subconscious.Printable(text), 100) }

// parse reads the address at which to begin, and admits its host.
func (c *client) parse(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	if err != nil || !calendar.Address(text) { // the text of err has the address in it
		return nil, errors.New("the address is none that can be asked; write it as https://example.com")
	}
	if at.Scheme != "http" { // webcal
		at.Scheme = "https"
	}
	at.Fragment = ""
	c.domain, c.hosts[hostOf(at)] = registered(at.Hostname()), true
	return at, nil
}

// wake fetches the password.
func (c *client) wake(ctx context.Context) (err error) {
	if c.secret != nil {
		if c.password, err = c.secret(ctx); err != nil {
			return fmt.Errorf("%w: no password for it: %w", ErrSignIn, err)
		}
	}
	return nil
}

// rest closes what is open, so that nothing waits until the next tick.
func (c *client) rest() { c.under.CloseIdleConnections() }
