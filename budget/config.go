package budget

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Config are hard limits. Money is in US dollars; a limit of 0 lets nothing
// through, and of -1 is none, but for those of attention.
type Config struct {
	MoneyPerDay            float64 `mapstructure:"money_per_day" about:"US dollars a day, in the time zone."`
	MoneyPerMonth          float64 `mapstructure:"money_per_month" about:"US dollars a calendar month."`
	CallsPerDay            int     `mapstructure:"calls_per_day" about:"Calls to models a day."`
	TokensPerDay           int     `mapstructure:"tokens_per_day" about:"Tokens a day, taken in and given out."`
	ExplorationCallsPerDay int     `mapstructure:"exploration_calls_per_day" about:"How often a day threads may ask a model although nothing in their field is new; 0: never."`
	// NotificationsPerDay and EscalationsPerHour are how often the person may
	// be told, NoticesPerDay how often the daemon may speak of itself. The gate
	// keeps them (package escalate), and they are never without limit.
	NotificationsPerDay int      `mapstructure:"notifications_per_day" about:"How often a day you may be told, digests and reminders included: 0 to 200."`
	EscalationsPerHour  int      `mapstructure:"escalations_per_hour" about:"How often within 60 minutes you may be told: 0 to 200."`
	NoticesPerDay       int      `mapstructure:"notices_per_day" about:"How often a day the daemon may tell you of its own troubles: 0 to 200."`
	Threads             []Thread `mapstructure:"threads" about:"Limits for one thread or role, beside those of all."`
}

// Thread are the limits of one thread or role.
type Thread struct {
	ID           string  `mapstructure:"id" about:"A thread or another role: watcher, librarian, oracle, dreamer, chat, deliberation, …"`
	MoneyPerDay  float64 `mapstructure:"money_per_day" about:"US dollars a day; left out: no limit of its own."`
	CallsPerDay  int     `mapstructure:"calls_per_day" about:"Calls to models a day; left out: no limit of its own."`
	TokensPerDay int     `mapstructure:"tokens_per_day" about:"Tokens a day; left out: no limit of its own."`
}

// Bounds of what may be configured: more is a slip of the keyboard.
const (
	maxMoney = 10_000
	maxCount = 1_000_000_000
	maxTold  = 200 // times a day that a person is told
)

// DefaultConfig returns what holds where the configuration is silent.
func DefaultConfig() Config {
	return Config{MoneyPerDay: 1, MoneyPerMonth: 20, CallsPerDay: 2000, TokensPerDay: 5_000_000, ExplorationCallsPerDay: 4,
		NotificationsPerDay: 12, EscalationsPerHour: 3, NoticesPerDay: 3}
}

// DefaultThread returns the limits of a thread that sets none: none. Fill it,
// so that a limit that is left out is not one of 0.
func DefaultThread(id string) Thread {
	return Thread{ID: id, MoneyPerDay: -1, CallsPerDay: -1, TokensPerDay: -1}
}

// Roles are those that may have limits of their own: the threads, then the
// others that ask models.
func Roles() []string {
	return []string{"watcher", "librarian", "oracle", "dreamer",
		"chat", "fast", "reasoning", "extraction", "synthesis", "deliberation", "embedding"}
}

// Validate names every setting that cannot be used, in the order of the fields.
func (c Config) Validate() error {
	problems := []error{
		within("money_per_day", c.MoneyPerDay, maxMoney, dollars), within("money_per_month", c.MoneyPerMonth, maxMoney, dollars),
		within("calls_per_day", c.CallsPerDay, maxCount, counted), within("tokens_per_day", c.TokensPerDay, maxCount, counted),
		within("exploration_calls_per_day", c.ExplorationCallsPerDay, maxCount, counted),
		within("notifications_per_day", c.NotificationsPerDay, maxTold, attention), within("escalations_per_hour", c.EscalationsPerHour, maxTold, attention),
		within("notices_per_day", c.NoticesPerDay, maxTold, attention),
	}
	for i, t := range c.Threads {
		key := fmt.Sprintf("threads[%d].", i)
		same := func(other Thread) bool { return other.ID == t.ID }
		switch {
		case !slices.Contains(Roles(), t.ID):
			problems = append(problems, fmt.Errorf("%sid: %q is none of %s", key, t.ID, strings.Join(Roles(), ", ")))
		case slices.IndexFunc(c.Threads, same) != i:
			problems = append(problems, fmt.Errorf("%sid: %q is there twice", key, t.ID))
		}
		problems = append(problems, within(key+"money_per_day", t.MoneyPerDay, maxMoney, dollars),
			within(key+"calls_per_day", t.CallsPerDay, maxCount, counted), within(key+"tokens_per_day", t.TokensPerDay, maxCount, counted))
	}
	return errors.Join(problems...)
}

// within refuses what is more than most, or less than nothing; a NaN fails every
// comparison. Attention alone has a limit always.
func within[T int | float64](key string, n T, most int, unit string) error {
	if n >= 0 && float64(n) <= float64(most) || n == -1 && unit != attention {
		return nil
	}
	return fmt.Errorf("%s: is %v, must be 0 to %d%s", key, n, most, unit)
}

// What is behind a bound in an error.
const (
	dollars   = " dollars, or -1 for no limit"
	counted   = ", or -1 for no limit"
	attention = ""
)
