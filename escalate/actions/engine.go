// Package actions runs the programs that the person has configured by name, and
// nothing else: an argument vector, never a shell line, with typed parameters.
// What the policy lets through runs at once; what it does not is a proposal,
// which the person approves with its exact arguments. A proposal expires and
// works once, and a change of the configuration makes it void.
//
// A run is recorded before its program starts. After a crash nobody knows what
// became of it: it is unknown, and is never repeated.
//
// It stores the tables actions_proposals and actions_runs. The deliberation
// proposes and executes through the daemon, the API approves, rejects and
// undoes, and the tick sweeps.
package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
)

// Options say what an Engine works with.
type Options struct {
	// DB was opened with Migrations.
	DB *store.DB
	// Actions are those configured; none is the default.
	Actions []Action
	// Builtins are the daemon's own, which are proposed and approved likewise.
	Builtins []Builtin
	// Now is the mind's clock; nil is time.Now.
	Now func() time.Time
	// Redact takes secrets out of reasons and outputs before they are stored. A
	// text argument that it would change is refused. Nil is none.
	Redact func(string) string
	// Logger gets what goes wrong; nil is none.
	Logger *slog.Logger
	// Environ looks a variable up; nil is os.LookupEnv.
	Environ func(string) (string, bool)
	// Path are the folders in which programs are looked for, and the PATH that
	// they get; nil is DefaultPath.
	Path []string
	// Grace is how long a program has to end by itself before it is killed; 0 is
	// 2 s.
	Grace time.Duration
	// Begun is told of each run in the transaction that writes it down, before its
	// program starts; with an error it does not begin. recent is how many have
	// begun in the same minute, this one included, up to 500. Told is called when
	// that is committed. Nil is nobody.
	Begun func(ctx context.Context, tx *store.Tx, r Run, recent int) error
	Told  func()
}

const (
	defaultGrace = 2 * time.Second
	// maxRunning bounds the programs that run at the same time.
	maxRunning = 4
	// writeTimeout bounds how long what has happened waits for the database.
	writeTimeout = 10 * time.Second
)

// Builtin is an action of the daemon itself. It is never offered to models by
// name, and has no effect but in the database.
type Builtin struct {
	// Name is a word, [a-z][a-z0-9_]*; one with "_" is no configured action's.
	Name        string
	Description string
	Params      []Param
	// Do carries it out within the transaction of its run, which is undone if it
	// fails. Key is unique to the run; the arguments are canonical.
	Do func(ctx context.Context, tx *store.Tx, key string, arguments json.RawMessage, r Request) (output string, err error)
}

// Engine keeps proposals, and runs what may run. It is safe for concurrent use,
// and the only one that writes its tables.
type Engine struct {
	Options
	guards guards

	mu      sync.Mutex
	known   map[string]*prepared
	order   []string // names of configured actions, in order
	started bool
	ended   bool
	held    bool
	ctx     context.Context // of what runs
	cancel  context.CancelFunc
	hurry   context.Context // over when what runs is killed
	kill    context.CancelFunc
	group   sync.WaitGroup
	running map[string]*running // by the key of the run
}

