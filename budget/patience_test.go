package budget_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
)

// A call for which the worst case of another leaves no room waits until that
// one is settled, and no longer than half of its own time.
func TestDebitWaitsForRunningCalls(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	config := budget.DefaultConfig()
	config.MoneyPerDay = 1
	charge := budget.Charge{At: at, Role: "watcher", Provider: "p", Model: "m", Worst: budget.Amount{Money: budget.Dollars(0.7), Tokens: 10}}
	for _, c := range []struct {
		name   string
		takes  budget.Money // what the running call turns out to cost
		passes bool
	}{
		{"it turns out cheap", budget.Dollars(0.1), true},
		{"it turns out dear", budget.Dollars(0.7), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBudget(t, config)
			first, err := b.Debit(t.Context(), charge)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				_, err := b.Debit(ctx, charge)
				done <- err
			}()
			if err := b.Settle(t.Context(), first, budget.Amount{Money: c.takes, Tokens: 5}); err != nil {
				t.Fatal(err)
			}
			if err := <-done; (err == nil) != c.passes {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("it is never settled", func(t *testing.T) {
		b := newBudget(t, config)
		if _, err := b.Debit(t.Context(), charge); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := b.Debit(ctx, charge)
		if refusal := new(budget.Refusal); !errors.As(err, &refusal) || refusal.Limit != budget.MoneyPerDay {
			t.Errorf("got %v", err)
		}
	})
}

func newBudget(t *testing.T, config budget.Config) *budget.Budget {
	b, _ := opened(t, filepath.Join(t.TempDir(), "mind.db"), config)
	return b
}

// A call that was not made after all counts against no limit, also after a
// restart.
func TestUnmadeCallsDoNotCount(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	config := budget.DefaultConfig()
	config.CallsPerDay, config.ExplorationCallsPerDay = 1, 1
	path := filepath.Join(t.TempDir(), "mind.db")
	b, db := opened(t, path, config)
	charge := budget.Charge{At: at, Role: "dreamer", Exploration: true, Worst: budget.Amount{Money: 100, Tokens: 10}}
	for range 3 {
		ticket, err := b.Debit(t.Context(), charge)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Settle(t.Context(), ticket, budget.Amount{Unmade: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	overview, err := again(t, db, config).Spent(t.Context(), at)
	if err != nil || overview.Today != (budget.Sum{}) || overview.ThisMonth != (budget.Sum{}) {
		t.Errorf("today %+v, this month %+v, error %v", overview.Today, overview.ThisMonth, err)
	}
}
