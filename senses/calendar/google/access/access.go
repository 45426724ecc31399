// Package access asks the Google Calendar API over plain HTTP: as whom, within
// which bounds, and what a refusal means. It finds the calendars of an account,
// and knows no events, so that what only signs in or tries an account does not
// link Google's library.
//
// It stores nothing. Package google reads events through it, setup/live tries
// accounts.
package access

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	api       = "https://www.googleapis.com/calendar/v3/"
	maxBody   = 8 << 20 // bytes of one answer, after decompression
	answersIn = 15 * time.Second
	maxAfter  = time.Hour // that Google may ask to wait
)

// Options say as whom to ask.
type Options struct {
	// SignIn is whose tokens: see setup.CalendarSignIn.
	SignIn oauth.Options
	// Endpoint is where the API is; "" is Google's.
	Endpoint string
	// Transport carries the requests; nil is the usual one.
	Transport http.RoundTripper
}

// Client asks as one account.
type Client struct {
	config   calendar.Config
	tokens   *oauth.Source
	endpoint string
	under    http.RoundTripper
}

// New makes a client; it asks nobody yet.
func New(c calendar.Config, o Options) *Client {
	under := o.Transport
	if under == nil {
		under = http.DefaultTransport
	}
	return &Client{config: c, tokens: oauth.New(o.SignIn), endpoint: cmp.Or(o.Endpoint, api), under: under}
}

// Endpoint is where the API is, with a slash at its end.
func (c *Client) Endpoint() string { return c.endpoint }

// RoundTrip asks with a token, and reads the answer to its end. What is no answer
// of 200 is an error: Refused, or oauth.SignInAgain.
func (c *Client) RoundTrip(request *http.Request) (*http.Response, error) {
	for renewed := false; ; renewed = true {
		token, err := c.tokens.Token(request.Context())
		if err != nil {
			return nil, err
		}
		response, err := c.once(request, token)
		refused, _ := errors.AsType[*Refused](err)
		switch {
		case err == nil:
			return response, nil
		case refused == nil:
			return nil, err
		case refused.Status == http.StatusUnauthorized && !renewed:
			c.tokens.Reject(token)
		case refused.Status == http.StatusUnauthorized:
			return nil, c.again("Google does not take the sign-in, although it was just renewed")
		case refused.Reason == "insufficientPermissions":
			return nil, c.again("the sign-in gives no right to read calendars; tick all that is asked for")
		default:
			return nil, err
		}
	}
}

func (c *Client) again(why string) error {
	return &oauth.SignInAgain{Why: why, Command: c.tokens.Command}
}

func (c *Client) once(request *http.Request, token string) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), answersIn, fmt.Errorf("no whole answer came within %s; it is asked again at the next tick", answersIn))
	defer cancel()
	request = request.Clone(ctx)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := c.under.RoundTrip(request)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(response.Body, maxBody+1))
		_ = response.Body.Close() // all that is wanted was read
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be reached: %w; check whether this machine is online", request.URL.Host, err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("an answer of %s is larger than %d MiB", request.URL.Host, maxBody>>20)
	case response.StatusCode != http.StatusOK:
		return nil, refusal(response, body)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// Refused is an answer that says no.
type Refused struct {
	Status  int
	Reason  string        // in Google's word: "rateLimitExceeded"
	Message string        // what Google says, made printable
	After   time.Duration // how long it asks to wait, 0 where it does not say
}

func refusal(response *http.Response, body []byte) *Refused {
	var said struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	_ = json.Unmarshal(body, &said) // what is no JSON says no more than its status
	r := &Refused{Status: response.StatusCode, Message: subconscious.Head(redact.Text(subconscious.Printable(said.Error.Message)), 200)}
	if len(said.Error.Errors) > 0 {
		r.Reason = said.Error.Errors[0].Reason
	}
	after := response.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		r.After = time.Duration(min(max(seconds, 0), int(maxAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		r.After = min(max(time.Until(at), 0), maxAfter)
	}
	return r
}

// Busy reports whether it mends itself: too much was asked, or something is out
// of order there.
func (r *Refused) Busy() bool {
	return r.Status == http.StatusTooManyRequests || r.Status >= 500 || r.Status == http.StatusForbidden &&
		slices.Contains([]string{"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded"}, r.Reason)
}

func (r *Refused) Error() string {
	text := fmt.Sprintf("Google answers %d %s", r.Status, cmp.Or(r.Message, http.StatusText(r.Status)))
	switch {
	case r.Busy():
		return text + "; it is asked again by itself"
	case r.Reason == "accessNotConfigured":
		return "the Google Calendar API is not enabled for your client; enable it at https://console.cloud.google.com/apis/library/calendar-json.googleapis.com"
	}
	return text + "; check what the account may do"
}

// Plain is an error without the address that was asked.
func Plain(err error) error {
	if asked, ok := errors.AsType[*url.Error](err); ok {
		return asked.Err
	}
	return err
}

// Calendar is one of an account's list.
type Calendar struct {
	ID       string
	Summary  string
	Override string `json:"summaryOverride"`
	Role     string `json:"accessRole"`
	Primary  bool
	Selected bool
}

// Name is what the person calls it, as it may be shown.
func (c Calendar) Name() string {
	return subconscious.Head(subconscious.Printable(cmp.Or(c.Override, c.Summary, c.ID)), 60)
}

// Calendars are those that are looked at: the ones that are configured, or else
// those that are ticked in the account's list. One that shows only when somebody
// is busy has no events. left are the ids of the others, missing those that are
// configured and cannot be read; owner is the address of the account.
func (c *Client) Calendars(ctx context.Context) (all []Calendar, left, missing []string, owner string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.endpoint+"users/me/calendarList?maxResults=250", nil)
	if err != nil {
		return nil, nil, nil, "", fmt.Errorf("the address of the API: %w", err)
	}
	response, err := c.RoundTrip(request)
	if err != nil {
		return nil, nil, nil, "", err
	}
	var list struct{ Items []Calendar }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return nil, nil, nil, "", fmt.Errorf("%s answers what is no list of calendars; is this machine behind a page that wants a login?", request.URL.Host)
	}
	missing, owner = slices.Clone(c.config.Calendars), c.config.Google
	for _, one := range list.Items {
		if one.Primary {
			owner = one.ID
		}
		known := len(missing)
		missing = slices.DeleteFunc(missing, func(name string) bool {
			return one.Role != freeBusy && (strings.EqualFold(name, one.Name()) || strings.EqualFold(name, one.Summary) || name == one.ID)
		})
		switch {
		case one.ID == "" || one.Role == freeBusy:
		case len(missing) < known || len(c.config.Calendars) == 0 && (one.Selected || one.Primary):
			all = append(all, one)
		default:
			left = append(left, one.ID)
		}
	}
	return all, left, missing, owner, nil
}

const freeBusy = "freeBusyReader"

// Probe asks once which calendars there are; no event is read. Of detail and
// problem one is set, and next beside problem.
func (c *Client) Probe(ctx context.Context) (detail, problem, next string, missing []string) {
	all, _, missing, owner, err := c.Calendars(ctx)
	if again, ok := errors.AsType[*oauth.SignInAgain](err); ok {
		return "", again.Why, "run: " + again.Command, nil
	} else if err != nil {
		problem, next, _ = strings.Cut(err.Error(), "; ")
		return "", problem, next, nil
	}
	var names []string
	for _, one := range all[:min(len(all), 10)] {
		names = append(names, one.Name())
	}
	return fmt.Sprintf("Google lets %s in, to these calendars: %s", subconscious.Printable(owner), strings.Join(names, ", ")), "", "", missing
}
