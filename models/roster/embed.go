package roster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/openai"
)

// Embedder returns what turns texts into vectors: the model of the role
// embedding, within the budget, and without secrets and the personal data that
// are withheld where it is remote. It
// reports false where there is none; Anthropic has none.
func (r *Roster) Embedder() (models.Embedder, bool) {
	known := r.lookup(embedding)
	if known == nil || len(known.members) == 0 || known.assigned.Target.Provider.Kind != models.OpenAI {
		return nil, false
	}
	return &embedder{roster: r, member: known.members[0], target: known.assigned.Target, accepts: known.assigned.Role.Accepts}, true
}

type embedder struct {
	roster  *Roster
	member  *member
	target  models.Target
	accepts []string
}

var _ models.Embedder = (*embedder)(nil)

// Embed implements models.Embedder.
func (e *embedder) Embed(ctx context.Context, purpose models.Purpose, texts []string) (models.Embedding, error) {
	key, missing := e.member.account.fetch()
	if missing != nil {
		return models.Embedding{}, e.named(missing)
	}
	made, err := openai.NewEmbedder(openai.Options{Provider: e.target.Provider, Model: e.target.Model, Key: key, Client: e.member.account.client})
	if err != nil {
		return models.Embedding{}, err
	}
	if !e.target.Provider.Local {
		hidden := make([]string, len(texts))
		for i, text := range texts {
			hidden[i] = e.hide(text)
		}
		texts = hidden
	}
	worst := e.worst(texts)
	ticket, err := e.debit(ctx, purpose, worst)
	if err != nil {
		return models.Embedding{}, err
	}
	actual := worst // of a call that panics
	defer func() { e.settle(ctx, ticket, actual) }()
	if timeout := e.roster.options.Config.Timeout; timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout*time.Duration(1+len(texts)/32))
		defer cancel()
	}
	embedding, err := made.Embed(ctx, purpose, texts)
	return e.judge(embedding, err, worst, &actual)
}

// hide keeps from a remote model what is not its business. Each text has
// placeholders of its own, so that its vector depends on nothing else.
func (e *embedder) hide(text string) string {
	text = e.roster.options.Secrets(text)
	if e.roster.options.Masker != nil {
		text = e.roster.options.Masker().Mask(text)
	}
	return text
}

// judge says what a call took, and whether the model is the one asked for.
func (e *embedder) judge(embedding models.Embedding, err error, worst budget.Amount, actual *budget.Amount) (models.Embedding, error) {
	var failure *models.Error
	if errors.As(err, &failure) {
		if failure.Unsure == 0 { // what went well before is in the usage
			*actual = budget.Amount{}
			if failure.Usage.Known {
				*actual = budget.Amount{Money: e.member.Rate().Cost(failure.Usage), Tokens: failure.Usage.Total()}
			}
		}
		failure.Cost = actual.Money
		return models.Embedding{}, failure
	}
	if err != nil {
		return models.Embedding{}, err
	}
	if embedding.Usage.Known {
		*actual = budget.Amount{Money: e.member.Rate().Cost(embedding.Usage), Tokens: embedding.Usage.Total()}
	}
	embedding.Cost = actual.Money
	for _, name := range append([]string{e.target.Model}, e.accepts...) {
		if models.SameModel(name, embedding.By.Model) {
			return embedding, nil
		}
	}
	return models.Embedding{}, &models.Error{Kind: models.KindWrongModel, By: e.member.Identity(), Usage: embedding.Usage, Cost: actual.Money, Attempts: 1,
		Text: fmt.Sprintf("%q answered instead; its vectors do not fit those of another model", embedding.By.Model),
		Next: "name it in the role's accepts if it is the same"}
}

func (e *embedder) named(failure *models.Error) *models.Error {
	named := *failure
	named.By = e.member.Identity()
	return &named
}

// worst is what the texts take at most: a token is at least a byte.
func (e *embedder) worst(texts []string) budget.Amount {
	tokens := 0
	for _, text := range texts {
		tokens += len(text) + 16
	}
	return budget.Amount{Money: e.member.Rate().Worst(tokens, 0), Tokens: tokens}
}

func (e *embedder) debit(ctx context.Context, purpose models.Purpose, worst budget.Amount) (budget.Ticket, error) {
	meter := e.roster.options.Meter
	if meter == nil {
		return 0, nil
	}
	if purpose.At.IsZero() {
		purpose.At = e.roster.options.Now()
	}
	ticket, err := meter.Debit(ctx, budget.Charge{At: purpose.At, Tick: purpose.Tick, Role: purpose.Role, Provider: e.target.Provider.ID,
		Model: e.target.Model, Exploration: purpose.Exploration, Worst: worst})
	if err != nil {
		return 0, &models.Error{Kind: models.KindBudget, By: e.member.Identity(), Text: err.Error(), Err: err}
	}
	return ticket, nil
}

func (e *embedder) settle(ctx context.Context, ticket budget.Ticket, actual budget.Amount) {
	if meter := e.roster.options.Meter; meter != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = meter.Settle(ctx, ticket, actual) // the worst stays debited
	}
}

// checkVectors asks an embedder live.
func (r *Roster) checkVectors(ctx context.Context, result *CheckResult, known *role, position int) {
	e := &embedder{roster: r, member: known.members[position], accepts: known.assigned.Role.Accepts,
		target: append([]models.Target{known.assigned.Target}, known.assigned.Fallbacks...)[position]}
	if e.target.Provider.Kind != models.OpenAI {
		result.bad(StepVectors, "Anthropic has no embedders", "give the role embedding a model of another provider")
		return
	}
	start := r.options.Now()
	got, err := e.Embed(ctx, models.Purpose{Role: embedding, At: start}, []string{"harbour", "a boat in the harbour"})
	if err != nil {
		result.fail(StepVectors, err)
		return
	}
	result.Latency, result.Tokens, result.Cost = r.options.Now().Sub(start), got.Usage.Total(), got.Cost
	result.good(StepVectors, fmt.Sprintf("vectors of %d dimensions", len(got.Vectors[0])))
}
