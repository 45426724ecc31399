package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
)

// Meter is what the budget's decorator needs; *budget.Budget is one.
type Meter interface {
	// Debit takes what a call costs at worst; the error is a *budget.Refusal
	// where a limit has no room for it.
	Debit(ctx context.Context, charge budget.Charge) (budget.Ticket, error)
	// Settle puts what the call took in its place. It is idempotent.
	Settle(ctx context.Context, ticket budget.Ticket, actual budget.Amount) error
}

// settleTimeout bounds settling, which happens although whoever asked may wait
// no more. What it does not settle stays debited at its worst.
const settleTimeout = 5 * time.Second

// NewBudget debits what a call can cost at worst before it is made, and settles
// it from its usage. Where there is no room the call is not made: the error is
// of KindBudget, wraps the *budget.Refusal, and says when there is room again.
func NewBudget(inner Generator, options StackOptions) Generator {
	options.Now = clock(options.Now)
	return &spend{inner, options}
}

type spend struct {
	inner Generator
	StackOptions
}

var _ Generator = (*spend)(nil)

// Generate implements Generator.
func (s *spend) Generate(ctx context.Context, request Request) (answer Answer, err error) {
	if ctx.Err() != nil {
		return Answer{}, &Error{Kind: KindCancelled, By: s.By, Text: "it was asked for no more", Err: ctx.Err()}
	}
	worst := s.worst(request)
	ticket, err := s.debit(ctx, request.Purpose, worst)
	if err != nil {
		return Answer{}, err
	}
	actual := worst // of a call that panics
	defer func() { s.settle(ctx, ticket, actual) }()
	answer, err = s.inner.Generate(ctx, request)
	if err != nil {
		failure := asError(err, s.By)
		actual = s.took(worst, failure.Usage, failure.Unsure)
		actual.Unmade = actual == (budget.Amount{}) && failure.Kind == KindKey && failure.Status == 0
		failure.Cost = actual.Money
		return Answer{}, failure
	}
	unsure := answer.Unsure
	if !answer.Usage.Known {
		unsure++
	}
	actual = s.took(worst, answer.Usage, unsure)
	answer.Cost = actual.Money
	return answer, nil
}

// worst is what a call takes at worst.
func (s *spend) worst(request Request) budget.Amount {
	input := worstInput(request)
	return budget.Amount{Money: s.Rate.Worst(input, request.MaxTokens), Tokens: input + request.MaxTokens}
}

// took is what a call took: its usage as far as it is known, and the worst for
// each request of which nobody knows.
func (s *spend) took(worst budget.Amount, usage Usage, unsure int) budget.Amount {
	took := budget.Amount{Money: times(worst.Money, unsure), Tokens: worst.Tokens * unsure}
	if usage.Known {
		took.Money = plus(took.Money, s.Rate.Cost(usage))
		took.Tokens += usage.Total()
	}
	return took
}

func (s *spend) debit(ctx context.Context, purpose Purpose, worst budget.Amount) (budget.Ticket, error) {
	if s.Meter == nil {
		return 0, nil
	}
	at := purpose.At
	if at.IsZero() {
		at = s.Now()
	}
	ticket, err := s.Meter.Debit(ctx, budget.Charge{At: at, Tick: purpose.Tick, Role: purpose.Role,
		Provider: s.By.Provider, Model: s.By.Model, Exploration: purpose.Exploration, Worst: worst})
	if err == nil {
		return ticket, nil
	}
	failure := &Error{Kind: KindBudget, By: s.By, Text: line(err.Error(), maxWords), Err: err}
	if refusal, ok := errors.AsType[*budget.Refusal](err); ok {
		if remedy := s.Rate.Remedy(); remedy != "" && refusal.Allowed > 0 &&
			slices.Contains([]string{budget.MoneyPerDay, budget.MoneyPerMonth, budget.PurseMoney}, refusal.Limit) {
			failure.Text = line("its price is not known and counts as dear, for which there is no money left; "+remedy, maxWords)
		}
		if !refusal.Until.IsZero() {
			failure.RetryAfter = max(0, refusal.Until.Sub(at))
		}
		return 0, failure
	}
	if ctx.Err() != nil {
		failure.Kind, failure.Text = KindCancelled, "it was asked for no more"
		return 0, failure
	}
	failure.Text = "what it may cost could not be written down, so that it was not asked: " + failure.Text
	failure.Next = "run: subconsciousctl doctor"
	return 0, failure
}

// settle writes down what was taken. A failure to do so loses no answer and no
// money: the worst stays debited.
func (s *spend) settle(ctx context.Context, ticket budget.Ticket, actual budget.Amount) {
	if s.Meter == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	_ = s.Meter.Settle(ctx, ticket, actual)
}

// times and plus do not overflow: what is beyond is the most there is.
func times(money budget.Money, n int) budget.Money {
	if n > 0 && money > mostMoney/budget.Money(n) {
		return mostMoney
	}
	return money * budget.Money(n)
}

func plus(a, b budget.Money) budget.Money {
	if a > mostMoney-b {
		return mostMoney
	}
	return a + b
}

// asJSON is everything that is sent of a request: equal requests have equal bytes.
func asJSON(r Request) []byte {
	text, err := json.Marshal(r)
	if err != nil { // a schema that is no JSON, or a temperature that is no number
		return fmt.Append(nil, r)
	}
	return text
}

// hashRequest returns the SHA-256 of a request, in hexadecimal, and its size
// as JSON.
func hashRequest(r Request) (hash string, size int) {
	text := asJSON(r)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), len(text)
}

// What a provider puts around a request, in tokens, at most.
const (
	tokensOfMessage = 16
	tokensOfRequest = 256
)

// worstInput returns how many tokens a request can be at most: a token is at
// least a byte. A schema counts thrice, because drivers close it for strict
// providers and tell it in words to those that enforce none.
func worstInput(r Request) int {
	worst := len(asJSON(r)) + tokensOfMessage*(len(r.Messages)+len(r.Tools)+len(r.Texts)) + tokensOfRequest
	if r.Schema != nil {
		worst += 2 * len(r.Schema.JSON)
	}
	for _, t := range r.Tools {
		worst += len(t.Parameters)
	}
	return worst
}
