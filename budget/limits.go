package budget

import "time"

// limitKey names one limit: of all, where the role is "".
type limitKey struct{ name, role string }

// Limit is one limit and what counts against it.
type Limit struct {
	Name string // money_per_day, …
	Role string // "" for that of all
	// Allowed is -1, and Left too, where there is no limit. All are billionths
	// of a dollar where IsMoney.
	Allowed, Used, Left int64
	IsMoney             bool
	// Exhausted: nothing is left, until Until; zero Until is a limit of 0,
	// which waiting does not change. Refused counts calls of the day that the
	// limit let not through, since the start: some may be refused while a
	// little is left.
	Exhausted bool
	Refused   int
	Until     time.Time
}

// limits applies a configuration to the ledger, as it stands at that time:
// first the limits of exploration, which only end exploring, then that of the
// month, which lasts longest.
func (l *ledger) limits(c Config, at time.Time) []Limit {
	day, month := l.resets(at)
	all := l.all()
	today := all.today()
	var list []Limit
	add := func(name, role string, allowed, used int64, until time.Time) {
		left := int64(-1)
		if allowed >= 0 {
			left = max(0, allowed-used)
		}
		list = append(list, Limit{Name: name, Role: role, Allowed: allowed, Used: used, Left: left, Until: until,
			IsMoney: name == MoneyPerDay || name == MoneyPerMonth, Exhausted: left == 0})
	}
	add(ExplorationCallsPerDay, "", int64(c.ExplorationCallsPerDay), int64(today.Exploration), day)
	add(MoneyPerMonth, "", allowance(c.MoneyPerMonth), int64(all.month.Money+all.laterMonths), month)
	add(MoneyPerDay, "", allowance(c.MoneyPerDay), int64(today.Money), day)
	add(CallsPerDay, "", int64(c.CallsPerDay), int64(today.Calls), day)
	add(TokensPerDay, "", int64(c.TokensPerDay), int64(today.Tokens), day)
	for _, t := range c.Threads {
		var used Sum
		if counts := l.roles[t.ID]; counts != nil {
			used = counts.today()
		}
		add(MoneyPerDay, t.ID, allowance(t.MoneyPerDay), int64(used.Money), day)
		add(CallsPerDay, t.ID, int64(t.CallsPerDay), int64(used.Calls), day)
		add(TokensPerDay, t.ID, int64(t.TokensPerDay), int64(used.Tokens), day)
	}
	return list
}

func allowance(dollars float64) int64 {
	if dollars < 0 {
		return -1
	}
	return int64(Dollars(dollars))
}

// refuse returns the first limit that has no room for the charge, or nil.
func (l *ledger) refuse(c Config, charge Charge) *Refusal {
	for _, one := range l.limits(c, charge.At) {
		if one.Role != "" && one.Role != charge.Role || one.Allowed < 0 {
			continue
		}
		worst, counts := one.worst(charge)
		if !counts || one.Allowed > 0 && worst <= one.Allowed-one.Used {
			continue
		}
		r := &Refusal{Limit: one.Name, Role: one.Role, Allowed: one.Allowed, Used: one.Used, Worst: worst, Until: one.Until}
		if worst > one.Allowed {
			r.Until = time.Time{}
		}
		return r
	}
	return nil
}

// worst returns how much of the limit the charge could take; counts is false
// where it is none of the limit's business.
func (l Limit) worst(c Charge) (worst int64, counts bool) {
	switch l.Name {
	case ExplorationCallsPerDay:
		return 1, c.Exploration
	case MoneyPerDay, MoneyPerMonth:
		return int64(c.Worst.Money), c.Worst.Money > 0
	case TokensPerDay:
		return int64(c.Worst.Tokens), true
	}
	return 1, !c.purse
}
