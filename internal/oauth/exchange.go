package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/subconsciousd/subconsciousd/internal/secret"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

const (
	// askWithin bounds one request to a provider, maxAnswer what it answers.
	askWithin = 20 * time.Second
	maxAnswer = 64 << 10
	// maxLeft is the latest end of a sign-in that is believed, in seconds: ten years.
	maxLeft = 10 * 366 * 24 * 3600
)

// refresh gets a new token for an old one.
func (o Options) refresh(ctx context.Context, old *token) (*token, error) {
	got, err := o.request(ctx, "", []string{old.Refresh}, func(ctx context.Context, client *oauth2.Config) (*oauth2.Token, error) {
		return client.TokenSource(ctx, &oauth2.Token{RefreshToken: old.Refresh}).Token()
	})
	if err != nil {
		return nil, err
	}
	fresh := o.tokenOf(got)
	fresh.SignedIn = old.SignedIn
	if fresh.Refresh == "" {
		fresh.Refresh, fresh.Renewable = old.Refresh, old.Renewable
	}
	if fresh.Ends.IsZero() {
		fresh.Ends = old.Ends
	}
	return fresh, nil
}

// exchange gets the first token for a code.
func (o Options) exchange(ctx context.Context, code, verifier, redirect string) (*token, error) {
	got, err := o.request(ctx, redirect, []string{code, verifier}, func(ctx context.Context, client *oauth2.Config) (*oauth2.Token, error) {
		return client.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	})
	if err != nil {
		return nil, err
	}
	if missing := o.notGranted(got); missing != "" {
		return nil, fmt.Errorf("%s granted the sign-in, but not the access that is needed (%s); sign in again, and tick all that is asked for",
			o.endpoint().title, missing)
	}
	return o.tokenOf(got), nil
}

func (o Options) tokenOf(got *oauth2.Token) *token {
	at := o.Now().UTC().Truncate(time.Second)
	made := &token{Version: version, TokenURL: o.endpoint().tokenURL, Access: got.AccessToken, Refresh: got.RefreshToken,
		State: State{Provider: o.Config.Provider, ClientID: o.Config.ClientID, SignedIn: at, Renewed: at, Renewable: got.RefreshToken != ""}}
	if !got.Expiry.IsZero() {
		made.Expiry = o.Now().Add(time.Until(got.Expiry)).UTC().Truncate(time.Second)
	}
	// Google says so of clients whose consent screen is in Testing.
	if left, _ := got.Extra("refresh_token_expires_in").(float64); left > 0 && left < maxLeft {
		made.Ends = at.Add(time.Duration(left) * time.Second)
	}
	return made
}

// notGranted is a scope that was asked for and not given, where the provider is
// known to say so in the same words.
func (o Options) notGranted(got *oauth2.Token) string {
	said, _ := got.Extra("scope").(string)
	if said == "" || o.Config.Provider == Custom {
		return ""
	}
	given := strings.Fields(strings.ToLower(said))
	for _, scope := range o.endpoint().scopes {
		if scope != "offline_access" && !slices.Contains(given, strings.ToLower(scope)) {
			return scope
		}
	}
	return ""
}

// request asks for a token, with the client's secret where the provider looks
// for it. hidden are secrets that its answer may quote.
func (o Options) request(ctx context.Context, redirect string, hidden []string, ask func(context.Context, *oauth2.Config) (*oauth2.Token, error)) (*oauth2.Token, error) {
	value, err := o.Config.Secret.Resolve(o.Env)
	if err != nil && !errors.Is(err, secret.ErrNone) {
		return nil, fmt.Errorf("the secret of the client: %w", err)
	}
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	client := &http.Client{Timeout: askWithin, Transport: bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	// Everybody takes the secret among the parameters but a few, who want it in
	// the header, as the standard would have it. A client that is not known has
	// used nothing up, so that it can be tried the other way.
	styles := []oauth2.AuthStyle{oauth2.AuthStyleInParams}
	if o.Config.Provider == Custom && !value.IsZero() {
		styles = []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams}
	}
	var got *oauth2.Token
	for _, style := range styles {
		got, err = ask(context.WithValue(ctx, oauth2.HTTPClient, client), o.client(value, style, redirect))
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || refused.ErrorCode != "invalid_client" {
			break
		}
	}
	if err != nil {
		return nil, o.plain(ctx, err, redirect != "", append(hidden, value.Reveal()))
	}
	if got.AccessToken == "" || strings.ContainsFunc(got.AccessToken+got.RefreshToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("%s answered with no token that can be used", o.endpoint().title)
	}
	return got, nil
}

