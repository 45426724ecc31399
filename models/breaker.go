package models

import (
	"context"
)

// NewBreaker does not ask a model that failed three times in a row until it has
// rested: a minute first, twice as long each time, half an hour at most; nor one
// whose provider asked to be left alone, for as long. Then one call probes it.
func NewBreaker(inner Generator, by Identity, circuit *Circuit) Generator {
	return &breaker{inner, by, circuit}
}

type breaker struct {
	inner   Generator
	by      Identity
	circuit *Circuit
}

var _ Generator = (*breaker)(nil)

// Generate implements Generator.
func (b *breaker) Generate(ctx context.Context, request Request) (answer Answer, err error) {
	probe, ok, health := b.circuit.enter()
	if !ok {
		return Answer{}, b.resting(health)
	}
	failure := &Error{Kind: KindAnswer, By: b.by, Text: "it was not asked, by a fault in this program"}
	defer func() { b.circuit.leave(probe, failure) }() // also where it panics
	answer, err = b.inner.Generate(ctx, request)
	if err == nil {
		failure = nil
		answer.Judge = b.circuit.judge
		return answer, nil
	}
	failure = asError(err, b.by)
	return Answer{}, failure
}

// resting says why it is not asked; RetryAfter is for how long.
func (b *breaker) resting(health Health) *Error {
	wait := max(0, health.Next.Sub(b.circuit.now()))
	text := "it is left alone"
	if wait == 0 {
		text = "it is being tried by another call"
	}
	if health.Error != nil {
		text += " after failures, the last of them: " + health.Error.Text
	}
	failure := &Error{Kind: KindResting, By: b.by, Text: line(text, maxWords), RetryAfter: wait}
	if health.Error != nil {
		failure.Next, failure.Err = health.Error.Next, health.Error
	}
	return failure
}
