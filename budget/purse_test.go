package budget_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/store"
)

func open(t testing.TB, p *budget.Purse, most budget.Money) {
	t.Helper()
	c := charge("deliberation", noon, most)
	if err := p.Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func closed(t testing.TB, p *budget.Purse) budget.Money {
	t.Helper()
	took, err := p.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return took.Money
}

func drawn(t testing.TB, p *budget.Purse, worst budget.Money) budget.Ticket {
	t.Helper()
	ticket, err := p.Debit(t.Context(), charge("deliberation", noon, worst))
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// TestPurse pays two calls out of one debit: money counts at the cap until the
// purse is closed, and tokens and calls once each.
func TestPurse(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.DefaultConfig())
	p := budget.NewPurse(b)
	open(t, p, 1000)
	if o := spent(t, b, noon); o.Today != (budget.Sum{}) {
		t.Errorf("opened: %+v", o.Today)
	}
	first := drawn(t, p, 600)
	if o := spent(t, b, noon); o.Today != (budget.Sum{Money: 1000, Tokens: 100, Calls: 1}) {
		t.Errorf("one call: %+v", o.Today)
	}
	_, err := p.Debit(t.Context(), charge("deliberation", noon, 600))
	refusal, ok := errors.AsType[*budget.Refusal](err)
	if !ok || refusal.Limit != budget.PurseMoney || refusal.Allowed != 1000 || refusal.Used != 600 || refusal.Worst != 600 || !strings.Contains(err.Error(), "purse") {
		t.Errorf("beyond the cap: %v", err)
	}
	for range 2 { // settling again changes nothing
		if err := p.Settle(t.Context(), first, budget.Amount{Money: 200, Tokens: 40}); err != nil {
			t.Fatal(err)
		}
	}
	second := drawn(t, p, 800)
	if err := p.Settle(t.Context(), second, budget.Amount{Money: 300, Tokens: 50}); err != nil {
		t.Fatal(err)
	}
	if o := spent(t, b, noon); o.Today != (budget.Sum{Money: 1000, Tokens: 90, Calls: 2}) {
		t.Errorf("two calls: %+v", o.Today)
	}
	if got := closed(t, p); got != 500 {
		t.Errorf("it took %d", got)
	}
	want := budget.Sum{Money: 500, Tokens: 90, Calls: 2}
	if o := spent(t, b, noon); o.Today != want || o.Running != (budget.Sum{}) {
		t.Errorf("closed: %+v, running %+v", o.Today, o.Running)
	}
	if closed(t, p) != 0 {
		t.Error("closed twice it took something")
	}
	// Closed, it is the budget.
	third := drawn(t, p, 70)
	if err := p.Settle(t.Context(), third, budget.Amount{Money: 60, Tokens: 10}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o := spent(t, again(t, db, budget.DefaultConfig()), noon); o.Today != (budget.Sum{Money: 560, Tokens: 100, Calls: 3}) {
		t.Errorf("after a restart: %+v", o.Today)
	}
}

// TestPurseAfterACrash leaves the cap debited.
func TestPurseAfterACrash(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.DefaultConfig())
	p := budget.NewPurse(b)
	open(t, p, 1000)
	if err := p.Settle(t.Context(), drawn(t, p, 600), budget.Amount{Money: 200, Tokens: 40}); err != nil {
		t.Fatal(err)
	}
	if o := spent(t, again(t, db, budget.DefaultConfig()), noon); o.Today.Money != 1000 || o.Today.Calls != 1 {
		t.Errorf("%+v", o.Today)
	}
}

// TestPurseOfFreeCalls debits no money, and a purse that was not used counts
// nothing.
func TestPurseOfFreeCalls(t *testing.T) {
	b, _ := opened(t, store.Memory, limits(func(c *budget.Config) { c.MoneyPerDay = 0 }))
	p := budget.NewPurse(b)
	open(t, p, 1000)
	if err := p.Settle(t.Context(), drawn(t, p, 0), budget.Amount{Tokens: 40}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Debit(t.Context(), charge("deliberation", noon, 10)); err == nil {
		t.Error("a day without money paid a call")
	}
	if closed(t, p) != 0 {
		t.Error("it took money")
	}
	if o := spent(t, b, noon); o.Today != (budget.Sum{Tokens: 40, Calls: 1}) {
		t.Errorf("%+v", o.Today)
	}
}

// TestPurseTakesWhatIsLeft is smaller where a limit has less, but not than its
// first call.
func TestPurseTakesWhatIsLeft(t *testing.T) {
	b, _ := opened(t, store.Memory, limits(func(c *budget.Config) { c.MoneyPerDay = 0.000_001 })) // 1000
	settle(t, b, debit(t, b, charge("watcher", noon, 700)), 700, 100)
	p := budget.NewPurse(b)
	open(t, p, 5000)
	ticket := drawn(t, p, 200)
	if o := spent(t, b, noon); o.Today.Money != 1000 {
		t.Errorf("%+v", o.Today)
	}
	if _, err := p.Debit(t.Context(), charge("deliberation", noon, 200)); err == nil {
		t.Error("it paid more than was left")
	}
	if err := p.Settle(t.Context(), ticket, budget.Amount{Money: 150}); err != nil {
		t.Fatal(err)
	}
	if closed(t, p) != 150 {
		t.Error("it took other than 150")
	}
	open(t, p, 5000)
	_, err := p.Debit(t.Context(), charge("deliberation", noon, 200))
	if refusal, ok := errors.AsType[*budget.Refusal](err); !ok || refusal.Limit != budget.MoneyPerDay {
		t.Errorf("150 are left for 200: %v", err)
	}
	if p.Open(t.Context(), charge("deliberation", noon, 1)) == nil {
		t.Error("it was opened twice")
	}
	closed(t, p)
	if o := spent(t, b, noon); o.Today.Money != 850 || o.Today.Calls != 2 {
		t.Errorf("%+v", o.Today)
	}
	open(t, p, 100)
	if _, err := p.Debit(t.Context(), charge("deliberation", noon, 101)); err == nil {
		t.Error("a call cost more than the cap")
	}
	closed(t, p)
}

// TestPurseOfLateCalls settles a call when its purse is closed: it counted at
// its worst, and counts nowhere else.
func TestPurseOfLateCalls(t *testing.T) {
	b, _ := opened(t, store.Memory, budget.DefaultConfig())
	p := budget.NewPurse(b)
	open(t, p, 1000)
	late := drawn(t, p, 600)
	if closed(t, p) != 600 {
		t.Error("what was not settled counts at its worst")
	}
	open(t, p, 1000)
	if err := p.Settle(t.Context(), late, budget.Amount{Money: 100, Tokens: 5}); err != nil {
		t.Fatal(err)
	}
	closed(t, p)
	if o := spent(t, b, noon); o.Today != (budget.Sum{Money: 600, Tokens: 5, Calls: 1}) {
		t.Errorf("%+v", o.Today)
	}
}

// TestPurseNeverTakesMore draws and settles at random: what is debited is never
// more than the cap while it is open, and exactly what was taken once it is
// closed.
func TestPurseNeverTakesMore(t *testing.T) {
	b, _ := opened(t, store.Memory, unlimited)
	rapid.Check(t, func(r *rapid.T) {
		before := spent(t, b, noon).Today.Money
		most := budget.Money(rapid.IntRange(0, 1000).Draw(r, "cap"))
		p := budget.NewPurse(b)
		open(t, p, most)
		took := budget.Money(0)
		for range rapid.IntRange(0, 12).Draw(r, "calls") {
			worst := budget.Money(rapid.IntRange(0, 500).Draw(r, "worst"))
			ticket, err := p.Debit(t.Context(), charge("deliberation", noon, worst))
			if err != nil {
				if worst <= most-took {
					r.Fatalf("%d of %d were taken, and %d were refused: %v", took, most, worst, err)
				}
				continue
			}
			actual := budget.Money(rapid.IntRange(0, int(worst)).Draw(r, "actual"))
			took += actual
			if err := p.Settle(t.Context(), ticket, budget.Amount{Money: actual, Tokens: 1}); err != nil {
				r.Fatal(err)
			}
			if now := spent(t, b, noon).Today.Money - before; now > most {
				r.Fatalf("%d are debited of %d", now, most)
			}
		}
		if got := closed(t, p); got != took || spent(t, b, noon).Today.Money-before != took {
			r.Fatalf("%d were taken, %d counted", took, got)
		}
	})
}
