package models

import (
	"context"
	"fmt"
	"slices"
)

// NewVerify throws away what another model than the one asked for answered.
// Versions of its name are it, and so are the names in accepts.
func NewVerify(inner Generator, by Identity, accepts []string) Generator {
	return &verify{inner, by, slices.Clone(accepts)}
}

type verify struct {
	inner   Generator
	by      Identity
	accepts []string
}

var _ Generator = (*verify)(nil)

// Generate implements Generator. A provider that does not say who answered is
// believed.
func (v *verify) Generate(ctx context.Context, request Request) (Answer, error) {
	answer, err := v.inner.Generate(ctx, request)
	if err != nil {
		return answer, err
	}
	name := answer.By.Model
	same := func(accepted string) bool { return SameModel(accepted, name) }
	if name != "" && !same(v.by.Model) && !slices.ContainsFunc(v.accepts, same) {
		name = line(name, 80)
		return Answer{}, &Error{Kind: KindWrongModel, By: v.by, Attempts: 1, Unsure: 1,
			Text: fmt.Sprintf("%q answered in its place; the answer was thrown away", name),
			Next: fmt.Sprintf("add %q to accepts of the role if it may, or name another model", name)}
	}
	answer.By = v.by
	if !plausible(answer.Usage) {
		answer.Usage = Usage{}
	}
	return answer, nil
}

// maxTokens is more than any call takes: a usage beyond it is none.
const maxTokens = 100_000_000

// plausible reports whether a usage can be what a call took.
func plausible(u Usage) bool {
	for _, n := range [...]int{u.Input, u.Cached, u.Written, u.Output, u.Thinking} {
		if n < 0 || n > maxTokens {
			return false
		}
	}
	return u.Cached+u.Written <= u.Input && u.Thinking <= u.Output
}
