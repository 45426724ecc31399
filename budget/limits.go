package budget

import "time"

// limitKey names one limit: of all, where the role is "".
type limitKey struct{ name, role string }

// limit is one configured limit, applied to a ledger.
type limit struct {
	limitKey
	allowed int64 // -1: none
	used    int64
	resets  time.Time
}

// left is what may still be used, -1 where there is no limit.
func (l limit) left() int64 {
	if l.allowed < 0 {
		return -1
	}
	return max(0, l.allowed-l.used)
}

// limits applies a configuration to the ledger, as it stands at that time:
// first the limits of exploration, which only end exploring, then that of the
// month, which lasts longest.
func (l *ledger) limits(c Config, at time.Time) []limit {
	day, month := l.resets(at)
	all := l.all()
	today := all.today()
	list := []limit{
		{limitKey{ExplorationCallsPerDay, ""}, int64(c.ExplorationCallsPerDay), int64(today.Exploration), day},
		{limitKey{MoneyPerMonth, ""}, allowance(c.MoneyPerMonth), int64(all.thisMonth().Money), month},
		{limitKey{MoneyPerDay, ""}, allowance(c.MoneyPerDay), int64(today.Money), day},
		{limitKey{CallsPerDay, ""}, int64(c.CallsPerDay), int64(today.Calls), day},
		{limitKey{TokensPerDay, ""}, int64(c.TokensPerDay), int64(today.Tokens), day},
	}
	for _, t := range c.Threads {
		var used Sum
		if counts := l.roles[t.ID]; counts != nil {
			used = counts.today()
		}
		list = append(list,
			limit{limitKey{MoneyPerDay, t.ID}, allowance(t.MoneyPerDay), int64(used.Money), day},
			limit{limitKey{CallsPerDay, t.ID}, int64(t.CallsPerDay), int64(used.Calls), day},
			limit{limitKey{TokensPerDay, t.ID}, int64(t.TokensPerDay), int64(used.Tokens), day})
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
		if one.role != "" && one.role != charge.Role || one.allowed < 0 {
			continue
		}
		worst, counts := one.worst(charge)
		if !counts || one.allowed > 0 && worst <= one.allowed-one.used {
			continue
		}
		r := &Refusal{Limit: one.name, Role: one.role, Allowed: one.allowed, Used: one.used, Worst: worst, Until: one.resets}
		if worst > one.allowed {
			r.Until = time.Time{}
		}
		return r
	}
	return nil
}

// worst returns how much of the limit the charge could take; counts is false
// where it is none of the limit's business.
func (k limitKey) worst(c Charge) (worst int64, counts bool) {
	switch k.name {
	case ExplorationCallsPerDay:
		return 1, c.Exploration
	case MoneyPerDay, MoneyPerMonth:
		return int64(c.Worst.Money), c.Worst.Money > 0
	case TokensPerDay:
		return int64(c.Worst.Tokens), true
	}
	return 1, !c.purse
}