// bounded refuses answers that are too long for a token.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}

// plain makes words of an error of x/oauth2, which would quote the answer.
func (o Options) plain(ctx context.Context, err error, first bool, hidden []string) error {
	title := o.endpoint().title
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := 0
		if refused.Response != nil {
			status = refused.Response.StatusCode
		}
		return o.refusal(status, refused.ErrorCode, unsaid(refused.ErrorDescription, hidden), first)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("asking %s was cut short: %w", title, context.Cause(ctx))
	}
	if unsent, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%s cannot be asked: %w", title, unsent.Err)
	}
	if strings.Contains(err.Error(), (&http.MaxBytesError{}).Error()) { // it is not wrapped
		return fmt.Errorf("%s: the answer is too long for a token", title)
	}
	return fmt.Errorf("%s answered with what is no token", title)
}

// refusal says in plain words what a provider refused and why.
func (o Options) refusal(status int, code, description string, first bool) error {
	title := o.endpoint().title
	words, again := refusals[code], false
	switch code {
	case "invalid_grant":
		again = !first
		words = "no longer takes the sign-in: it was taken back, has run out, or the password was changed"
		if first {
			words = "does not take the code: it is used up or too old; begin again"
		}
	case "interaction_required", "consent_required", "login_required":
		again = !first
		words = "wants you to sign in anew"
	}
	if words == "" {
		words = fmt.Sprintf("refused (%s)", codeWords(status, code))
	}
	text := title + " " + words
	if description != "" && !again { // that only words it otherwise
		text += fmt.Sprintf(" (it says: %s)", description)
	}
	if again {
		return o.again(text)
	}
	return errors.New(text)
}

// refusals are the codes of the standard in words, behind the provider's name.
var refusals = map[string]string{
	"access_denied":             "was told not to let this program in",
	"invalid_client":            "does not know this client, or its secret is wrong; check client_id and client_secret_… in the configuration",
	"unauthorized_client":       "does not let this client sign in in this way; register it as a desktop or native application",
	"invalid_scope":             "does not know what was asked for; check scopes, and what the client is registered for",
	"redirect_uri_mismatch":     "does not take the address of this machine; register the client as a desktop application",
	"invalid_request":           "did not understand what was asked; check how the client is registered",
	"unsupported_response_type": "does not sign in by codes; check how the client is registered",
	"server_error":              "failed; try again later",
	"temporarily_unavailable":   "is overloaded; try again later",
}

var plainCode = lazy.Regexp(`^[a-zA-Z0-9_.-]{1,48}$`)

func codeWords(status int, code string) string {
	switch {
	case plainCode().MatchString(code):
		return code
	case status != 0:
		return fmt.Sprintf("HTTP status %d", status)
	}
	return "it did not say why"
}

// longWord is what could be a code or a token.
var longWord = lazy.Regexp(`[^\s]{32,}`)

// unsaid makes what a provider says printable and short, without secrets.
func unsaid(text string, hidden []string) string {
	const most = 240
	for _, h := range hidden {
		if h != "" {
			text = strings.ReplaceAll(text, h, "[secret]")
		}
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	text = longWord().ReplaceAllString(strings.Join(strings.Fields(text), " "), "[…]")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
