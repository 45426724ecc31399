package models_test

import (
	"context"
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
)

var (
	groq  = models.Identity{Provider: "groq", Model: "llama"}
	local = models.Identity{Provider: "ollama", Model: "qwen", Local: true}
)

// script is a driver that answers from functions, the last again and again.
type script struct {
	by    models.Identity
	steps []func(context.Context, models.Request) (models.Answer, error)

	mu    sync.Mutex
	asked []models.Request
}

func (s *script) Identity() models.Identity { return s.by }

func (s *script) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	s.mu.Lock()
	s.asked = append(s.asked, request)
	step := s.steps[min(len(s.asked), len(s.steps))-1]
	s.mu.Unlock()
	return step(ctx, request)
}

func (s *script) requests() []models.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]models.Request(nil), s.asked...)
}

type step = func(context.Context, models.Request) (models.Answer, error)

// says answers with a text, and a usage that is known.
func says(text string) step {
	return func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: text, Stop: "end", Usage: models.Usage{Input: 10, Output: 5, Known: true}}, nil
	}
}

// calls asks for tools.
func calls(calls ...models.ToolCall) step {
	return func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Calls: calls, Stop: "tools", Usage: models.Usage{Input: 10, Output: 5, Known: true}}, nil
	}
}

func fails(kind models.Kind) step { return failsWith(models.Error{Kind: kind, Text: "it failed"}) }

func failsWith(e models.Error) step {
	return func(context.Context, models.Request) (models.Answer, error) {
		failure := e
		return models.Answer{}, &failure
	}
}

func driver(by models.Identity, steps ...step) *script { return &script{by: by, steps: steps} }

// purse is a meter that remembers.
type purse struct {
	mu      sync.Mutex
	refuse  error
	charges []budget.Charge
	settled []budget.Amount
	done    []error // of the contexts of Settle
}

var _ models.Meter = (*purse)(nil)

func (p *purse) Debit(_ context.Context, charge budget.Charge) (budget.Ticket, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return 0, p.refuse
	}
	p.charges = append(p.charges, charge)
	return budget.Ticket(len(p.charges)), nil
}

func (p *purse) Settle(ctx context.Context, _ budget.Ticket, actual budget.Amount) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled = append(p.settled, actual)
	p.done = append(p.done, ctx.Err())
	return nil
}

// failure is the *models.Error that err must be.
func failure(t *testing.T, err error) *models.Error {
	t.Helper()
	e, ok := err.(*models.Error)
	if !ok {
		t.Fatalf("the error is a %T, want a *models.Error: %v", err, err)
	}
	return e
}

func ask(text string) models.Request {
	return models.Request{Messages: []models.Message{{Role: models.User, Text: text}}, MaxTokens: 100}
}
