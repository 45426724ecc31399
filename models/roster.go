package models

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
)

// RosterOptions configures OpenRoster.
type RosterOptions struct {
	// Config has passed Validate, and has its defaults set.
	Config Config
	// Protocols has what asks over each protocol, by Provider.Kind.
	Protocols map[string]Protocol
	// Env looks variables up; nil is os.LookupEnv.
	Env func(string) (string, bool)
	// Meter debits and settles; nil: nothing is debited.
	Meter Meter
	// MeterOf, if set, returns the meter of a role; where it returns nil, or is
	// nil itself, Meter is.
	MeterOf func(role string) Meter
	// Recorder keeps a record of each call; nil: none is kept.
	Recorder Recorder
	// Secrets takes secrets out of text for remote models and for records; nil
	// is redact.Text.
	Secrets func(string) string
	// Masker makes the placeholders of one call for personal data; nil masks
	// nothing.
	Masker func() Masker
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Wait is how long a retry waits at least; nil is half a second to one.
	Wait func() time.Duration
	// Logger; nil discards.
	Logger *slog.Logger
}

func (o RosterOptions) withDefaults() RosterOptions {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Secrets == nil {
		o.Secrets = redact.Text
	}
	o.Now = clock(o.Now)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Roster has the models of all roles. It may be used by any number of
// goroutines.
type Roster struct {
	options  RosterOptions
	retries  *RetryBudget
	accounts map[string]*account // by provider
	circuits map[string]*Circuit // by "PROVIDER/MODEL"
	roles    []*role
}

// role is what a role is asked with.
type role struct {
	assigned RoleAssignment
	members  []*Member // in the order in which they are asked; none by reflex
	whole    Generator
}

// OpenRoster makes the models of all roles ready. It asks none of them anything.
// A key that is missing is no error: the role has a Problem, and works once the
// key is there.
func OpenRoster(options RosterOptions) (*Roster, error) {
	options = options.withDefaults()
	if err := options.Config.Validate(); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	r := &Roster{options: options, retries: NewRetryBudget(),
		accounts: map[string]*account{}, circuits: map[string]*Circuit{}}
	for _, assigned := range Resolve(options.Config, r.hasKey) {
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

func (r *Roster) hasKey(provider Provider) bool { return r.account(provider).problem() == nil }

// account is the one of a provider: one client and one key for all its models.
func (r *Roster) account(provider Provider) *account {
	if r.accounts[provider.ID] == nil {
		r.accounts[provider.ID] = r.newAccount(provider)
	}
	return r.accounts[provider.ID]
}

// add makes a role ready.
func (r *Roster) add(assigned RoleAssignment) error {
	added := &role{assigned: assigned}
	r.roles = append(r.roles, added)
	if !assigned.Assigned() {
		return nil
	}
	var drivers []Driver
	for i, target := range assigned.targets() {
		name := target.Identity().String() // all roles of a model share its circuit
		if r.circuits[name] == nil {
			r.circuits[name] = NewCircuit(r.options.Now)
		}
		made, err := r.member(assigned, i, r.circuits[name], r.meter(assigned.Role.ID))
		if err != nil {
			return err
		}
		added.members = append(added.members, made)
		drivers = append(drivers, made)
	}
	if added.whole = drivers[0]; len(drivers) > 1 {
		added.whole = Fallbacks(drivers...)
	}
	return nil
}

// member puts the decorators around the model at a position of a role: the first,
// or one of the fallbacks.
func (r *Roster) member(assigned RoleAssignment, position int, circuit *Circuit, meter Meter) (*Member, error) {
	target := assigned.targets()[position]
	if _, ok := r.options.Protocols[target.Provider.Kind]; !ok {
		return nil, fmt.Errorf("provider %s: kind %q is unknown; use openai or anthropic", target.Provider.ID, target.Provider.Kind)
	}
	var accepts []string
	if position == 0 {
		accepts = assigned.Role.Accepts
	}
	account := r.account(target.Provider)
	m := Stack(&keyed{account, target}, StackOptions{
		Accepts: accepts, Meter: meter, Rate: r.options.Config.Rate(target.Provider, target.Model), Recorder: r.options.Recorder,
		Secrets: r.options.Secrets, Masker: r.options.Masker, Circuit: circuit, Retries: r.retries, Wait: r.options.Wait,
		Timeout: r.options.Config.Timeout, Now: r.options.Now,
	})
	m.account = account
	return m, nil
}

// meter is what a role's calls are debited from.
func (r *Roster) meter(role string) Meter {
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

// Assignment is the model of a role, ready to be asked.
type Assignment struct {
	// Generator asks the model, and its fallbacks where it fails. It is set
	// where there is a Problem, too: it fails then with that, and works once
	// the problem is gone.
	Generator Generator
	Identity  Identity
	Fallbacks []Identity
	// Request holds what is the role's own: MaxTokens, Temperature, Thinking,
	// and Purpose.Role.
	Request Request
	// From says who assigned it: "roles[2]", "preset free", "chat", …
	From string
	// Problem says in plain words why the model cannot be asked, a missing key
	// above all, and Next what to do about it. Both are empty where it can be, or
	// where one of its fallbacks can be.
	Problem, Next string
}

// Role returns the model of a role. It reports false where no model thinks in
// the role: threads think by reflex then.
func (r *Roster) Role(name string) (Assignment, bool) {
	known := r.lookup(name)
	if known == nil || len(known.members) == 0 {
		return Assignment{}, false
	}
	own := known.assigned.Role
	assignment := Assignment{Generator: known.whole, Identity: known.assigned.Target.Identity(), From: known.assigned.From,
		Request: Request{Purpose: Purpose{Role: name}, MaxTokens: own.MaxTokens, Temperature: own.Temperature, Thinking: own.Thinking}}
	for _, target := range known.assigned.Fallbacks {
		assignment.Fallbacks = append(assignment.Fallbacks, target.Identity())
	}
	if problem := known.problem(); problem != nil {
		assignment.Problem, assignment.Next = problem.Text, problem.Next
	}
	return assignment, true
}

// problem is why no model of the role can be asked: that of the first.
func (k *role) problem() *Error {
	var first *Error
	for _, m := range k.members {
		problem := m.account.problem()
		if problem == nil {
			return nil
		}
		if first == nil {
			first = problem
		}
	}
	return first
}

// Unavailable is the state of a model that cannot be asked: its key is missing.
// The others are those of Health.
const Unavailable = "unavailable"

// Status says which model a role has, and how that is.
type Status struct {
	Role     string    `json:"role"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Local    bool      `json:"local"`
	State    string    `json:"state"` // ok, failing, resting, unused, unavailable
	Since    time.Time `json:"since,omitzero"`
	Error    string    `json:"error,omitempty"`
	// Next is when a model that rests is asked again.
	Next time.Time `json:"next,omitzero"`
	// Fallbacks are asked in order where it fails: "PROVIDER/MODEL".
	Fallbacks []string `json:"fallbacks"`
	// PriceInput and PriceOutput are in US dollars for a million tokens. Where
	// the price is not known they are what is reckoned with.
	PriceInput  float64 `json:"price_input"`
	PriceOutput float64 `json:"price_output"`
	PriceKnown  bool    `json:"price_known"`
	// Note is anything else that a person should know, with what to do.
	Note string `json:"note,omitempty"`
}

// Statuses returns the roles that have a model, in the order in which they are
// shown. It asks no model anything.
func (r *Roster) Statuses() []Status {
	var statuses []Status
	for _, known := range r.roles {
		if len(known.members) > 0 {
			statuses = append(statuses, r.status(known))
		}
	}
	return statuses
}

func (r *Roster) status(known *role) Status {
	first, health := known.members[0], known.members[0].Health()
	status := Status{Role: known.assigned.Role.ID, Provider: first.by.Provider, Model: first.by.Model, Local: first.by.Local, Fallbacks: []string{},
		State: string(health.State), Since: health.Since, Next: health.Next,
		PriceInput: first.rate.Input, PriceOutput: first.rate.Output, PriceKnown: !first.rate.Unknown}
	if health.Error != nil {
		// The answer itself is on record, and no reason.
		status.Error, _, _ = strings.Cut(health.Error.Text, "; it begins:")
		status.Note = health.Error.Next
	}
	if problem := first.account.problem(); problem != nil {
		status.State, status.Error, status.Note = Unavailable, problem.Text, problem.Next
	}
	notes := map[string]bool{"": true}
	note := func(text string) {
		if !notes[text] {
			status.Note += pick(status.Note == "", "", "; ") + text
		}
		notes[text] = true
	}
	for i, m := range known.members {
		if i > 0 {
			status.Fallbacks = append(status.Fallbacks, m.by.String())
			if problem := m.account.problem(); problem != nil {
				note("the fallback " + m.by.String() + " cannot be asked: " + problem.Text)
			}
		}
		for _, warning := range warnings(m.account.provider) {
			note(warning)
		}
		note(m.rate.Remedy())
	}
	return status
}

// warnings are what a person should know of a provider as it is configured.
func warnings(provider Provider) []string {
	at, err := url.Parse(provider.BaseURL)
	if err != nil {
		return nil
	}
	var found []string
	far := !OwnNetwork(at.Hostname())
	if provider.Local && far {
		found = append(found, fmt.Sprintf("%s is said to be local, but %s is not on this machine or in its network: "+
			"it is given plain text and counts as free; set local: false", provider.ID, at.Hostname()))
	}
	if at.Scheme == "http" && far {
		found = append(found, fmt.Sprintf("%s is asked without encryption: key and text can be read on the way; begin base_url with https://", provider.ID))
	}
	return found
}
