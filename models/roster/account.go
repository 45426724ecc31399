package roster

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/anthropic"
	"github.com/subconsciousd/subconsciousd/models/openai"
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
	provider models.Provider
	env      func(string) (string, bool)
	now      func() time.Time
	logger   *slog.Logger
	client   *http.Client

	mu      sync.Mutex
	key     secret.Value
	known   bool
	missing *models.Error
	loaded  time.Time
	misses  int // in a row
}

// fetch returns the key, or why there is none. A key that was found is kept
// until it is refused.
func (a *account) fetch() (secret.Value, *models.Error) {
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
	if a.provider.KeyKeyring == "" {
		return missAgain
	}
	return min(missAgain<<min(max(a.misses-1, 0), 10), keyringAgain)
}

// load fetches the key from where it is.
func (a *account) load() {
	key, err := a.provider.Key(a.env)
	a.loaded = a.now()
	if err == nil {
		a.key, a.known, a.missing, a.misses = key, true, nil, 0
		return
	}
	a.misses++
	a.key, a.known, a.missing = secret.Value{}, false, missingKey(a.provider.ID, err)
}

func missingKey(provider string, err error) *models.Error {
	var failure *models.Error
	if errors.As(err, &failure) {
		return failure
	}
	return &models.Error{Kind: models.KindKey, By: models.Identity{Provider: provider}, Text: "its key cannot be had: " + err.Error(), Err: err}
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
func (a *account) problem() *models.Error {
	_, missing := a.fetch()
	return missing
}

// driver asks one model with the key of its account.
type driver struct {
	account *account
	target  models.Target
}

var _ models.Driver = (*driver)(nil)

// Identity implements models.Driver.
func (d *driver) Identity() models.Identity { return d.target.Identity() }

// Generate implements models.Generator.
func (d *driver) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	key, missing := d.account.fetch()
	if missing != nil {
		return models.Answer{}, d.cannot(missing)
	}
	made, err := d.with(key)
	if err != nil {
		return models.Answer{}, &models.Error{Kind: models.KindRequest, By: d.Identity(), Text: err.Error()}
	}
	return made.Generate(ctx, request)
}

func (d *driver) cannot(missing *models.Error) *models.Error {
	failure := *missing
	failure.By = d.Identity()
	return &failure
}

func (d *driver) with(key secret.Value) (models.Driver, error) {
	if d.target.Provider.Kind == models.Anthropic {
		return anthropic.New(anthropic.Options{Provider: d.target.Provider, Model: d.target.Model, Key: key, Client: d.account.client})
	}
	return openai.New(openai.Options{Provider: d.target.Provider, Model: d.target.Model, Key: key, Client: d.account.client})
}

// member is a model behind its decorators. Without a key it is not asked at
// all: nothing is debited, and no record is made.
type member struct {
	*models.Member
	account *account
	circuit *models.Circuit
}

var _ models.Driver = (*member)(nil)

// Generate implements models.Generator. A key that is refused is fetched again,
// and if it is another one, the model is asked once more.
func (m *member) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	key, missing := m.account.fetch()
	if missing != nil {
		failure := *missing
		failure.By = m.Identity()
		return models.Answer{}, &failure
	}
	answer, err := m.Member.Generate(ctx, request)
	var failure *models.Error
	if err == nil || !errors.As(err, &failure) || failure.Kind != models.KindKey || ctx.Err() != nil || !m.account.renew(key) {
		return answer, err
	}
	again, err := m.Member.Generate(ctx, request)
	if err != nil {
		var last *models.Error
		if errors.As(err, &last) {
			last.Attempts, last.Unsure = last.Attempts+failure.Attempts, last.Unsure+failure.Unsure
		}
		return again, err
	}
	again.Attempts, again.Unsure = again.Attempts+failure.Attempts, again.Unsure+failure.Unsure
	return again, nil
}
