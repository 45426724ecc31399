// Package live asks configured models and channels without a daemon: whether
// they answer, and how they are set up. Calls of models go through a meter in
// memory, which lets no more through than the budget's limit of a day.
//
// It stores nothing. The commands init and doctor call it.
package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/anthropic"
	"github.com/subconsciousd/subconsciousd/models/openai"
)

// Options say whom to ask.
type Options struct {
	Models models.Config
	Budget budget.Config
	// Env looks variables up.
	Env func(string) (string, bool)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Protocols are the protocols that models can be asked over.
func Protocols() map[string]models.Protocol {
	return map[string]models.Protocol{models.OpenAI: openai.Protocol(), models.Anthropic: anthropic.Protocol()}
}

// Open makes models ready and asks none of them anything.
func Open(o Options) (*models.Roster, error) {
	opened, err := models.OpenRoster(models.RosterOptions{Protocols: Protocols(), Config: o.Models, Env: o.Env, Now: o.Now, Meter: &meter{limit: o.Budget.MoneyPerDay}})
	if err != nil {
		return nil, fmt.Errorf("open the models: %w", err)
	}
	return opened, nil
}

// Test asks models live: those of a role or provider, or all where who is empty.
func Test(ctx context.Context, opened *models.Roster, who string) []api.ModelTest {
	results := opened.Check(ctx, who)
	tests := make([]api.ModelTest, len(results))
	for i, r := range results {
		tests[i] = TestOf(r)
	}
	return tests
}

// TestOf is the result of a check as it travels.
func TestOf(r models.CheckResult) api.ModelTest {
	return api.ModelTest{Role: r.Role, Provider: r.Identity.Provider, Model: r.Identity.Model, OK: r.OK(),
		LatencyMS: float64(r.Latency) / float64(time.Millisecond), Tokens: r.Tokens, Cost: r.Cost.Float(), Steps: r.Steps}
}

// meter counts money in memory, for as long as one command runs.
type meter struct {
	limit float64 // US dollars; below 0: none

	mu    sync.Mutex
	used  budget.Money
	held  map[budget.Ticket]budget.Money
	calls budget.Ticket
}

var _ models.Meter = (*meter)(nil)

// Debit implements models.Meter.
func (m *meter) Debit(_ context.Context, charge budget.Charge) (budget.Ticket, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	worst := charge.Worst.Money
	if allowed := budget.Dollars(m.limit); worst > 0 && m.limit >= 0 && worst > allowed-m.used {
		return 0, &budget.Refusal{Limit: budget.MoneyPerDay, Allowed: int64(allowed), Used: int64(m.used), Worst: int64(worst)}
	}
	if m.held == nil {
		m.held = map[budget.Ticket]budget.Money{}
	}
	m.calls++
	m.used += worst
	m.held[m.calls] = worst
	return m.calls, nil
}

// Settle implements models.Meter.
func (m *meter) Settle(_ context.Context, ticket budget.Ticket, actual budget.Amount) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if held, ok := m.held[ticket]; ok {
		m.used += actual.Money - held
		delete(m.held, ticket)
	}
	return nil
}
