// Package budget keeps hard limits on money, tokens and calls, for a day, a
// month and a thread. What a call may take at worst is debited before it is
// made and settled after it, so that a crash in between leaves the worst case
// spent, and no limit is ever exceeded.
//
// It stores the tables budget_charges, budget_days, budget_now and
// budget_carried. The decorator of models calls it around every call to a
// model, the daemon flushes it with each tick; status and report read it.
package budget

import (
	"fmt"
	"math"
	"time"
)

// Amount is what a call takes.
type Amount struct {
	Money  Money
	Tokens int
	// Unmade, when settling: the call was not made after all, and counts
	// against no limit.
	Unmade bool
}

// Charge is a call that is about to be made.
type Charge struct {
	// At is now, in the mind's zone: its local day and month are charged.
	At time.Time
	// Tick is the tick that it is made for, 0 outside one.
	Tick            int64
	Role            string // watcher, chat, deliberation, …
	Provider, Model string
	// Exploration: it counts against the exploration allowance too.
	Exploration bool
	// Worst is the most that the call, all its attempts together, can take. A
	// call that is free has no money in it, and passes the limits of money.
	Worst Amount

	// purse: it is the money of several calls, and itself no call.
	purse bool
}

// Ticket names a debit until it is settled.
type Ticket int64

// The limits, as the configuration names them.
const (
	MoneyPerDay            = "money_per_day"
	MoneyPerMonth          = "money_per_month"
	CallsPerDay            = "calls_per_day"
	TokensPerDay           = "tokens_per_day"
	ExplorationCallsPerDay = "exploration_calls_per_day"
	// PurseMoney is what is in an open purse: no limit of a time.
	PurseMoney = "purse_money"
)

// Refusal is the error of Debit where a limit has no room for a call.
type Refusal struct {
	Limit string // one of the names above
	Role  string // whose limit it is, "" for that of all
	// Allowed is the limit, Used what counts against it, and Worst what the
	// call could take of it; billionths of a dollar where the limit is money.
	Allowed, Used, Worst int64
	// Until is when the limit counts anew. It is zero where waiting changes
	// nothing, since a single such call is more than is allowed.
	Until time.Time
}

// Error says in words what is used up, until when, and what to do.
func (r *Refusal) Error() string {
	key := r.Limit
	if r.Role != "" {
		key += " of " + r.Role
	}
	switch {
	case r.Limit == PurseMoney:
		return fmt.Sprintf("budget: %s of %s are left in the purse of %s and the call could take %s; raise its max_cost, or let the role give out fewer tokens",
			r.amount(r.Allowed-r.Used), r.amount(r.Allowed), r.Role, r.amount(r.Worst))
	case r.Allowed == 0:
		return fmt.Sprintf("budget: %s is 0 and lets no call through; raise it to allow some", key)
	case r.Until.IsZero():
		return fmt.Sprintf("budget: one call could take %s, more than the %s that %s allows; raise it, or let the role give out fewer tokens",
			r.amount(r.Worst), r.amount(r.Allowed), key)
	}
	until := r.Until.Format("2 January 15:04")
	if r.Limit == CallsPerDay || r.Limit == ExplorationCallsPerDay {
		return fmt.Sprintf("budget: %s is used up until %s: it is %d; wait, or raise it", key, until, r.Allowed)
	}
	return fmt.Sprintf("budget: %s is used up until %s: %s of %s are counted and the call could take %s; wait, or raise it",
		key, until, r.amount(r.Used), r.amount(r.Allowed), r.amount(r.Worst))
}

func (r *Refusal) amount(n int64) string { return amount(r.Limit, n) }

// amount writes n in the unit of a limit.
func amount(limit string, n int64) string {
	switch limit {
	case MoneyPerDay, MoneyPerMonth, PurseMoney:
		return Money(n).String()
	case TokensPerDay:
		return fmt.Sprintf("%d tokens", n)
	}
	return fmt.Sprintf("%d calls", n)
}

// Money is an amount in US dollars, counted in billionths, so that a single
// token of the cheapest model is more than nothing.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1e9

// Dollars returns an amount, rounded up to a billionth. What is no number, or
// beyond what Money can hold, becomes the most it can hold.
func Dollars(amount float64) Money {
	if math.IsNaN(amount) || amount >= float64(math.MaxInt64)/float64(Dollar) {
		return math.MaxInt64
	}
	return Money(math.Ceil(amount*float64(Dollar) - 1e-6))
}

// Float returns the amount in US dollars.
func (m Money) Float() float64 { return float64(m) / float64(Dollar) }

// String writes "$0.0123".
func (m Money) String() string { return fmt.Sprintf("$%.4f", m.Float()) }
