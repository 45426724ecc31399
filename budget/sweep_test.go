package budget_test

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/store"
)

// Two years of four calls a day: charges of 400 days stay, sums of all.
func TestOldChargesGo(t *testing.T) {
	b, db := opened(t, store.Memory, budget.DefaultConfig())
	const days = 730
	at := noon
	most := int64(0)
	for n := range days {
		at = noon.AddDate(0, 0, n)
		for hour := range 4 {
			settle(t, b, debit(t, b, charge("watcher", at.Add(time.Duration(hour)*time.Minute), 1000)), 400, 10)
		}
		most = max(most, scalar(t, db, "SELECT count(*) FROM budget_charges"))
	}
	if most < 400*4 || most > 406*4 {
		t.Errorf("at most %d charges were kept, want those of 400 days", most)
	}
	if n := scalar(t, db, "SELECT count(*) FROM budget_days"); n != days {
		t.Errorf("sums of %d days", n)
	}
	// After years without a call the newest ticket is not given again.
	last := debit(t, b, charge("watcher", at, 1000))
	later := at.AddDate(5, 0, 0)
	for range 300 {
		settle(t, b, debit(t, b, charge("watcher", later, 0)), 0, 0)
	}
	if n := scalar(t, db, "SELECT count(*) FROM budget_charges"); n != 300 {
		t.Errorf("%d charges are left", n)
	}
	if next := debit(t, b, charge("watcher", later, 0)); next != last+301 {
		t.Errorf("ticket %d after %d", next, last)
	}
}
