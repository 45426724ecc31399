package threads

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Asker is a model to be asked, with what it is asked with.
type Asker struct {
	// Generator is nil where Problem says why no model can be asked: a key is
	// missing.
	Generator models.Generator
	Identity  models.Identity
	Problem   string
	// Request holds what is the role's own: MaxTokens, Temperature, Thinking.
	Request models.Request
}

// ModelOptions are what a ModelThread needs.
type ModelOptions struct {
	Name  subconscious.ThreadName
	Asker Asker
	// Prompts makes what the model is told.
	Prompts *prompts.Set
	// Tools are the read tools; nil: none.
	Tools *Registry
	// Reflex thinks where the model cannot.
	Reflex Thread
	// Gate is that of the threads: under "always" the model is asked although
	// nothing is new or wider. Empty means adaptive.
	Gate string
	// Redact takes secrets out of what the model wrote; nil leaves it.
	Redact func(string) string
	// Logger; nil discards.
	Logger *slog.Logger
}

// validate names what is missing.
func (o ModelOptions) validate() error {
	switch {
	case o.Reflex == nil:
		return errors.New("there is no Reflex, which thinks where the model cannot")
	case o.Reflex.Name() != o.Name:
		return fmt.Errorf("its Reflex is the %s", o.Reflex.Name())
	case o.Prompts == nil:
		return errors.New("there are no Prompts")
	case o.Asker.Generator == nil && o.Asker.Problem == "":
		return errors.New("its Asker has neither a Generator nor a Problem")
	}
	return nil
}

// ModelThread is a thread that asks a model, and thinks by reflex where that
// fails.
type ModelThread struct{ options ModelOptions }

var _ Thread = (*ModelThread)(nil)

// NewModel returns a thread that asks a model.
func NewModel(options ModelOptions) (*ModelThread, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("thread %q: %w", options.Name, err)
	}
	options.Gate = cmp.Or(options.Gate, Adaptive)
	if options.Redact == nil {
		options.Redact = func(text string) string { return text }
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &ModelThread{options: options}, nil
}

// Name implements Thread.
func (t *ModelThread) Name() subconscious.ThreadName { return t.options.Name }

// Mode implements Thread.
func (t *ModelThread) Mode() string { return Model }

// Think implements Thread. It asks the model within four fifths of the time
// that is left, so that reflex thinking can still answer where the model does
// not. To find nothing is an answer.
func (t *ModelThread) Think(ctx context.Context, snapshot subconscious.Snapshot) (Answer, error) {
	field, all := snapshot.Fields[t.options.Name], snapshot
	field.New = slices.DeleteFunc(slices.Clone(field.New), clutter)
	snapshot.Fields = maps.Clone(snapshot.Fields)
	snapshot.Fields[t.options.Name] = field
	if len(field.New)+len(field.Wider) == 0 && t.options.Gate != Always {
		return t.reflect(ctx, all, Answer{}, "nothing in its field is unseen, so no model was asked")
	}
	if t.options.Asker.Generator == nil {
		return t.reflect(ctx, all, Answer{}, t.options.Asker.Problem)
	}
	answer, err := t.ask(ctx, snapshot)
	if err == nil {
		return answer, nil
	}
	if cause := ctx.Err(); cause != nil {
		return answer, fmt.Errorf("the model: %w", err)
	}
	if passed, ok := curbed(err); ok {
		answer.Failures = answer.Failures[:len(answer.Failures)-passed]
	} else {
		answer.Failures = append(answer.Failures, t.plain(err.Error()))
	}
	t.options.Logger.Debug("a model did not answer", "thread", t.options.Name, "error", err)
	return t.reflect(ctx, all, answer, why(err, snapshot.At))
}

// reflect thinks by reflex. What was spent before is kept.
func (t *ModelThread) reflect(ctx context.Context, snapshot subconscious.Snapshot, before Answer, reason string) (Answer, error) {
	answer, err := t.options.Reflex.Think(ctx, snapshot)
	answer.Mode, answer.Reason = Reflex, t.plain(reason)
	answer.Calls, answer.Tokens, answer.Cached = before.Calls, before.Tokens, before.Cached
	answer.Cost, answer.Failures = before.Cost, before.Failures
	if err != nil {
		return answer, fmt.Errorf("%s; reflex thinking failed too: %w", t.plain(reason), err)
	}
	return answer, nil
}

// The model has modelTime of timeParts of the time that is left.
const modelTime, timeParts = 4, 5