// New returns the engine kept in the database. It runs nothing before Start. An
// action whose program cannot be found is known and not offered.
func New(options Options) (*Engine, error) {
	if options.DB == nil {
		return nil, errors.New("actions: there is no database")
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Redact == nil {
		options.Redact = func(text string) string { return text }
	}
	if options.Environ == nil {
		options.Environ = os.LookupEnv
	}
	if options.Path == nil {
		options.Path = DefaultPath()
	}
	options.Logger, options.Grace = cmp.Or(options.Logger, slog.New(slog.DiscardHandler)), cmp.Or(options.Grace, defaultGrace)
	e := &Engine{Options: options, guards: allGuards(), running: map[string]*running{}}
	if err := e.SetActions(options.Actions); err != nil {
		return nil, err
	}
	return e, nil
}

// SetActions replaces the configured actions. With an error those that are
// there stay. What runs goes on; proposals whose action is another one now
// cannot be approved any more.
func (e *Engine) SetActions(actions []Action) error {
	if err := Validate(actions); err != nil {
		return fmt.Errorf("actions: %w", err)
	}
	known, order := map[string]*prepared{}, []string{}
	for _, b := range e.Builtins {
		p, err := prepareBuiltin(b)
		if err != nil {
			return fmt.Errorf("actions: %w", err)
		}
		if known[b.Name] != nil {
			return fmt.Errorf("actions: there are two of the name %q", b.Name)
		}
		known[b.Name] = p
	}
	for _, a := range actions {
		if known[a.Name] != nil {
			return fmt.Errorf("actions: %s: the daemon has an action of that name; choose another", a.Name)
		}
		p, err := e.prepare(a)
		if err != nil {
			return fmt.Errorf("actions: %s: %w", a.Name, err)
		}
		if p.problem != nil {
			e.Logger.Warn("an action cannot be run", "action", a.Name, "error", p.problem)
		}
		known[a.Name], order = p, append(order, a.Name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known, e.order = known, order
	return nil
}

// Offers are the configured actions that can be run, in their order.
func (e *Engine) Offers() []escalate.Offer {
	e.mu.Lock()
	defer e.mu.Unlock()
	offers := []escalate.Offer{}
	for _, name := range e.order {
		if p := e.known[name]; p.problem == nil {
			offers = append(offers, escalate.Offer{Name: name, Description: p.action.Description, Parameters: p.schema,
				Approval: p.action.Approval, Undo: len(p.action.Undo) > 0})
		}
	}
	return offers
}

// find returns the action as it is configured now.
func (e *Engine) find(name string) (*prepared, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.known[name]; p != nil {
		return p, nil
	}
	return nil, refuse(CodeUnknown, "name one that is configured", "there is no action %q", clip(name))
}

// Start takes up what an earlier process left: a run that it had begun is
// unknown now. Then runs are let through, until Stop.
func (e *Engine) Start(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started {
		return errors.New("actions: start: it was started before")
	}
	if err := e.recover(ctx); err != nil {
		return fmt.Errorf("actions: start: %w", err)
	}
	e.ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.hurry, e.kill = context.WithCancel(context.WithoutCancel(ctx))
	e.started = true
	return nil
}

// Hold keeps runs from beginning until release is called. Where some run, busy
// names their actions, and nothing is held.
func (e *Engine) Hold() (release func(), busy []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.running {
		busy = append(busy, r.action)
	}
	e.held = len(busy) == 0
	slices.Sort(busy)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.held = false
	}, busy
}

// killWithin is how long before the end of a Stop what still runs is killed, and
// how long it has from then on to be gone and written down.
const killWithin = time.Second

// Stop ends what runs, with all of its process groups, waits for it, and lets
// nothing through any more. It may be called more than once.
//
// What runs has the grace to end by itself, and less where ctx ends before: it is
// killed a second before the deadline, or after half of what is left where that
// is less than two, so that its end is written down; and at once where ctx is
// done. An error says that even then something has not ended.
func (e *Engine) Stop(ctx context.Context) error {
	e.mu.Lock()
	e.ended = true
	started := e.started
	if started {
		e.cancel()
	}
	e.mu.Unlock()
	if !started {
		return nil
	}
	patient, cancel := patience(ctx)
	defer cancel()
	if wake.Joined(patient, &e.group) {
		return nil
	}
	e.kill()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWithin)
	defer cancel()
	if wake.Joined(last, &e.group) {
		return nil
	}
	return fmt.Errorf("actions: stop: programs are still being ended: %w", context.DeadlineExceeded)
}

// patience is over when what runs is killed, so that a Stop ends with its ctx.
func patience(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(killWithin, time.Until(deadline)/2)))
}
