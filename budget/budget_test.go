package budget_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	if path := os.Getenv("BUDGET_TEST_CHILD"); path != "" {
		os.Exit(runChild(path))
	}
	goleak.VerifyTestMain(m)
}

func database(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path}, budget.Migrations()...)
	return testutil.Opened(t, db, err)
}

func opened(t testing.TB, path string, config budget.Config) (*budget.Budget, *store.DB) {
	t.Helper()
	db := database(t, path)
	return again(t, db, config), db
}

// again opens the budget as after a crash: what was not written is gone.
func again(t testing.TB, db *store.DB, config budget.Config) *budget.Budget {
	t.Helper()
	b, err := budget.Open(t.Context(), db, config)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func charge(role string, at time.Time, worst budget.Money) budget.Charge {
	return budget.Charge{At: at, Tick: 7, Role: role, Provider: "groq", Model: "llama", Worst: budget.Amount{Money: worst, Tokens: 100}}
}

func debit(t testing.TB, b *budget.Budget, c budget.Charge) budget.Ticket {
	t.Helper()
	ticket, err := b.Debit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func settle(t testing.TB, b *budget.Budget, ticket budget.Ticket, money budget.Money, tokens int) {
	t.Helper()
	if err := b.Settle(t.Context(), ticket, budget.Amount{Money: money, Tokens: tokens}); err != nil {
		t.Fatal(err)
	}
}

// refused wants the charge to be refused, and returns why.
func refused(t testing.TB, b *budget.Budget, c budget.Charge) *budget.Refusal {
	t.Helper()
	ticket, err := b.Debit(t.Context(), c)
	var refusal *budget.Refusal
	if !errors.As(err, &refusal) || ticket != 0 {
		t.Fatalf("ticket %d, error %v; want a refusal", ticket, err)
	}
	return refusal
}

func spent(t testing.TB, b *budget.Budget, at time.Time) budget.Overview {
	t.Helper()
	o, err := b.Spent(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// limits returns the default limits, changed.
func limits(change func(*budget.Config)) budget.Config {
	c := budget.DefaultConfig()
	change(&c)
	return c
}

func TestWorstCaseFirst(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), limits(func(c *budget.Config) { c.MoneyPerDay = 0.10 }))
	ticket := debit(t, b, charge("watcher", noon, budget.Dollars(0.06)))
	// Before it is settled the worst case counts.
	r := refused(t, b, charge("oracle", noon, budget.Dollars(0.06)))
	want := &budget.Refusal{Limit: "money_per_day", Allowed: 1e8, Used: 6e7, Worst: 6e7, Until: time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	if got := r.Error(); got != "budget: money_per_day is used up until 11 March 00:00: $0.0600 of $0.1000 are counted and the call could take $0.0600; wait, or raise it" {
		t.Error(got)
	}
	settle(t, b, ticket, budget.Dollars(0.01), 40)
	// Settled, it counts what it took, at once.
	second := debit(t, b, charge("oracle", noon, budget.Dollars(0.06)))
	got := spent(t, b, noon)
	if want := (budget.Sum{Money: 7e7, Tokens: 140, Calls: 2}); got.Today != want || got.ThisMonth != want {
		t.Errorf("today %+v, this month %+v", got.Today, got.ThisMonth)
	}
	if want := (budget.Sum{Money: 6e7, Tokens: 100, Calls: 1}); got.Running != want || got.Lost != (budget.Sum{}) {
		t.Errorf("running %+v, lost %+v", got.Running, got.Lost)
	}
	if want := []budget.RoleSum{
		{Role: "oracle", Today: budget.Sum{Money: 6e7, Tokens: 100, Calls: 1}, ThisMonth: budget.Sum{Money: 6e7, Tokens: 100, Calls: 1}},
		{Role: "watcher", Today: budget.Sum{Money: 1e7, Tokens: 40, Calls: 1}, ThisMonth: budget.Sum{Money: 1e7, Tokens: 40, Calls: 1}},
	}; !cmp.Equal(got.Roles, want) {
		t.Error(cmp.Diff(want, got.Roles))
	}
	settle(t, b, second, 0, 0)
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// On disk it is the same.
	if after := spent(t, again(t, db, budget.DefaultConfig()), noon); after.Today != (budget.Sum{Money: 1e7, Tokens: 40, Calls: 2}) || after.Lost.Calls != 0 {
		t.Errorf("after a restart: %+v", after)
	}
}

func TestEachLimit(t *testing.T) {
	none := unlimited
	cent := budget.Dollars(0.01)
	for name, test := range map[string]struct {
		change func(*budget.Config)
		role   string // of the second call; the first is the watcher's
		spoil  func(*budget.Charge)
		limit  string // "" where it is let through
		until  string
	}{
		"none":                    {change: func(*budget.Config) {}, role: "watcher"},
		"money a day":             {change: func(c *budget.Config) { c.MoneyPerDay = 0.015 }, role: "oracle", limit: "money_per_day", until: "2026-03-11"},
		"money a month":           {change: func(c *budget.Config) { c.MoneyPerMonth = 0.015 }, role: "oracle", limit: "money_per_month", until: "2026-04-01"},
		"a month before a day":    {change: func(c *budget.Config) { c.MoneyPerMonth, c.MoneyPerDay = 0.015, 0.015 }, role: "oracle", limit: "money_per_month", until: "2026-04-01"},
		"exactly the money":       {change: func(c *budget.Config) { c.MoneyPerDay, c.MoneyPerMonth = 0.02, 0.02 }, role: "oracle"},
		"calls":                   {change: func(c *budget.Config) { c.CallsPerDay = 1 }, role: "oracle", limit: "calls_per_day", until: "2026-03-11"},
		"tokens":                  {change: func(c *budget.Config) { c.TokensPerDay = 199 }, role: "oracle", limit: "tokens_per_day", until: "2026-03-11"},
		"exactly the tokens":      {change: func(c *budget.Config) { c.TokensPerDay = 200 }, role: "oracle"},
		"exploration":             {change: func(c *budget.Config) { c.ExplorationCallsPerDay = 1 }, role: "watcher", limit: "exploration_calls_per_day", until: "2026-03-11"},
		"no exploration":          {change: func(c *budget.Config) { c.ExplorationCallsPerDay = 1 }, role: "watcher", spoil: func(c *budget.Charge) { c.Exploration = false }},
		"own money":               {change: own(budget.Thread{MoneyPerDay: 0.015, CallsPerDay: -1, TokensPerDay: -1}), role: "watcher", limit: "money_per_day", until: "2026-03-11"},
		"own calls":               {change: own(budget.Thread{MoneyPerDay: -1, CallsPerDay: 1, TokensPerDay: -1}), role: "watcher", limit: "calls_per_day", until: "2026-03-11"},
		"own tokens":              {change: own(budget.Thread{MoneyPerDay: -1, CallsPerDay: -1, TokensPerDay: 150}), role: "watcher", limit: "tokens_per_day", until: "2026-03-11"},
		"another's calls":         {change: own(budget.Thread{MoneyPerDay: -1, CallsPerDay: 1, TokensPerDay: -1}), role: "oracle"},
		"free, with money used":   {change: func(c *budget.Config) { c.MoneyPerDay, c.MoneyPerMonth = 0.01, 0.01 }, role: "oracle", spoil: free},
		"free, counted as a call": {change: func(c *budget.Config) { c.CallsPerDay = 1 }, role: "oracle", spoil: free, limit: "calls_per_day", until: "2026-03-11"},
		"the next day": {change: func(c *budget.Config) {
			c.MoneyPerDay, c.CallsPerDay, c.TokensPerDay, c.ExplorationCallsPerDay = 0.01, 1, 100, 1
		}, role: "watcher", spoil: later(24 * time.Hour)},
		"the month's next day": {change: func(c *budget.Config) { c.MoneyPerMonth = 0.015 }, role: "watcher", spoil: later(24 * time.Hour), limit: "money_per_month", until: "2026-04-01"},
		"the next month":       {change: func(c *budget.Config) { c.MoneyPerMonth = 0.015 }, role: "watcher", spoil: later(30 * 24 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			config := none
			test.change(&config)
			b, _ := opened(t, store.Memory, config)
			first, second := charge("watcher", noon, cent), charge(test.role, noon, cent)
			first.Exploration, second.Exploration = true, true
			if test.spoil != nil {
				test.spoil(&second)
			}
			settle(t, b, debit(t, b, first), cent, 100)
			if test.limit == "" {
				debit(t, b, second)
				return
			}
			r := refused(t, b, second)
			if r.Limit != test.limit || r.Until.Format(time.DateOnly) != test.until || r.Until.Hour() != 0 {
				t.Errorf("%+v, want %s until %s", r, test.limit, test.until)
			}
		})
	}
}

func own(t budget.Thread) func(*budget.Config) {
	t.ID = "watcher"
	return func(c *budget.Config) { c.Threads = []budget.Thread{t} }
}

func free(c *budget.Charge) { c.Worst.Money = 0 }

func later(d time.Duration) func(*budget.Charge) {
	return func(c *budget.Charge) { c.At = c.At.Add(d) }
}

func TestZeroLetsNothingThrough(t *testing.T) {
	for name, change := range map[string]func(*budget.Config){
		"money_per_day":             func(c *budget.Config) { c.MoneyPerDay = 0 },
		"money_per_month":           func(c *budget.Config) { c.MoneyPerMonth = 0 },
		"calls_per_day":             func(c *budget.Config) { c.CallsPerDay = 0 },
		"tokens_per_day":            func(c *budget.Config) { c.TokensPerDay = 0 },
		"exploration_calls_per_day": func(c *budget.Config) { c.ExplorationCallsPerDay = 0 },
	} {
		config := unlimited
		change(&config)
		b, _ := opened(t, store.Memory, config)
		c := charge("watcher", noon, 1)
		c.Exploration = true
		r := refused(t, b, c)
		if r.Limit != name || !r.Until.IsZero() || !strings.Contains(r.Error(), name+" is 0") {
			t.Errorf("%s: %v", name, r)
		}
		for _, l := range spent(t, b, noon).Limits {
			if (l.Name == name) != l.Exhausted || l.Name == name && (l.Refused != 1 || l.Left != 0 || !l.Until.IsZero()) {
				t.Errorf("%s is shown as %+v", l.Name, l)
			}
		}
	}
}

func TestFreeCallsPassLimitsOfMoney(t *testing.T) {
	b, _ := opened(t, store.Memory, limits(func(c *budget.Config) {
		c.MoneyPerDay, c.MoneyPerMonth = 0, 0
		c.Threads = []budget.Thread{{ID: "watcher", MoneyPerDay: 0, CallsPerDay: 2, TokensPerDay: -1}}
	}))
	for range 2 {
		settle(t, b, debit(t, b, charge("watcher", noon, 0)), 0, 60)
	}
	if r := refused(t, b, charge("watcher", noon, 0)); r.Limit != budget.CallsPerDay || r.Role != "watcher" {
		t.Errorf("%+v", r)
	}
	if o := spent(t, b, noon); o.Today != (budget.Sum{Tokens: 120, Calls: 2}) {
		t.Errorf("%+v", o.Today)
	}
}

func TestOneCallOverTheWholeLimit(t *testing.T) {
	b, _ := opened(t, store.Memory, limits(func(*budget.Config) {}))
	r := refused(t, b, charge("chat", noon, budget.Dollars(1.5)))
	if !r.Until.IsZero() || r.Error() != "budget: one call could take $1.5000, more than the $1.0000 that money_per_day allows; raise it, or let the role give out fewer tokens" {
		t.Errorf("%+v: %v", r, r)
	}
	// What cannot be counted is refused, too, and counts nothing.
	r = refused(t, b, charge("chat", noon, math.MaxInt64))
	if r.Limit != "money_per_month" {
		t.Errorf("%+v", r)
	}
	if o := spent(t, b, noon); o.Today != (budget.Sum{}) {
		t.Errorf("%+v", o.Today)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	until := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		refusal budget.Refusal
		want    string
	}{
		{budget.Refusal{Limit: budget.CallsPerDay, Role: "oracle", Allowed: 12, Used: 12, Worst: 1, Until: until},
			"budget: calls_per_day of oracle is used up until 11 March 00:00: it is 12; wait, or raise it"},
		{budget.Refusal{Limit: budget.ExplorationCallsPerDay, Allowed: 4, Used: 4, Worst: 1, Until: until},
			"budget: exploration_calls_per_day is used up until 11 March 00:00: it is 4; wait, or raise it"},
		{budget.Refusal{Limit: budget.TokensPerDay, Allowed: 5000, Used: 4500, Worst: 600, Until: until},
			"budget: tokens_per_day is used up until 11 March 00:00: 4500 tokens of 5000 tokens are counted and the call could take 600 tokens; wait, or raise it"},
		{budget.Refusal{Limit: budget.MoneyPerDay, Role: "chat", Worst: 600},
			"budget: money_per_day of chat is 0 and lets no call through; raise it to allow some"},
	} {
		if got := test.refusal.Error(); got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}

func TestMoreThanTheWorstIsCounted(t *testing.T) {
	b, _ := opened(t, store.Memory, limits(func(c *budget.Config) { c.MoneyPerDay = 0.10 }))
	settle(t, b, debit(t, b, charge("watcher", noon, 1000)), budget.Dollars(0.12), 700)
	refused(t, b, charge("watcher", noon, 1))
	o := spent(t, b, noon)
	if o.Today.Money != budget.Dollars(0.12) || o.Today.Tokens != 700 {
		t.Errorf("%+v", o.Today)
	}
	for _, l := range o.Limits {
		if l.Name == budget.MoneyPerDay && (l.Left != 0 || !l.Exhausted || l.Used != 12e7 || l.Until.IsZero()) {
			t.Errorf("%+v", l)
		}
	}
}

func TestSettleOnce(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.DefaultConfig())
	ticket := debit(t, b, charge("watcher", noon, 1000))
	settle(t, b, ticket, 400, 10)
	settle(t, b, ticket, 900, 90)
	// The next debit writes it; from then on the database knows.
	debit(t, b, charge("watcher", noon, 1000))
	settle(t, b, ticket, 900, 90)
	if o := spent(t, b, noon); o.Today.Money != 1400 {
		t.Errorf("%v", o.Today.Money)
	}
	if err := b.Settle(t.Context(), 99, budget.Amount{}); !errors.Is(err, budget.ErrTicket) {
		t.Errorf("an unknown ticket: %v", err)
	}
	if err := b.Settle(t.Context(), ticket+1, budget.Amount{Money: -1}); err == nil {
		t.Error("less than nothing was taken")
	}
	// After a crash the ticket is still good, once.
	b = again(t, db, budget.DefaultConfig())
	if o := spent(t, b, noon); o.Today.Money != 1400 || o.Lost != (budget.Sum{Money: 1000, Tokens: 100, Calls: 1}) || o.Running.Calls != 0 {
		t.Errorf("after a crash: %+v", o)
	}
	for range 2 {
		settle(t, b, ticket+1, 0, 0)
		if o := spent(t, b, noon); o.Today.Money != 400 || o.Lost.Calls != 0 {
			t.Errorf("settled late: %+v", o)
		}
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return b.Flush(t.Context(), tx) }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACrashLeavesTheWorstCase(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), limits(func(c *budget.Config) { c.MoneyPerDay = 0.10 }))
	debit(t, b, charge("watcher", noon, budget.Dollars(0.04)))
	settled := debit(t, b, charge("oracle", noon, budget.Dollars(0.05)))
	// Settled, but not written.
	settle(t, b, settled, 0, 0)
	b = again(t, db, limits(func(c *budget.Config) { c.MoneyPerDay = 0.10 }))
	refused(t, b, charge("watcher", noon, budget.Dollars(0.02)))
	o := spent(t, b, noon)
	if want := (budget.Sum{Money: budget.Dollars(0.09), Tokens: 200, Calls: 2}); o.Today != want || o.Lost != want {
		t.Errorf("today %+v, lost %+v", o.Today, o.Lost)
	}
	// It is shown for its month.
	if o = spent(t, b, noon.AddDate(0, 0, 15)); o.Lost.Calls != 2 || o.Today.Calls != 0 {
		t.Errorf("later: %+v", o)
	}
	if o = spent(t, b, noon.AddDate(0, 1, 0)); o.Lost.Calls != 0 || o.ThisMonth.Calls != 0 {
		t.Errorf("a month later: %+v", o)
	}
}

func TestFlush(t *testing.T) {
	for _, place := range []string{store.Memory, filepath.Join(t.TempDir(), "mind.db")} {
		b, db := opened(t, place, budget.DefaultConfig())
		settle(t, b, debit(t, b, charge("watcher", noon, 1000)), 400, 10)
		flush := func(fail error) {
			t.Helper()
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return errors.Join(b.Flush(t.Context(), tx), fail) }); !errors.Is(err, fail) {
				t.Fatal(err)
			}
		}
		onDisk := func(money budget.Money) {
			t.Helper()
			if o := spent(t, again(t, db, budget.DefaultConfig()), noon); o.Today.Money != money {
				t.Errorf("on disk are %v, want %v", o.Today.Money, money)
			}
		}
		flush(errors.New("the tick failed"))
		onDisk(1000)
		flush(nil)
		onDisk(400)
		flush(nil)
		flush(nil)
		debit(t, b, charge("watcher", noon, 1000))
		onDisk(1400)
	}
}

