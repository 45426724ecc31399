package models

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// A retry is waited for, longer than the provider asks and never shorter.
const (
	retryWait   = 500 * time.Millisecond
	retryJitter = 500 * time.Millisecond
	// retryPatience bounds the wait where the context has no deadline; who asks
	// again later finds the breaker, which remembers what the provider wants.
	retryPatience = time.Minute
)

// The retry budget: first attempts earn a part of a retry each.
const (
	retryEarn  = 0.2
	retryStart = 2.0
	retryCap   = 10.0
)

// RetryBudget holds back retries where many calls fail: at most a fifth of all
// attempts, beyond a few at the start. One is shared by all models of a roster.
type RetryBudget struct {
	mu     sync.Mutex
	tokens float64
}

// NewRetryBudget returns one with what it starts with.
func NewRetryBudget() *RetryBudget { return &RetryBudget{tokens: retryStart} }

// earn counts a first attempt.
func (b *RetryBudget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(retryCap, b.tokens+retryEarn)
}

// take pays for a retry, if there is enough for one.
func (b *RetryBudget) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	// What five first attempts earn is one retry, not one less the rounding.
	if b.tokens < 1-1e-9 {
		return false
	}
	b.tokens--
	return true
}

// NewRetry asks once more after a failure that may pass: too many requests, a
// fault of the server, a broken connection, no answer in time. It waits as long
// as the provider asks, and does not retry where that is beyond the deadline of
// the context, or where the retry budget is spent.
func NewRetry(inner Generator, options StackOptions) Generator {
	if options.Retries == nil {
		options.Retries = NewRetryBudget()
	}
	if options.Wait == nil {
		options.Wait = func() time.Duration { return retryWait + rand.N(retryJitter) }
	}
	return GeneratorFunc(func(ctx context.Context, request Request) (Answer, error) { return options.retry(ctx, inner, request) })
}

func (o StackOptions) retry(ctx context.Context, inner Generator, request Request) (Answer, error) {
	o.Retries.earn()
	answer, err := inner.Generate(ctx, request)
	if err == nil {
		return answer, nil
	}
	failed := asError(err, Identity{})
	if !passing(failed.Kind) || !o.pause(ctx, failed) {
		return Answer{}, failed
	}
	answer, err = inner.Generate(ctx, request)
	if err != nil {
		last := asError(err, failed.By)
		if last.Kind == KindBudget { // there is no room for a retry, which is not what failed
			return Answer{}, failed
		}
		last.Attempts, last.Unsure = last.Attempts+failed.Attempts, last.Unsure+failed.Unsure
		last.Usage, last.Cost = knownOf(last.Usage, failed.Usage), plus(last.Cost, failed.Cost)
		return Answer{}, last
	}
	answer.Attempts, answer.Unsure = answer.Attempts+failed.Attempts, answer.Unsure+failed.Unsure
	answer.Cost = plus(answer.Cost, failed.Cost)
	switch {
	case answer.Usage.Known:
		answer.Usage = knownOf(answer.Usage, failed.Usage)
	case failed.Usage.Known:
		answer.Unsure++ // at worst, as the answer itself: more, never less
	}
	return answer, nil
}

// passing are the kinds of failure that may be gone at once.
func passing(kind Kind) bool { return kind.is(KindRate, KindServer, KindNetwork, KindCut, KindTimeout) }

// pause waits before a retry, and reports whether there may be one.
func (o StackOptions) pause(ctx context.Context, failed *Error) bool {
	if ctx.Err() != nil {
		return false
	}
	wait := failed.RetryAfter + o.Wait()
	if wait > retryPatience {
		return false
	}
	// The deadline of a context is by the machine's clock, whatever the mind's is.
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	if !o.Retries.take() {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// knownOf adds up those usages that are known.
func knownOf(a, b Usage) Usage {
	switch {
	case !a.Known:
		return b
	case !b.Known:
		return a
	}
	return a.Plus(b)
}
