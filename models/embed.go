package models

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
)

// Embedder returns what turns texts into vectors: the model of the role
// embedding, within the budget, and without secrets and the personal data that
// are withheld where it is remote. It reports false where there is none;
// Anthropic has none.
func (r *Roster) Embedder() (Embedder, bool) {
	known := r.lookup(RoleEmbedding)
	if known == nil || len(known.members) == 0 || known.members[0].account.protocol.Embed == nil {
		return nil, false
	}
	return r.embedder(known, 0), true
}

// embedder is the one of the model at a position of a role.
func (r *Roster) embedder(known *role, position int) *embedder {
	m := known.members[position]
	return &embedder{Member: m, accepts: known.assigned.Role.Accepts, options: r.options,
		spend: spend{StackOptions: StackOptions{By: m.by, Meter: r.options.Meter, Rate: m.rate, Now: r.options.Now}}}
}

type embedder struct {
	*Member
	accepts []string
	options RosterOptions
	spend   spend
}

var _ Embedder = (*embedder)(nil)

// Embed implements Embedder.
func (e *embedder) Embed(ctx context.Context, purpose Purpose, texts []string) (Embedding, error) {
	options, missing := e.account.options(e.by.Model)
	if missing != nil {
		return Embedding{}, missing
	}
	hidden, tokens := make([]string, len(texts)), 0
	for i, text := range texts {
		hidden[i] = e.hide(text)
		tokens += len(hidden[i]) + tokensOfMessage // a token is at least a byte
	}
	worst := budget.Amount{Money: e.rate.Worst(tokens, 0), Tokens: tokens}
	ticket, err := e.spend.debit(ctx, purpose, worst)
	if err != nil {
		return Embedding{}, err
	}
	actual := worst // of a call that panics
	defer func() { e.spend.settle(ctx, ticket, actual) }()
	if timeout := e.options.Config.Timeout; timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout*time.Duration(1+len(texts)/32))
		defer cancel()
	}
	embedding, err := e.account.protocol.Embed(options).Embed(ctx, purpose, hidden)
	var failure *Error
	usage, known := embedding.Usage, embedding.Usage.Known
	if err != nil {
		failure = asError(err, e.by)
		usage, known = failure.Usage, failure.Unsure == 0 // what went well before is in the usage
	} else if failure = otherModel(e.by, e.accepts, embedding.By.Model); failure != nil {
		failure.Usage, failure.Unsure = usage, 0
	}
	if known {
		actual = e.spend.took(worst, usage, 0)
	}
	if failure != nil {
		failure.Cost = actual.Money
		return Embedding{}, failure
	}
	embedding.Cost = actual.Money
	return embedding, nil
}

// hide keeps from a remote model what is not its business. Each text has
// placeholders of its own, so that its vector depends on nothing else.
func (e *embedder) hide(text string) string {
	if e.by.Local {
		return text
	}
	text = e.options.Secrets(text)
	if e.options.Masker != nil {
		text = e.options.Masker().Mask(text)
	}
	return text
}