// What a tick has written is not counted again when the day turns.
func TestFlushedBeforeTheDayTurns(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.DefaultConfig())
	flushed, not := debit(t, b, charge("watcher", noon, 1000)), debit(t, b, charge("watcher", noon, 1000))
	settle(t, b, flushed, 400, 10)
	if err := db.Write(t.Context(), func(tx *store.Tx) error { return b.Flush(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
	settle(t, b, not, 300, 10)
	next := noon.AddDate(0, 0, 1)
	debit(t, b, charge("watcher", next, 1000))
	for _, b := range []*budget.Budget{b, again(t, db, budget.DefaultConfig())} {
		if o := spent(t, b, next); o.ThisMonth != (budget.Sum{Money: 1700, Tokens: 120, Calls: 3}) || o.Today.Money != 1000 {
			t.Errorf("%+v", o)
		}
	}
}

func TestClose(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.DefaultConfig())
	settle(t, b, debit(t, b, charge("watcher", noon, 1000)), 400, 10)
	for range 2 {
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Debit(t.Context(), charge("watcher", noon, 1000)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a debit after Close: %v", err)
	}
	if o := spent(t, again(t, db, budget.DefaultConfig()), noon); o.Today.Money != 400 {
		t.Errorf("%+v", o.Today)
	}
}

func TestDebitRefusesNonsense(t *testing.T) {
	b, db := opened(t, filepath.Join(t.TempDir(), "mind.db"), budget.DefaultConfig())
	for name, spoil := range map[string]func(*budget.Charge){
		"no time":         func(c *budget.Charge) { c.At = time.Time{} },
		"a wild clock":    func(c *budget.Charge) { c.At = c.At.AddDate(1000, 0, 0) },
		"no role":         func(c *budget.Charge) { c.Role = "" },
		"negative money":  func(c *budget.Charge) { c.Worst.Money = -1 },
		"negative tokens": func(c *budget.Charge) { c.Worst.Tokens = -1 },
	} {
		c := charge("watcher", noon, 10)
		spoil(&c)
		if ticket, err := b.Debit(t.Context(), c); err == nil || ticket != 0 {
			t.Errorf("%s: let through", name)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Debit(ended, charge("watcher", noon, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context ended: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// What cannot be written is not let through, and counts nothing.
	for range 2 {
		if ticket, err := b.Debit(t.Context(), charge("watcher", noon, 10)); store.CodeOf(err) != store.CodeClosed || ticket != 0 {
			t.Errorf("without a database: ticket %d, %v", ticket, err)
		}
	}
}

func TestOpenTakesLimits(t *testing.T) {
	threads := []budget.Thread{budget.DefaultThread("watcher")}
	b, _ := opened(t, store.Memory, limits(func(c *budget.Config) { c.Threads = threads }))
	threads[0].CallsPerDay = 0 // the caller's own
	debit(t, b, charge("watcher", noon, 10))
	for _, c := range []budget.Config{{MoneyPerDay: math.NaN()}, {CallsPerDay: -7}} {
		if _, err := budget.Open(t.Context(), nil, c); err == nil {
			t.Error("opened with limits that are none")
		}
	}
}
