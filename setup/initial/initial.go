// Package initial asks its way to a working configuration: it looks for keys,
// servers, notes and calendars that are there already, proposes who could think,
// what could be looked at and how the person could be told, takes keys without
// showing them, tries each part out, and writes it all down at the end. Until
// then nothing is written, so that it can be left at any question.
//
// It stores the configuration and, beside it, the files of keys that it was
// given. A configuration that is there is added to, and stays to the letter. The
// command init calls it.
package initial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Choice is one answer to a question.
type Choice struct{ Name, About string }

// Person is who is asked.
type Person interface {
	// Say tells something, a paragraph at a time.
	Say(text string)
	// Choose returns the index of the choice taken; preset is the one that is
	// taken where the person just agrees.
	Choose(ctx context.Context, question string, choices []Choice, preset int) (int, error)
	// Text takes a line; preset is what Enter alone means.
	Text(ctx context.Context, question, preset string) (string, error)
	// Secret takes a text without showing it; empty means none.
	Secret(ctx context.Context, question string) (string, error)
}

// Options say what is known before anything is asked.
type Options struct {
	// File is the path of the configuration, absolute.
	File string
	// Preset, where it is set, is not asked for.
	Preset string
	// KeyEnv and KeyFile name where keys are: "NAME", or "PROVIDER=NAME" where
	// the name alone does not tell whose it is.
	KeyEnv, KeyFile []string
	// Notes, Files and ICS are what to look at; where one is set, that kind is
	// not asked for.
	Notes, Files, ICS []string
	// Mail is a mail account.
	Mail MailOptions
	// Ntfy is a channel: where its URL or Topic is set, none is asked for.
	Ntfy ntfy.Config
	// Desktop takes the desktop as the channel.
	Desktop bool
	// Offline sends no first message, and asks no server whether it is there.
	Offline bool
	// Quiet are the quiet hours: "23:00-08:00", or "never".
	Quiet string
	// NewTopic makes a topic; nil is one of 128 random bits.
	NewTopic func() string
	// Agree takes what is proposed and asks nothing.
	Agree bool
	// Unchecked asks no model and no mail server anything.
	Unchecked bool
	// Env looks variables up; Now is the clock.
	Env func(string) (string, bool)
	Now func() time.Time
	// Servers are the local servers that are looked for; nil means those that
	// have a preset, at their usual ports.
	Servers []models.Vendor
	// DaemonRuns changes the words at the end.
	DaemonRuns bool
}

// Outcome is what came of it.
type Outcome struct {
	File string `json:"file"`
	// Written is false where nothing was written. Change is what could not be
	// added to a configuration that is there: the person has to write it.
	Written bool   `json:"written"`
	Change  string `json:"change,omitempty"`
	// Watched are the folders and files that are looked at from now on.
	Watched []string `json:"watched"`
	// Account is the id of the new mail account, SignIn the command by which one
	// signs in to it, where that is by the browser.
	Account string `json:"account,omitempty"`
	SignIn  string `json:"sign_in,omitempty"`
	// Channel is the id of the new channel, Subscribe the links by which a
	// phone subscribes to it; Pushed: it took a first message.
	Channel   string   `json:"channel,omitempty"`
	Subscribe []string `json:"subscribe"`
	Pushed    bool     `json:"pushed"`
	// KeyFiles are the files of keys that were written.
	KeyFiles []string `json:"key_files"`
	Preset   string   `json:"preset"`
	// Missing are providers without a key, and a mail account to be signed in to
	// ("mail/work"); Failed are models that did not answer, a mail account that
	// could not be signed in to, and a channel that did not take the first message
	// ("notify/phone").
	Missing []string `json:"missing"`
	Failed  []string `json:"failed"`
	// CostPerDay is what an ordinary day costs at list prices, in US dollars.
	CostPerDay float64 `json:"cost_per_day"`
}

// ErrLeft says that the person left before the end; nothing was written.
var ErrLeft = errors.New("left before the end; nothing was written")

// Mistake says that what was asked for beforehand cannot be.
type Mistake struct{ Err error }

func (m *Mistake) Error() string { return m.Err.Error() }

// Unwrap returns the cause.
func (m *Mistake) Unwrap() error { return m.Err }

func mistake(format string, args ...any) error { return &Mistake{fmt.Errorf(format, args...)} }

// session is one run. The steps fill it in; only the last one writes.
type session struct {
	Options
	person Person
	found  finds
	plan   plan
	result Outcome
	// existing is what holds before anything is changed, there the file that it
	// is from; nil where there is none.
	existing *setup.Config
	there    *document
	old      string // the file as it is
	closed   bool   // nothing can be added to it
	// sources are what is to be watched, by sense; mail and channel are nil for
	// none, and hours for those that hold already. ringed: the password of mail
	// goes into the keyring.
	sources map[string][]source
	mail    *mail.Config
	ringed  bool
	channel *setup.Channel
	hours   *escalate.Hours
	who     subconscious.Person
}

// plan is what will be written.
type plan struct {
	preset    string
	about     string
	keep      *models.Config // what is configured already; nil for a new one
	providers []models.Provider
	roles     []models.Role
	// keys are what the person typed, by provider.
	keys map[string]string
}

// config is the configuration of models that the plan comes to.
func (p plan) config() models.Config {
	if p.keep != nil {
		return *p.keep
	}
	c := models.DefaultConfig()
	c.Preset, c.Providers, c.Roles = p.preset, p.providers, p.roles
	return c
}

// step is one part of the way.
type step struct {
	name string
	do   func(context.Context, *session) error
}

