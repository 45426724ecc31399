package budget_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/store"
)

func number(m budget.Money) string { return fmt.Sprint(int64(m)) }

// scalar reads one number; rapid's test has no context of its own.
func scalar(t interface{ Fatal(...any) }, db *store.DB, query string, args ...any) (n int64) {
	ctx := context.Background()
	if err := db.Read(ctx, func(tx *store.Tx) error { return tx.QueryRowContext(ctx, query, args...).Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// world is a budget, the database under it, and what the provider was paid.
type world struct {
	b      *budget.Budget
	db     *store.DB
	config budget.Config
	at     time.Time
	// open are tickets of calls that are being made, settled others; paid is
	// what the calls took, by the day in which they were made.
	open, settled map[budget.Ticket]budget.Money
	calls         int
}

var travels = []*time.Location{time.UTC, time.FixedZone("", 9*3600), time.FixedZone("", -10*3600), time.FixedZone("", 14*3600)}

// Whatever is debited, settled, flushed, lost in crashes, and whatever the
// clock and the zone do, no day and no month counts more than its limit, and
// what is shown is what is there.
func TestNeverOverALimit(t *testing.T) {
	db := database(t, store.Memory)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		if err := db.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM budget_charges; DELETE FROM budget_days; DELETE FROM budget_carried; DELETE FROM budget_now")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		w := &world{db: db, at: noon, open: map[budget.Ticket]budget.Money{}, settled: map[budget.Ticket]budget.Money{},
			config: budget.Config{MoneyPerDay: 1e-7, MoneyPerMonth: 3e-7, CallsPerDay: 8, TokensPerDay: -1, ExplorationCallsPerDay: 2,
				Threads: []budget.Thread{{ID: "oracle", MoneyPerDay: 0.4e-7, CallsPerDay: 3, TokensPerDay: -1}}}}
		w.start(t)
		t.Repeat(map[string]func(*rapid.T){"": w.check, "debit": w.debit, "settle": w.settle, "settle again": w.settleAgain,
			"flush": w.flush, "crash": w.crash, "clock": w.clock, "zone": w.zone})
	})
}

func (w *world) start(t *rapid.T) {
	b, err := budget.Open(context.Background(), w.db, w.config)
	if err != nil {
		t.Fatal(err)
	}
	w.b = b
}

func (w *world) debit(t *rapid.T) {
	c := charge(rapid.SampledFrom([]string{"watcher", "oracle", "chat"}).Draw(t, "role"), w.at, budget.Money(rapid.IntRange(0, 60).Draw(t, "worst")))
	c.Exploration = rapid.Bool().Draw(t, "exploration")
	ticket, err := w.b.Debit(context.Background(), c)
	var refusal *budget.Refusal
	switch {
	case err == nil:
		w.open[ticket] = c.Worst.Money
		w.calls++
	case !errors.As(err, &refusal):
		t.Fatal(err)
	case refusal.Worst <= refusal.Allowed-refusal.Used:
		t.Fatalf("refused although there is room: %+v", refusal)
	case !refusal.Until.IsZero() && !refusal.Until.After(w.at):
		t.Fatalf("refused at %s until %s", w.at, refusal.Until)
	}
}

func (w *world) settle(t *rapid.T) {
	if len(w.open) == 0 {
		t.Skip("nothing is open")
	}
	ticket := rapid.SampledFrom(tickets(w.open)).Draw(t, "ticket")
	actual := budget.Money(rapid.IntRange(0, int(w.open[ticket])).Draw(t, "actual"))
	if err := w.b.Settle(context.Background(), ticket, budget.Amount{Money: actual, Tokens: 50}); err != nil {
		t.Fatal(err)
	}
	delete(w.open, ticket)
	w.settled[ticket] = actual
}

func (w *world) settleAgain(t *rapid.T) {
	if len(w.settled) == 0 {
		t.Skip("nothing is settled")
	}
	before := w.spent(t)
	ticket := rapid.SampledFrom(tickets(w.settled)).Draw(t, "ticket")
	if err := w.b.Settle(context.Background(), ticket, budget.Amount{Money: 1000}); err != nil {
		t.Fatal(err)
	}
	if after := w.spent(t); after.Today != before.Today || after.ThisMonth != before.ThisMonth {
		t.Fatalf("settled again: %+v, before %+v", after, before)
	}
}

func tickets(from map[budget.Ticket]budget.Money) []budget.Ticket {
	var list []budget.Ticket
	for ticket := budget.Ticket(0); len(list) < len(from); ticket++ {
		if _, ok := from[ticket]; ok {
			list = append(list, ticket)
		}
	}
	return list
}

func (w *world) flush(t *rapid.T) {
	fail := rapid.SampledFrom([]error{nil, errors.New("the tick failed")}).Draw(t, "failure")
	ctx := context.Background()
	if err := w.db.Write(ctx, func(tx *store.Tx) error { return errors.Join(w.b.Flush(ctx, tx), fail) }); !errors.Is(err, fail) {
		t.Fatal(err)
	}
}

// crash forgets what is not on disk: settlements go back to the worst case,
// and calls that were being made are never settled.
func (w *world) crash(t *rapid.T) {
	w.start(t)
	w.open = map[budget.Ticket]budget.Money{}
	for ticket := range w.settled {
		if scalar(t, w.db, "SELECT state = 'open' FROM budget_charges WHERE id = ?", int64(ticket)) == 1 {
			delete(w.settled, ticket)
		}
	}
}

