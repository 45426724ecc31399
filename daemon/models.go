package daemon

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/setup/live"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// modelling is what it takes to ask models: which of them has which role, what
// they are told, what may be spent on them and what was.
type modelling struct {
	roster  *models.Roster
	prompts *prompts.Set
	budget  *budget.Budget
	purse   *budget.Purse // pays for deliberations
	calls   calls
	// mask makes the placeholders for what remote models are not told.
	mask func() models.Masker
}

// openModels opens the budget, the models that the configuration assigns, and
// what they are told.
func (d *Daemon) openModels(ctx context.Context) (err error) {
	config := d.options.Config
	if d.budget, err = budget.Open(ctx, d.db, config.Budget); err != nil {
		return err
	}
	d.later("close the budget", d.budget.Close)
	d.later("write down the last calls", d.calls.write)
	d.purse = budget.NewPurse(d.budget)
	if d.prompts, err = prompts.Open(d.options.Prompts); err != nil {
		return err
	}
	d.prompts = d.prompts.Of(config.Person)
	d.mask, err = masks(config.Models.Privacy)
	if err != nil {
		return err
	}
	d.calls.mind = d.mind
	d.roster, err = models.OpenRoster(models.RosterOptions{
		Protocols: live.Protocols(), Config: config.Models, Env: d.options.Env, Meter: d.budget, Recorder: &d.calls,
		MeterOf: func(role string) models.Meter {
			if role == models.RoleDeliberation {
				return d.purse
			}
			return d.budget
		},
		Secrets: redact.Text, Masker: d.mask, Now: d.now, Logger: d.options.Logger,
	})
	if err != nil {
		return err
	}
	d.later("let go of the models", func(context.Context) error { return d.roster.Close() })
	return nil
}

// masks returns what makes the placeholders of one call; nil where nothing is
// withheld.
func masks(privacy models.Privacy) (func() models.Masker, error) {
	options := redact.MaskOptions{MailAddresses: privacy.MailAddresses, PhoneNumbers: privacy.PhoneNumbers}
	if privacy.Contacts != "" {
		names, err := redact.ReadContacts(privacy.Contacts)
		if err != nil {
			return nil, fmt.Errorf("models.privacy.contacts: %w", err)
		}
		options.Names = names
	}
	if !options.MailAddresses && !options.PhoneNumbers && len(options.Names) == 0 {
		return nil, nil
	}
	first := redact.NewMask(options)
	return func() models.Masker { return first.New() }, nil
}

// ownThreads are the four threads: with a model where one is assigned, and rules
// for facts and letters beside it, else by reflex.
func (d *Daemon) ownThreads(options *Options, tools *threads.Registry) (own, beside []threads.Thread, err error) {
	m := &d.modelling
	for _, name := range subconscious.Threads() {
		assigned, ok := m.roster.Role(string(name))
		if !ok {
			own = append(own, d.triaged(reflex.New(name)))
			continue
		}
		thread, err := threads.NewModel(threads.ModelOptions{
			Name: name, Prompts: m.prompts, Tools: tools, Reflex: reflex.New(name),
			Gate: options.Config.Threads.Gate, Redact: redact.Text, Logger: options.Logger,
			Asker: threads.Asker{Generator: assigned.Generator, Identity: assigned.Identity, Problem: assigned.Problem, Request: assigned.Request},
		})
		if err != nil {
			return nil, nil, err
		}
		own, beside = append(own, thread), append(beside, d.triaged(reflex.Beside(name)))
	}
	return own, beside, nil
}

// triaged are rules with the triage of mails, where a model has that role and mails
// are theirs to judge.
func (d *Daemon) triaged(rules threads.Thread) threads.Thread {
	assigned, ok := d.roster.Role(models.RoleTriage)
	if !ok || rules.Name().Thread() != subconscious.Watcher {
		return rules
	}
	return threads.NewTriage(threads.TriageOptions{
		Asker:   threads.Asker{Generator: assigned.Generator, Identity: assigned.Identity, Problem: assigned.Problem, Request: assigned.Request},
		Prompts: d.prompts, Rules: rules, Weigh: reflex.Weigh, Raise: d.raise, Credulous: d.options.CredulousTriage, Logger: d.options.Logger,
		Redact: func(text string) string { return deliberate.Defang(redact.Text(text)) },
	})
}

// raisesADay is how many mails a day the triage makes a push of that the rules would
// not push, and strangersRaises how many are taken when strangers get no more.
const raisesADay, strangersRaises = 6, 3

