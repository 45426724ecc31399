package models

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
)

// StackOptions are what the decorators around a driver need.
type StackOptions struct {
	// Accepts are further names under which the model may answer.
	Accepts  []string
	Meter    Meter // nil: nothing is debited
	Rate     Rate
	Recorder Recorder // nil: nothing is recorded
	// Secrets takes secrets out of text, for remote models and for records; nil
	// is redact.Text.
	Secrets func(string) string
	Masker  func() Masker // nil masks nothing
	// Circuit is shared by all stacks of one model; nil is one of its own.
	Circuit *Circuit
	// Retries is shared by a roster; nil is one of its own.
	Retries *RetryBudget
	Wait    func() time.Duration // before a retry; nil is its own
	Timeout time.Duration        // of one attempt; 0 or less is none
	Now     func() time.Time     // nil is time.Now
}

// Member is one model behind its decorators.
type Member struct {
	outer   Generator
	by      Identity
	circuit *Circuit
	rate    Rate
}

var _ Driver = (*Member)(nil)

// Stack puts the decorators around a driver: record, redact where the model is
// remote, breaker, retry, budget, timeout, from the outside in. A retry is a call
// of its own to the budget.
func Stack(driver Driver, options StackOptions) *Member {
	by := driver.Identity()
	if options.Secrets == nil {
		options.Secrets = redact.Text
	}
	if options.Circuit == nil {
		options.Circuit = NewCircuit(options.Now)
	}
	inner := NewTimeout(NewVerify(driver, by, options.Accepts), by, options.Timeout)
	inner = NewBudget(inner, BudgetOptions{By: by, Meter: options.Meter, Rate: options.Rate, Now: options.Now})
	inner = NewRetry(inner, RetryOptions{Budget: options.Retries, Wait: options.Wait})
	inner = NewBreaker(inner, by, options.Circuit)
	if !by.Local {
		inner = NewRedact(inner, RedactOptions{Secrets: options.Secrets, Masker: options.Masker})
	}
	outer := NewRecord(inner, RecordOptions{By: by, Recorder: options.Recorder, Redact: options.Secrets, Now: options.Now})
	return &Member{outer: outer, by: by, circuit: options.Circuit, rate: options.Rate}
}

// Identity implements Driver.
func (m *Member) Identity() Identity { return m.by }

// Health says how the model does.
func (m *Member) Health() Health { return m.circuit.Health() }

// Rate says what the model costs.
func (m *Member) Rate() Rate { return m.rate }

// Generate implements Generator. Every failure is an *Error: a panic too.
func (m *Member) Generate(ctx context.Context, request Request) (answer Answer, err error) {
	defer contain(m.by, &err)
	answer, err = m.outer.Generate(ctx, request)
	if err != nil {
		return answer, asError(err, m.by)
	}
	return answer, nil
}