func (w *world) clock(t *rapid.T) {
	w.at = w.at.Add(rapid.SampledFrom([]time.Duration{time.Minute, 5 * time.Hour, 24 * time.Hour, 9 * 24 * time.Hour, 4000 * 24 * time.Hour,
		-time.Minute, -5 * time.Hour, -24 * time.Hour, -40 * 24 * time.Hour}).Draw(t, "jump"))
	if w.at.Year() < 2020 || w.at.Year() > 2100 {
		w.at = noon.In(w.at.Location())
	}
}

func (w *world) zone(t *rapid.T) { w.at = w.at.In(rapid.SampledFrom(travels).Draw(t, "zone")) }

func (w *world) spent(t *rapid.T) budget.Overview {
	o, err := w.b.Spent(context.Background(), w.at)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// check compares what is shown with what the charges say: on disk, less what
// is settled and not written.
func (w *world) check(t *rapid.T) {
	checkSums(t, w.db, 100, 300)
	if n := scalar(t, w.db, `SELECT count(*) FROM (SELECT 1 FROM budget_charges GROUP BY day HAVING count(*) > 8 OR sum(exploration) > 2
		UNION ALL SELECT 1 FROM budget_charges WHERE role = 'oracle' GROUP BY day HAVING count(*) > 3 OR sum(coalesce(money, worst_money)) > 40)`); n != 0 {
		t.Fatal("a day is over a limit of calls, of exploration or of the oracle")
	}
	if n := scalar(t, w.db, "SELECT count(*) FROM budget_charges"); int(n) != w.calls {
		t.Fatalf("%d charges on disk, %d calls were made", n, w.calls)
	}
	o := w.spent(t)
	money := scalar(t, w.db, "SELECT coalesce(sum(coalesce(money, worst_money)), 0) FROM budget_charges WHERE day = ?", o.Day)
	for ticket, actual := range w.settled {
		money += scalar(t, w.db, "SELECT iif(state = 'open' AND day = ?, ? - worst_money, 0) FROM budget_charges WHERE id = ?", o.Day, int64(actual), int64(ticket))
	}
	if o.Today.Money != budget.Money(money) || o.Running.Calls != len(w.open) {
		t.Fatalf("shown are %d and %d calls running, there are %d and %d", o.Today.Money, o.Running.Calls, money, len(w.open))
	}
}

// Sixteen goroutines make calls at once, some of them on either side of a
// midnight. What they know to be taken is never over the limit, at no moment,
// and in the end the sums are exact.
func TestManyAtOnce(t *testing.T) {
	for name, days := range map[string][]time.Time{"one day": {noon}, "two days": {noon, noon.Add(12 * time.Hour)}} {
		t.Run(name, func(t *testing.T) { manyAtOnce(t, days) })
	}
}

// account is what the callers know of a day.
type account struct{ taken, calls atomic.Int64 }

func manyAtOnce(t *testing.T, days []time.Time) {
	const limit = 5000
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.Config{MoneyPerDay: limit * 1e-9, MoneyPerMonth: -1, CallsPerDay: -1, TokensPerDay: -1})
	var group sync.WaitGroup
	accounts := make([]account, len(days))
	for n := range 16 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			for range 40 {
				day := random.IntN(len(days))
				if err := call(t.Context(), b, days[day], random, &accounts[day], limit); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Go(func() {
		for range 20 {
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return b.Flush(t.Context(), tx) }); err != nil {
				t.Error(err)
			}
		}
	})
	group.Wait()
	check := func(b *budget.Budget, what string) {
		t.Helper()
		for i := range days {
			a := &accounts[i]
			want := budget.Sum{Money: budget.Money(a.taken.Load()), Tokens: int(a.calls.Load()) * 10, Calls: int(a.calls.Load())}
			if o := spent(t, b, days[i]); o.Today != want || o.Running.Calls != 0 || o.Lost.Calls != 0 || want.Calls < 10 {
				t.Errorf("%s: %+v, want %+v", what, o.Today, want)
			}
		}
	}
	check(b, "shown")
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkSums(t, db, limit, limit*2)
	check(again(t, db, budget.DefaultConfig()), "on disk")
}

// call makes one call, if it is let through.
func call(ctx context.Context, b *budget.Budget, at time.Time, random *rand.Rand, a *account, limit int64) error {
	worst := 1 + random.Int64N(300)
	ticket, err := b.Debit(ctx, charge("watcher", at, budget.Money(worst)))
	var refusal *budget.Refusal
	if errors.As(err, &refusal) {
		return nil
	}
	if err != nil {
		return err
	}
	a.calls.Add(1)
	if now := a.taken.Add(worst); now > limit {
		return fmt.Errorf("%d are taken", now)
	}
	actual := random.Int64N(worst + 1)
	// What is given back is the caller's no more before it is the budget's.
	a.taken.Add(actual - worst)
	if err := b.Settle(ctx, ticket, budget.Amount{Money: budget.Money(actual), Tokens: 10}); err != nil {
		return err
	}
	_, err = b.Spent(ctx, at)
	return err
}
