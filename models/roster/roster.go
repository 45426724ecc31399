package roster

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/redact"
)

// Options configures Open.
type Options struct {
	// Config has passed Validate, and has its defaults set.
	Config models.Config
	// Env looks variables up; nil is os.LookupEnv.
	Env func(string) (string, bool)
	// Meter debits and settles; nil: nothing is debited.
	Meter models.Meter
	// MeterOf, if set, returns the meter of a role; where it returns nil, or is
	// nil itself, Meter is.
	MeterOf func(role string) models.Meter
	// Recorder keeps a record of each call; nil: none is kept.
	Recorder models.Recorder
	// Secrets takes secrets out of text for remote models and for records; nil
	// is redact.Text.
	Secrets func(string) string
	// Masker makes the placeholders of one call for personal data; nil masks
	// nothing.
	Masker func() models.Masker
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Wait is how long a retry waits at least; nil is half a second to one.
	Wait func() time.Duration
	// UserAgent is sent to providers; empty is "subconsciousd".
	UserAgent string
	// Logger; nil discards.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Secrets == nil {
		o.Secrets = redact.Text
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Roster has the models of all roles. It may be used by any number of
// goroutines.
type Roster struct {
	options  Options
	prices   *models.Prices
	retries  *models.RetryBudget
	accounts map[string]*account        // by provider
	circuits map[string]*models.Circuit // by "PROVIDER/MODEL"
	roles    []*role
}

// role is what a role is asked with.
type role struct {
	assigned models.RoleAssignment
	members  []*member // in the order in which they are asked; none by reflex
	whole    models.Generator
}

// Open makes the models of all roles ready. It asks none of them anything. A
// key that is missing is no error: the role has a Problem, and works once the
// key is there.
func Open(options Options) (*Roster, error) {
	options = options.withDefaults()
	if err := options.Config.Validate(); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	prices, err := models.OpenPrices(options.Config.Prices)
	if err != nil {
		return nil, err
	}
	r := &Roster{options: options, prices: prices, retries: models.NewRetryBudget(),
		accounts: map[string]*account{}, circuits: map[string]*models.Circuit{}}
	for _, assigned := range models.Resolve(options.Config, r.hasKey) {
		if err := r.add(assigned); err != nil {
			return nil, errors.Join(fmt.Errorf("role %s: %w", assigned.Role.ID, err), r.Close())
		}
	}
	return r, nil
}

// Close lets go of all connections that are kept.
func (r *Roster) Close() error {
	for _, a := range r.accounts {
		a.client.CloseIdleConnections()
	}
	return nil
}

func (r *Roster) hasKey(provider models.Provider) bool { return r.account(provider).problem() == nil }

// account is the one of a provider: one client and one key for all its models.
func (r *Roster) account(provider models.Provider) *account {
	known, ok := r.accounts[provider.ID]
	if !ok {
		known = &account{provider: provider, env: r.options.Env, now: r.options.Now, logger: r.options.Logger, client: r.client(provider)}
		r.accounts[provider.ID] = known
	}
	return known
}

func (r *Roster) client(provider models.Provider) *http.Client {
	return models.NewClient(models.TransportOptions{BaseURL: provider.BaseURL, UserAgent: r.options.UserAgent, Now: r.options.Now})
}

// add makes a role ready.
func (r *Roster) add(assigned models.RoleAssignment) error {
	added := &role{assigned: assigned}
	r.roles = append(r.roles, added)
	if !assigned.Assigned() {
		return nil
	}
	var drivers []models.Driver
	for i, target := range append([]models.Target{assigned.Target}, assigned.Fallbacks...) {
		var accepts []string
		if i == 0 {
			accepts = assigned.Role.Accepts
		}
		made, err := r.member(target, accepts, r.circuit(target), r.meter(assigned.Role.ID))
		if err != nil {
			return err
		}
		added.members = append(added.members, made)
		drivers = append(drivers, made)
	}
	if added.whole = drivers[0]; len(drivers) > 1 {
		added.whole = models.Fallbacks(drivers...)
	}
	return nil
}

// circuit is the one of a model, which all its roles share.
func (r *Roster) circuit(target models.Target) *models.Circuit {
	name := target.Identity().String()
	if r.circuits[name] == nil {
		r.circuits[name] = models.NewCircuit(r.options.Now)
	}
	return r.circuits[name]
}

func (r *Roster) member(target models.Target, accepts []string, circuit *models.Circuit, meter models.Meter) (*member, error) {
	if kind := target.Provider.Kind; kind != models.OpenAI && kind != models.Anthropic {
		return nil, fmt.Errorf("provider %s: kind %q is unknown; use openai or anthropic", target.Provider.ID, kind)
	}
	account := r.account(target.Provider)
	return &member{account: account, circuit: circuit, Member: models.Stack(&driver{account: account, target: target}, models.StackOptions{
		Accepts: accepts, Meter: meter, Rate: r.prices.Of(target.Provider, target.Model), Recorder: r.options.Recorder,
		Secrets: r.options.Secrets, Masker: r.options.Masker, Circuit: circuit, Retries: r.retries, Wait: r.options.Wait,
		Timeout: r.options.Config.Timeout, Now: r.options.Now,
	})}, nil
}

// meter is what a role's calls are debited from.
func (r *Roster) meter(role string) models.Meter {
	if r.options.MeterOf != nil {
		if own := r.options.MeterOf(role); own != nil {
			return own
		}
	}
	return r.options.Meter
}

func (r *Roster) lookup(name string) *role {
	for _, known := range r.roles {
		if known.assigned.Role.ID == name {
			return known
		}
	}
	return nil
}
