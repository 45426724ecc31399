package models

import (
	"context"
	"slices"
)

// embedBatch is how many texts one request has: their vectors stay far under
// the bound of an answer, at 3,072 dimensions too.
const embedBatch = 32

// Embedder returns what turns texts into vectors: the model of the role
// embedding, behind the same decorators as any other. It reports false where
// there is none; Anthropic has none.
func (r *Roster) Embedder() (Embedder, bool) {
	known := r.lookup(RoleEmbedding)
	if known == nil || len(known.members) == 0 || known.members[0].account.provider.Kind == Anthropic {
		return nil, false
	}
	return known.members[0], true
}

var _ Embedder = (*Member)(nil)

// Embed implements Embedder. Texts go out in requests of 32; a failure has what
// those before it cost.
func (m *Member) Embed(ctx context.Context, purpose Purpose, texts []string) (Answer, error) {
	all := Answer{By: m.by, Usage: Usage{Known: true}}
	for part := range slices.Chunk(texts, embedBatch) {
		answer, err := m.Generate(ctx, Request{Purpose: purpose, Texts: part, MaxTokens: 1})
		if err == nil && len(all.Vectors) > 0 && len(all.Vectors[0]) != len(answer.Vectors[0]) {
			err = &Error{Kind: KindAnswer, By: m.by, Text: "its vectors have different dimensions", Usage: answer.Usage, Cost: answer.Cost, Attempts: answer.Attempts, Unsure: answer.Unsure}
		}
		if err != nil {
			failure := asError(err, m.by)
			failure.Usage, failure.Cost = knownOf(failure.Usage, all.Usage), plus(failure.Cost, all.Cost)
			failure.Attempts, failure.Unsure = failure.Attempts+all.Attempts, failure.Unsure+all.Unsure
			return Answer{}, failure
		}
		if !answer.Usage.Known {
			answer.Unsure++
		}
		all.Vectors, all.Usage, all.Cost = append(all.Vectors, answer.Vectors...), all.Usage.Plus(answer.Usage), plus(all.Cost, answer.Cost)
		all.Attempts, all.Unsure = all.Attempts+answer.Attempts, all.Unsure+answer.Unsure
	}
	return all, nil
}
