package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/shoutrrr"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
	"github.com/subconsciousd/subconsciousd/setup"
)

const (
	// reachWithin bounds looking at a channel, maxAnswer what is read of an
	// answer, in bytes.
	reachWithin = 10 * time.Second
	maxAnswer   = 64 << 10
)

// Channel opens a channel without a mind: its messages have no buttons.
func Channel(c setup.Channel, env func(string) (string, bool)) (notify.Channel, error) {
	made := notify.Channel{ID: c.ID, Kind: c.Kind(), Content: c.Content}
	var err error
	switch {
	case c.Ntfy != nil:
		made.Notifier, err = ntfy.New(*c.Ntfy, ntfy.Options{Env: env})
	case c.Shoutrrr != nil:
		made.Notifier, err = shoutrrr.New(*c.Shoutrrr, shoutrrr.Options{Env: env})
	case c.Desktop != nil:
		made.Notifier = desktop.New(*c.Desktop, desktop.Options{})
	case c.Stdout != nil:
		made.Notifier = stdout.New(*c.Stdout, stdout.Options{})
	default:
		err = errors.New("it names no kind of channel")
	}
	if err != nil {
		return notify.Channel{}, fmt.Errorf("open the channel %s: %w", c.ID, err)
	}
	return made, nil
}

// Send sends one message over a channel, past the outbox of any mind. A failure
// to send is a *notify.Error.
func Send(ctx context.Context, c setup.Channel, env func(string) (string, bool), message notify.Message) error {
	opened, err := Channel(c, env)
	if err != nil {
		return err
	}
	if closer, ok := opened.Notifier.(interface{ Close() }); ok {
		defer closer.Close()
	}
	_, err = opened.Notifier.Send(ctx, message)
	return err
}

// Reached is what looking at a channel found, without a message being sent.
type Reached struct {
	// Detail is what is so, Problem what is wrong: one of the two is set, and
	// Next beside Problem.
	Detail, Problem, Next string
	// Locked: it wants signing in, or refuses the way in which one did.
	Locked bool
}

// Reach looks at a channel without sending anything: whether its secret is
// there, whether its server answers, and whether it lets one in.
func Reach(ctx context.Context, c setup.Channel, env func(string) (string, bool)) Reached {
	if _, err := Channel(c, env); err != nil {
		return Reached{Problem: err.Error(), Next: "correct the channel in the configuration"}
	}
	switch {
	case c.Ntfy != nil:
		ctx, done := context.WithTimeout(ctx, reachWithin)
		defer done()
		return reachNtfy(ctx, *c.Ntfy, env)
	case c.Shoutrrr != nil:
		if _, err := c.Shoutrrr.Ref().Resolve(env); err != nil {
			return Reached{Problem: "its address is not to be had: " + err.Error(), Next: "put the address of the service there, as docs/notifications.md shows"}
		}
		return Reached{Detail: "its address is there; only sending shows whether it is right"}
	}
	return Reached{Detail: "it needs no server"}
}

// reachNtfy asks a server whether it is well, and whether the topic can be used.
func reachNtfy(ctx context.Context, c ntfy.Config, env func(string) (string, bool)) Reached {
	base := strings.TrimRight(c.URL, "/")
	host := base
	if at, err := url.Parse(base); err == nil {
		host = at.Host
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	code, body, err := get(ctx, client, base+"/v1/health", nil)
	if err != nil {
		return Reached{Problem: host + " does not answer: " + bare(err), Next: "start the server, check the connection, or correct url of the channel"}
	}
	var health struct {
		Healthy *bool `json:"healthy"`
	}
	switch {
	case code != http.StatusOK || json.Unmarshal(body, &health) != nil || health.Healthy == nil:
		return Reached{Problem: fmt.Sprintf("%s answers, and not as an ntfy server does (HTTP %d)", host, code),
			Next: "correct url of the channel: the address of the server, without the topic"}
	case !*health.Healthy:
		return Reached{Problem: host + " says that it is not well", Next: "look at the server; what is told waits until it is"}
	}
	sign, err := signer(c, env)
	if err != nil {
		return Reached{Problem: "its key is not to be had: " + err.Error(), Next: "put it where the channel says it is"}
	}
	// Of a topic the server says whether it may be read; what may be written is
	// known by writing alone.
	code, _, err = get(ctx, client, base+"/"+c.Topic+"/auth", sign)
	switch {
	case err != nil:
		return Reached{Problem: host + " does not answer about the topic: " + bare(err), Next: "try again"}
	case code == http.StatusForbidden && sign != nil:
		return Reached{Detail: host + " answers; your account may not read the topic, and sending alone shows whether it may write"}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return Reached{Locked: true, Problem: host + " does not let you in to the topic",
			Next: "on the server allow it, ntfy access USER '" + c.Topic + "' rw, and give the channel that user's token_file or username and password_file"}
	case code == http.StatusOK:
		return Reached{Detail: host + " answers, and lets you in to the topic"}
	}
	return Reached{Detail: host + " answers"}
}

// signer signs requests as the channel does.
func signer(c ntfy.Config, env func(string) (string, bool)) (func(*http.Request), error) {
	ref := c.Token()
	if c.Username != "" {
		ref = c.Password()
	}
	key, err := ref.Resolve(env)
	switch {
	case errors.Is(err, secret.ErrNone):
		return nil, nil
	case err != nil:
		return nil, err
	case c.Username != "":
		return func(r *http.Request) { r.SetBasicAuth(c.Username, key.Reveal()) }, nil
	}
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key.Reveal()) }, nil
}

// get asks for a page, bounded.
func get(ctx context.Context, client *http.Client, address string, sign func(*http.Request)) (code int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, fmt.Errorf("ask the server: %w", err)
	}
	if sign != nil {
		sign(request)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("ask the server: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // what was read of it is all that matters
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return response.StatusCode, body, err
}

// bare is an error without the address, which has the topic in it.
func bare(err error) string {
	var failure *url.Error
	if errors.As(err, &failure) {
		if failure.Timeout() {
			return "no answer came in time"
		}
		return failure.Err.Error()
	}
	return err.Error()
}
