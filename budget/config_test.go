package budget_test

import (
	"math"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/budget"
)

func TestDefaultsAreValid(t *testing.T) {
	config := budget.DefaultConfig()
	for _, role := range budget.Roles() {
		config.Threads = append(config.Threads, budget.DefaultThread(role))
	}
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
	if err := (budget.Config{}).Validate(); err != nil {
		t.Errorf("nothing is allowed: %v", err)
	}
}

func TestValidate(t *testing.T) {
	thread := budget.DefaultThread
	for want, spoil := range map[string]func(*budget.Config){
		"money_per_day: is -0.5, must be 0 to 10000 dollars, or -1 for no limit":             func(c *budget.Config) { c.MoneyPerDay = -0.5 },
		"money_per_day: is NaN, must be 0 to 10000 dollars, or -1 for no limit":              func(c *budget.Config) { c.MoneyPerDay = math.NaN() },
		"money_per_month: is +Inf, must be 0 to 10000 dollars, or -1 for no limit":           func(c *budget.Config) { c.MoneyPerMonth = math.Inf(1) },
		"calls_per_day: is -2, must be 0 to 1000000000, or -1 for no limit":                  func(c *budget.Config) { c.CallsPerDay = -2 },
		"tokens_per_day: is 1000000001, must be 0 to 1000000000, or -1 for no limit":         func(c *budget.Config) { c.TokensPerDay = 1_000_000_001 },
		"exploration_calls_per_day: is -4, must be 0 to 1000000000, or -1 for no limit":      func(c *budget.Config) { c.ExplorationCallsPerDay = -4 },
		`threads[0].id: "" is none of watcher, librarian`:                                    func(c *budget.Config) { c.Threads = []budget.Thread{thread("")} },
		`threads[1].id: "chat" is there twice`:                                               func(c *budget.Config) { c.Threads = []budget.Thread{thread("chat"), thread("chat")} },
		"threads[0].calls_per_day: is -9, must be 0 to 1000000000":                           func(c *budget.Config) { c.Threads = []budget.Thread{{ID: "fast", CallsPerDay: -9}} },
		"threads[0].money_per_day: is 20000, must be 0 to 10000 dollars, or -1 for no limit": func(c *budget.Config) { c.Threads = []budget.Thread{{ID: "fast", MoneyPerDay: 20_000}} },
	} {
		config := budget.DefaultConfig()
		spoil(&config)
		err := config.Validate()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// All of them at once, in the order of the fields.
	all := budget.Config{MoneyPerDay: -3, MoneyPerMonth: -3, CallsPerDay: -3, TokensPerDay: -3, ExplorationCallsPerDay: -3, Threads: []budget.Thread{{ID: "x", TokensPerDay: -3}}}
	var keys []string
	for line := range strings.Lines(all.Validate().Error()) {
		key, _, _ := strings.Cut(line, ":")
		keys = append(keys, key)
	}
	if got := strings.Join(keys, " "); got != "money_per_day money_per_month calls_per_day tokens_per_day exploration_calls_per_day threads[0].id threads[0].tokens_per_day" {
		t.Error(got)
	}
}

func TestMoney(t *testing.T) {
	for dollars, want := range map[float64]budget.Money{0: 0, 1: budget.Dollar, 0.1: 1e8, 0.3: 3e8, 1e-10: 1, 20: 20 * budget.Dollar,
		math.Inf(1): math.MaxInt64, 1e300: math.MaxInt64} {
		if got := budget.Dollars(dollars); got != want {
			t.Errorf("Dollars(%v) is %d, want %d", dollars, got, want)
		}
	}
	if got := budget.Dollars(math.NaN()); got != math.MaxInt64 {
		t.Errorf("not a number is %d", got)
	}
	if got := budget.Money(123_456_789).String(); got != "$0.1235" {
		t.Error(got)
	}
}
