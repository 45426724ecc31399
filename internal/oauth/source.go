package oauth

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	// early is how long before its end a token is renewed.
	early = 60 * time.Second
	// askAgain is after how long a refresh token that was refused is tried once
	// more, where nobody has signed in meanwhile, and after how long a second
	// access token is replaced because the mail server did not take it.
	askAgain = time.Hour
)

// Options say whose tokens, and where they are kept.
type Options struct {
	Config Config
	// Path is the file of the sign-in: see Path.
	Path string
	// Calendars: the sign-in is for reading calendars, in place of mail.
	Calendars bool
	// Command is what the person runs to sign in: "subconsciousctl auth mail home".
	Command string
	// Env looks variables up for the client's secret; nil is the process's own.
	Env func(string) (string, bool)
	// Transport carries the requests; nil is the usual one.
	Transport http.RoundTripper
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// Log hears of what is no error yet; nil is nobody.
	Log *slog.Logger
}

func (o Options) filled() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

func (o Options) again(why string) error { return &SignInAgain{Why: why, Command: o.Command} }

// Source gives access tokens of one account. It may be used by several
// goroutines at once, and beside other processes.
type Source struct {
	Options
	turn chan struct{} // held by whoever reads or renews

	mu         sync.Mutex
	rejected   string // an access token that the mail server did not take
	rejectedAt time.Time

	// unkept is a token that could not be written, renewed is what the file
	// held before it. refused is what the provider does not take any more.
	unkept, renewed *token
	refused         string
	refusedAt       time.Time
	refusal         error
}

// New makes a source; it neither reads nor asks anything yet.
func New(options Options) *Source {
	return &Source{Options: options.filled(), turn: make(chan struct{}, 1)}
}

// Token returns an access token that holds for a minute at least, renewing it
// where it has to. The file is read each time, so that a sign-in of another
// process counts at once.
//
// An error is ErrSignInAgain where only the person can mend it. What the network
// or the provider cannot do for the moment is another one.
func (s *Source) Token(ctx context.Context) (string, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	held, err := s.held()
	if err != nil {
		return "", err
	}
	if !s.good(held) {
		if held, err = s.renew(ctx); err != nil {
			return "", err
		}
	}
	return held.Access, nil
}

// Reject says that the server did not take an access token, so that the next
// one is another. Where that is not taken either it is not for the token, and the
// provider is not asked for one after the other: it is used for an hour.
func (s *Source) Reject(access string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.Now(); access == s.rejected || s.rejected == "" || now.Sub(s.rejectedAt) >= askAgain {
		s.rejected, s.rejectedAt = access, now
	}
}

// held is the token of the file, or the one that could not be written there.
func (s *Source) held() (*token, error) {
	kept, err := readToken(s.Path)
	switch {
	case errors.Is(err, errNoToken):
		return nil, s.again("nobody has signed in to this account yet")
	case err != nil:
		return nil, err
	case kept.ClientID != s.Config.ClientID || kept.TokenURL != s.endpoint().tokenURL:
		return nil, s.again("the sign-in is that of another client or provider than the configuration names")
	}
	if s.unkept != nil && kept.Refresh == s.renewed.Refresh && kept.Access == s.renewed.Access {
		if err := writeToken(s.Path, s.unkept); err == nil {
			kept, s.unkept, s.renewed = s.unkept, nil, nil
			return kept, nil
		}
		return s.unkept, nil
	}
	s.unkept, s.renewed = nil, nil
	return kept, nil
}

// good reports whether a token can be used as it is.
func (s *Source) good(t *token) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.Access != "" && t.Access != s.rejected && (t.Expiry.IsZero() || t.Expiry.Sub(s.Now()) > early)
}

// renew gets a new token, one process at a time: a refresh token that is used
// twice can end the sign-in.
func (s *Source) renew(ctx context.Context) (*token, error) {
	unlock, err := lock(ctx, s.Path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	held, err := s.held()
	if err != nil || s.good(held) {
		return held, err
	}
	if held.Refresh == "" {
		return nil, s.again("the sign-in has run out, and the provider gave nothing to renew it with")
	}
	if s.refused == held.Refresh && s.Now().Sub(s.refusedAt) < askAgain {
		return nil, s.refusal
	}
	fresh, err := s.refresh(ctx, held)
	if errors.Is(err, ErrSignInAgain) {
		s.refused, s.refusedAt, s.refusal = held.Refresh, s.Now(), err
	}
	if err != nil {
		return nil, err
	}
	if err := writeToken(s.Path, fresh); err != nil {
		s.unkept, s.renewed = fresh, held
		s.Log.WarnContext(ctx, "a renewed sign-in could not be kept; it is tried again", "file", s.Path, "error", err)
	}
	return fresh, nil
}
