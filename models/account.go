package models

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// missAgain is how long a key that was missing is not looked for again. A
// keyring may ask the person, or hang: it is left alone twice as long each time,
// up to keyringAgain.
const (
	missAgain    = 30 * time.Second
	keyringAgain = 32 * time.Minute
)

// account is a provider with its key and its connections.
type account struct {
	provider Provider
	env      func(string) (string, bool)
	now      func() time.Time
	logger   *slog.Logger
	client   *Client
	protocol Protocol

	mu      sync.Mutex
	key     secret.Value
	known   bool
	missing *Error
	loaded  time.Time
	misses  int // in a row
}

func (r *Roster) newAccount(provider Provider) *account {
	return &account{provider: provider, env: r.options.Env, now: r.options.Now, logger: r.options.Logger, protocol: r.options.Protocols[provider.Kind],
		client: NewClient(TransportOptions{BaseURL: provider.BaseURL, Now: r.options.Now})}
}

// fetch returns the key, or why there is none. A key that was found is kept
// until it is refused.
func (a *account) fetch() (secret.Value, *Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known {
		return a.key, nil
	}
	if since := a.now().Sub(a.loaded); a.missing != nil && since >= 0 && since < a.pause() {
		return secret.Value{}, a.missing
	}
	a.load()
	if !a.known {
		return secret.Value{}, a.missing
	}
	return a.key, nil
}

// pause is how long a key that is missing is not looked for.
func (a *account) pause() time.Duration {
	if a.provider.Key.Keyring == "" {
		return missAgain
	}
	return min(missAgain<<min(max(a.misses-1, 0), 10), keyringAgain)
}

// load fetches the key from where it is.
func (a *account) load() {
	key, err := a.provider.FindKey(a.env)
	a.loaded = a.now()
	a.key, a.known, a.missing = key, err == nil, nil
	if a.misses++; a.known {
		a.misses = 0
	} else {
		a.missing = asError(err, Identity{Provider: a.provider.ID})
	}
}

// renew fetches the key again after it was refused, and reports whether it is
// another one now.
func (a *account) renew(refused secret.Value) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known && a.key.Reveal() != refused.Reveal() {
		return true // somebody else was faster
	}
	a.load()
	changed := a.known && a.key.Reveal() != refused.Reveal()
	if changed {
		a.logger.Info("a key was refused and has been read anew", "provider", a.provider.ID)
	}
	return changed
}

// problem says why the provider cannot be asked, or nil.
func (a *account) problem() *Error {
	_, missing := a.fetch()
	return missing
}

// options are those of a driver for a model of the provider.
func (a *account) options(model string) (DriverOptions, *Error) {
	key, missing := a.fetch()
	if missing != nil {
		failure := *missing
		failure.By = Target{a.provider, model}.Identity()
		return DriverOptions{}, &failure
	}
	return DriverOptions{Provider: a.provider, Model: model, Key: key, Client: a.client}, nil
}

// keyed asks one model with the key that its account has now.
type keyed struct {
	account *account
	target  Target
}

var _ Driver = (*keyed)(nil)

// Identity implements Driver.
func (d *keyed) Identity() Identity { return d.target.Identity() }

// Generate implements Generator.
func (d *keyed) Generate(ctx context.Context, request Request) (Answer, error) {
	options, missing := d.account.options(d.target.Model)
	if missing != nil {
		return Answer{}, missing
	}
	return d.account.protocol.New(options).Generate(ctx, request)
}

// askRenewed asks a model behind its decorators. Without a key it is not asked at
// all: nothing is debited, and no record is made. A key that is refused is
// fetched again, and if it is another one, the model is asked once more.
func (m *Member) askRenewed(ctx context.Context, request Request) (Answer, error) {
	options, missing := m.account.options(m.by.Model)
	if missing != nil {
		return Answer{}, missing
	}
	answer, err := m.outer.Generate(ctx, request)
	refused, ok := errors.AsType[*Error](err)
	if !ok || refused.Kind != KindKey || ctx.Err() != nil || !m.account.renew(options.Key) {
		return answer, err
	}
	answer, err = m.outer.Generate(ctx, request)
	if last, ok := errors.AsType[*Error](err); ok {
		last.Attempts, last.Unsure = last.Attempts+refused.Attempts, last.Unsure+refused.Unsure
	}
	answer.Attempts, answer.Unsure = answer.Attempts+refused.Attempts, answer.Unsure+refused.Unsure
	return answer, err
}
