package models

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// NewTimeout bounds one attempt, and makes a well-formed *Error of whatever
// goes wrong in it: a panic of the driver too. A timeout of 0 or less is none.
func NewTimeout(inner Generator, by Identity, timeout time.Duration) Generator {
	return &limit{inner, by, timeout}
}

type limit struct {
	inner   Generator
	by      Identity
	timeout time.Duration
}

var _ Generator = (*limit)(nil)

// Generate implements Generator.
func (l *limit) Generate(ctx context.Context, request Request) (Answer, error) {
	attempt, cancel := ctx, func() {}
	if l.timeout > 0 {
		attempt, cancel = context.WithTimeout(ctx, l.timeout)
	}
	defer cancel()
	answer, err := l.ask(attempt, request)
	if err == nil {
		answer.Attempts = max(1, answer.Attempts)
		return answer, nil
	}
	failure := asError(err, l.by)
	failure.Attempts = max(1, failure.Attempts)
	switch {
	case ctx.Err() != nil && failure.Kind != KindBudget && errors.Is(ctx.Err(), context.Canceled):
		failure.Kind, failure.Text, failure.Next = KindCancelled, "it was asked for no more", ""
	case attempt.Err() != nil && isBroken(failure.Kind):
		failure.Kind, failure.Text = KindTimeout, "no answer came in time"
		if ctx.Err() == nil {
			failure.Text = fmt.Sprintf("no answer came within %s", l.timeout)
			failure.Next = "give it more time by models.timeout, or choose a faster model"
		}
	}
	switch {
	case failure.Usage.Known && plausible(failure.Usage):
		failure.Unsure = 0
	case maybePaid(failure.Kind):
		failure.Usage, failure.Unsure = Usage{}, max(1, failure.Unsure)
	default:
		failure.Usage = Usage{}
	}
	return Answer{}, failure
}

func (l *limit) ask(ctx context.Context, request Request) (answer Answer, err error) {
	defer contain(l.by, &err)
	return l.inner.Generate(ctx, request)
}

// isBroken are the kinds that a deadline can look like from within.
func isBroken(kind Kind) bool {
	return kind == KindNetwork || kind == KindCut || kind == KindCancelled || kind == KindTimeout
}

// maybePaid are the kinds after which a provider may count the call. Network
// is not one of them: the driver knows whether the request had left.
func maybePaid(kind Kind) bool {
	switch kind {
	case KindCut, KindTimeout, KindTooLarge, KindAnswer, KindWrongModel, KindRefused, KindCancelled:
		return true
	}
	return false
}