// ask asks the model. The answer says what was spent, also where it failed.
func (t *ModelThread) ask(ctx context.Context, snapshot subconscious.Snapshot) (answer Answer, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			t.options.Logger.Error("a model's driver panicked", "thread", t.options.Name, "panic", fmt.Sprint(problem), "stack", string(debug.Stack()))
			err = errors.New("asking the model failed, by a fault in this program")
		}
	}()
	field := snapshot.Fields[t.options.Name]
	prompt, err := t.options.Prompts.Thread(t.options.Name, prompts.Thread{At: snapshot.At, State: snapshot.State, Field: field})
	if err != nil {
		return Answer{}, err
	}
	if ends, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(ends)*modelTime/timeParts)
		defer cancel()
	}
	tools := t.options.Tools.For(t.options.Name, snapshot)
	counted := &counter{inner: t.options.Asker.Generator}
	reply, err := models.Converse(ctx, counted, t.request(snapshot, prompt), models.ConverseOptions{
		Tools: toolsOrNone(tools), MaxCalls: MaxToolCalls, Redact: t.options.Redact,
		Check: func(data json.RawMessage) error { return checkThought(data, snapshot.At.Location()) },
	})
	answer = Answer{Mode: Model, Calls: counted.calls, Tokens: reply.Usage.Total(), Cached: reply.Usage.Cached, Cost: reply.Cost, Failures: t.plainAll(reply.Failures)}
	if err != nil {
		return answer, err
	}
	by := reply.Answer.By
	if by == (models.Identity{}) {
		by = t.options.Asker.Identity
	}
	if answer.Thought, err = t.convert(reply.JSON, by, snapshot); err != nil {
		return answer, err
	}
	looked := tools.Shown()
	answer.Model, answer.Shown = by.String(), beside(field, prompt.Shown, looked)
	answer.Unshown = slices.DeleteFunc(prompt.Left, func(ref subconscious.Ref) bool { return slices.Contains(looked, ref) })
	if by.String() != t.options.Asker.Identity.String() {
		answer.Reason = t.plain(passedBy(reply.Answer.Passed, snapshot.At) + by.String() + " thought in its place")
	}
	return answer, nil
}

// passedBy says why models that were asked before did not answer.
func passedBy(passed []*models.Error, at time.Time) string {
	var said string
	for _, failure := range passed {
		said += whyOne(failure, at) + "; "
	}
	return said
}

// request is what the model is asked.
func (t *ModelThread) request(snapshot subconscious.Snapshot, prompt prompts.Prompt) models.Request {
	request := t.options.Asker.Request
	request.Purpose = models.Purpose{Role: string(t.options.Name), Tick: snapshot.Tick, At: snapshot.At,
		Exploration: len(snapshot.Fields[t.options.Name].New) == 0}
	request.System, request.Messages = prompt.System, []models.Message{{Role: models.User, Text: prompt.User}}
	request.Schema = thoughtSchema(t.options.Name)
	request.MaxTokens = cmp.Or(request.MaxTokens, defaultMaxTokens)
	return request
}

// defaultMaxTokens is room for three findings in any language, and a call of a
// tool.
const defaultMaxTokens = 1500

// toolsOrNone keeps an empty toolbox from being offered.
func toolsOrNone(tools *Toolbox) models.Toolbox {
	if len(tools.tools) == 0 {
		return nil
	}
	return tools
}

// beside are the references shown that are neither new nor wider.
func beside(field subconscious.Field, shown ...[]subconscious.Ref) []subconscious.Ref {
	own := map[subconscious.Ref]bool{}
	for _, o := range slices.Concat(field.New, field.Wider) {
		own[o.Ref()] = true
	}
	refs := slices.DeleteFunc(slices.Concat(shown...), func(ref subconscious.Ref) bool { return own[ref] })
	slices.Sort(refs)
	return slices.Compact(refs)
}

func (t *ModelThread) plainAll(texts []string) []string {
	var said []string
	for _, text := range texts {
		said = append(said, t.plain(text))
	}
	return said
}

// counter counts requests, those of models that were passed and those that were
// made again included.
type counter struct {
	inner models.Generator
	calls int
}

var _ models.Generator = (*counter)(nil)

// Generate implements models.Generator.
func (c *counter) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	answer, err := c.inner.Generate(ctx, request)
	var failure *models.Error
	switch {
	case err == nil:
		c.calls += max(1, answer.Attempts)
		c.pass(answer.Passed)
	case errors.As(err, &failure):
		c.calls += failure.Attempts
		c.pass(failure.Passed)
	default:
		c.calls++
	}
	return answer, err
}

func (c *counter) pass(passed []*models.Error) {
	for _, failure := range passed {
		c.calls += failure.Attempts
	}
}