// raise takes one of the day's. It is on record before the mail counts more.
func (d *Daemon) raise(at time.Time, known bool) bool {
	const key = "triage_raised"
	ctx, today, n, most := context.Background(), at.Format(time.DateOnly), 0, raisesADay
	if !known {
		most = strangersRaises
	}
	kept, _, err := d.mind.Meta(ctx, key)
	if day, count, _ := strings.Cut(kept, " "); day == today {
		n, _ = strconv.Atoi(count) // as it was written below
	}
	if err == nil && n < most {
		err = d.mind.SetMeta(ctx, key, fmt.Sprint(today, " ", n+1))
	}
	if err != nil {
		d.options.Logger.Error("the raises of the triage are not on record, so it raises nothing", "error", err)
	}
	return err == nil && n < most
}

// deliberator is the model that deliberates, as it can be asked now.
func (m *modelling) deliberator() deliberate.Asker {
	assigned, ok := m.roster.Role(models.RoleDeliberation)
	if !ok {
		return deliberate.Asker{Problem: "no model has the role deliberation"}
	}
	return deliberate.Asker{Generator: assigned.Generator, Identity: assigned.Identity, Problem: assigned.Problem, Request: assigned.Request}
}

// tools are the read tools, over the folders that senses look at.
func (d *Daemon) tools() (*threads.Registry, error) {
	config := d.options.Config
	options := threads.RegistryOptions{Excluded: []string{config.StateDir}, Secret: files.Secret, Redact: redact.Text, Senses: d.senseLines}
	if len(config.Senses.Mail) > 0 {
		options.Mail = mailbox{d.ledger, &d.accounts, d.options.Now}
	}
	options.Memory, options.Conversations = recollection{d}, recollection{d}
	for _, c := range config.Senses.Notes {
		options.Roots = append(options.Roots, threads.Root{ID: "notes-" + c.ID, Instance: c.ID, Path: c.Path, Trust: c.Trust, Notes: true,
			Ref: func(file string) (subconscious.Ref, bool) {
				return notes.Ref(filepath.Join(c.Path, filepath.FromSlash(file))), true
			}})
	}
	for _, c := range config.Senses.Files {
		options.Roots = append(options.Roots, threads.Root{ID: "files-" + c.ID, Instance: c.ID, Path: c.Path, Trust: c.Trust,
			Ref: func(file string) (subconscious.Ref, bool) { return files.Ref(c.ID, file), true }})
	}
	for _, c := range config.Senses.Conversation {
		options.Within = append(options.Within, threads.Root{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Agent)})
	}
	return threads.NewRegistry(options)
}

// senseLines say how the senses are.
func (d *Daemon) senseLines() []threads.SenseLine {
	var lines []threads.SenseLine
	for _, h := range d.board.Now().Senses {
		lines = append(lines, threads.SenseLine{Name: h.Kind + " " + h.ID, State: string(h.State), Words: h.Error, Since: h.Since})
	}
	return lines
}

// calls are requests to models that are not on record yet. They are written
// with the next tick that commits.
type calls struct {
	mind *mind.Store
	mu   sync.Mutex
	made []mind.ModelCall
}

var _ models.Recorder = (*calls)(nil)

// unwritten bounds the calls that wait while no tick commits.
const unwritten = 2000

// Record implements models.Recorder.
func (c *calls) Record(_ context.Context, call models.Call) {
	if call.Purpose.At.IsZero() {
		call.Purpose.At = time.Now() // the store refuses a call without a time
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = append(c.made[max(0, len(c.made)-unwritten+1):], mind.ModelCall{
		Tick: call.Purpose.Tick, At: call.Purpose.At, Role: cmp.Or(call.Purpose.Role, "test"), Exploration: call.Purpose.Exploration,
		Provider: call.By.Provider, Model: call.By.Model, PromptHash: call.PromptHash, PromptBytes: call.PromptBytes,
		Input: call.Usage.Input, Cached: call.Usage.Cached, Written: call.Usage.Written, Output: call.Usage.Output, Thinking: call.Usage.Thinking,
		UsageKnown: call.Usage.Known, Cost: int64(call.Cost), Latency: call.Latency, Attempts: call.Attempts,
		Outcome: cmp.Or(call.Outcome, mind.OutcomeAnswered), Error: call.Error, Answer: call.Answer,
	})
}

// take returns what is to be written, and keep gives it back where that failed.
func (c *calls) take() []mind.ModelCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.made
	c.made = nil
	return made
}

func (c *calls) keep(made []mind.ModelCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = append(made, c.made...)
	c.made = c.made[max(0, len(c.made)-unwritten):]
}

// write writes what no tick has written: those of a dry run, of a test, of the
// last tick before a stop.
func (c *calls) write(ctx context.Context) error {
	made := c.take()
	if err := c.mind.AddCalls(ctx, made); err != nil {
		c.keep(made)
		return err
	}
	return nil
}