// steps is the whole way. What a later one needs an earlier one finds out.
func steps() []step {
	return []step{
		{"read what was asked for", readFlags},
		{"read what is there", readExisting},
		{"look around", findModels},
		{"choose who thinks", choose},
		{"find the keys", keys},
		{"try the models", try},
		{"reckon the cost", reckon},
		{"say who deliberates", deliberation},
		{"choose what it looks at", watch},
		{"choose whose mail it reads", mailbox},
		{"choose how you are told", tell},
		{"choose the quiet hours", quiet},
		{"ask who you are", who},
		{"write it down", writeDown},
		{"say what is next", next},
	}
}

// Run goes the whole way.
func Run(ctx context.Context, options Options, person Person) (Outcome, error) {
	s := &session{Options: options, person: person, existing: setup.Default()}
	if s.Servers == nil {
		s.Servers = localVendors()
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.NewTopic == nil {
		s.NewTopic = newTopic
	}
	s.result = Outcome{File: options.File, KeyFiles: []string{}, Missing: []string{}, Failed: []string{}, Watched: []string{}, Subscribe: []string{}}
	for _, step := range steps() {
		if err := ctx.Err(); err != nil {
			return s.result, ErrLeft
		}
		if err := step.do(ctx, s); err != nil {
			if errors.Is(err, context.Canceled) {
				return s.result, ErrLeft
			}
			return s.result, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return s.result, nil
}

func (s *session) say(format string, args ...any) { s.person.Say(fmt.Sprintf(format, args...)) }

// option is one answer to a question, and what it does; nil is nothing.
type option struct {
	name, about string
	do          func() error
}

// pick puts a question, unless the person agreed to everything beforehand, and
// does what the answer says.
func (s *session) pick(ctx context.Context, question string, preset int, menu ...option) error {
	choices := make([]Choice, len(menu))
	for i, o := range menu {
		choices[i] = Choice{o.name, o.about}
	}
	i, err := preset, error(nil)
	if !s.Agree {
		i, err = s.person.Choose(ctx, question, choices, preset)
	}
	if err != nil || menu[i].do == nil {
		return err
	}
	return menu[i].do()
}

// typeUntil takes a line, until take has nothing against it; nothing typed is "".
func (s *session) typeUntil(ctx context.Context, question, preset string, take func(string) error) (string, error) {
	for {
		text, err := s.person.Text(ctx, question, preset)
		if err != nil || text == "" {
			return "", err
		}
		if err = take(text); err == nil {
			return text, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		s.say("✗ %v", err)
	}
}

// An ordinary day, for the estimate of what it costs: with the adaptive gate a
// thread has something new about sixty times a day; a prompt is at most 24 KiB
// of the moment beside a fixed part, and most often about half of that.
const (
	callsADay  = 60
	tokensIn   = 5000
	tokensOut  = 300
	assumption = "with 60 calls a thread, each of 5,000 tokens in and 300 out"
)

// reckon says what an ordinary day costs at list prices.
func reckon(_ context.Context, s *session) error {
	config := s.plan.config()
	var sum budget.Money
	var remedies []string
	threads := 0
	for _, a := range models.Resolve(config, nil) {
		if !a.Assigned() || !isThread(a.Role.ID) {
			continue
		}
		threads++
		rate := config.Rate(a.Target.Provider, a.Target.Model)
		if remedy := rate.Remedy(); remedy != "" && !slices.Contains(remedies, remedy) {
			remedies = append(remedies, remedy)
		}
		sum += callsADay * rate.Cost(models.Usage{Input: tokensIn, Output: tokensOut})
	}
	s.result.CostPerDay = sum.Float()
	limits := budget.DefaultConfig()
	switch {
	case threads == 0:
		s.say("Rules think: it costs nothing.")
	case sum == 0:
		s.say("It costs nothing.")
	default:
		s.say("An ordinary day costs about $%.2f at list prices of %s, %s. More than $%.2f a day or $%.2f a month is never spent: rules think then.",
			sum.Float(), models.PricesRead(), assumption, limits.MoneyPerDay, limits.MoneyPerMonth)
	}
	for _, remedy := range remedies {
		s.say("A price that is not known is taken to be dear: %s.", remedy)
	}
	return nil
}

// deliberation says, where the key of the shipped frontier model is there, that
// this model deliberates from now on, whoever else thinks.
func deliberation(_ context.Context, s *session) error {
	if !s.existing.Deliberation.Enabled {
		return nil
	}
	hasKey := func(p models.Provider) bool {
		_, err := p.FindKey(s.env())
		return err == nil
	}
	found := deliberator(s.plan.config(), hasKey)
	if found.From == deliberator(s.plan.config(), nil).From {
		return nil // it has the role by the configuration, or nobody has it
	}
	s.say("%s, whose key is there, deliberates on what you are to be told, for at most $%.2f each time and within the same limits: docs/deliberation.md.",
		found.Target.Identity(), s.existing.Deliberation.MaxCost)
	return nil
}

func deliberator(config models.Config, hasKey func(models.Provider) bool) models.RoleAssignment {
	all := models.Resolve(config, hasKey)
	return all[slices.IndexFunc(all, func(a models.RoleAssignment) bool { return a.Role.ID == models.RoleDeliberation })]
}

// next says what to do now.
func next(_ context.Context, s *session) error {
	s.say("%s", strings.TrimSpace(text("next", s)))
	return nil
}

// Result is what came of it by now, for templates.
func (s *session) Result() Outcome { return s.result }

func isThread(role string) bool {
	return role == models.RoleWatcher || role == models.RoleLibrarian || role == models.RoleOracle || role == models.RoleDreamer
}
