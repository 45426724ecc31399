package budget_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/store"
)

// unlimited never refuses: what is measured is the writing.
var unlimited = budget.Config{MoneyPerDay: -1, MoneyPerMonth: -1, CallsPerDay: -1, TokensPerDay: -1, ExplorationCallsPerDay: -1}

// BenchmarkDebitSettle is one call after the other on a file.
func BenchmarkDebitSettle(b *testing.B) {
	spend, _ := opened(b, filepath.Join(b.TempDir(), "mind.db"), unlimited)
	for b.Loop() {
		once(b, spend, "watcher")
	}
}

// BenchmarkFourThreads is four threads that each make a call at once, as in a
// tick: an operation is all four of them.
func BenchmarkFourThreads(b *testing.B) {
	spend, _ := opened(b, filepath.Join(b.TempDir(), "mind.db"), unlimited)
	for b.Loop() {
		var group sync.WaitGroup
		for _, role := range []string{"watcher", "librarian", "oracle", "dreamer"} {
			group.Go(func() { once(b, spend, role) })
		}
		group.Wait()
	}
}

// BenchmarkRefused is a call when the budget is used up.
func BenchmarkRefused(b *testing.B) {
	spend, _ := opened(b, filepath.Join(b.TempDir(), "mind.db"), budget.Config{})
	for b.Loop() {
		if _, err := spend.Debit(b.Context(), charge("watcher", noon, 1)); err == nil {
			b.Fatal("let through")
		}
	}
}

// BenchmarkSpent is what status reads, in a month with a call each five
// minutes of each of eleven roles.
func BenchmarkSpent(b *testing.B) {
	spend, db := opened(b, filepath.Join(b.TempDir(), "mind.db"), budget.DefaultConfig())
	if err := db.Write(b.Context(), func(tx *store.Tx) error {
		for day := range 31 {
			for _, role := range budget.Roles() {
				date := time.Date(2026, 3, day+1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
				if _, err := tx.ExecContext(b.Context(), "INSERT INTO budget_days VALUES (?, ?, 1000, 1000, 288, 1, 0)", date, role); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := spend.Spent(b.Context(), noon); err != nil {
			b.Fatal(err)
		}
	}
}

func once(b *testing.B, spend *budget.Budget, role string) {
	ticket, err := spend.Debit(b.Context(), charge(role, noon, 1000))
	if err == nil {
		err = spend.Settle(b.Context(), ticket, budget.Amount{Money: 500, Tokens: 500})
	}
	if err != nil {
		b.Error(err)
	}
}
