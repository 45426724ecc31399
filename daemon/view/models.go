package view

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
)

// Models implements api.Mind.
func (v *Reader) Models(context.Context) ([]api.ModelStatus, error) {
	return v.in.Roster.Statuses(), nil
}

// budgetStatus is what is spent and what may still be.
func (v *Reader) budgetStatus(ctx context.Context) (api.BudgetStatus, error) {
	o, err := v.in.Budget.Spent(ctx, v.in.Now())
	if err != nil {
		return api.BudgetStatus{}, err
	}
	status := api.BudgetStatus{
		MoneyToday: o.Today.Money.Float(), TokensToday: o.Today.Tokens, CallsToday: o.Today.Calls, MoneyMonth: o.ThisMonth.Money.Float(),
		Exploration: api.Exploration{Used: o.Today.Exploration, Allowed: v.in.Config.Budget.ExplorationCallsPerDay},
		Unsettled:   o.Lost.Calls,
	}
	for _, l := range o.Limits {
		status.Limits = append(status.Limits, limitStatus(l))
	}
	for _, r := range o.Roles {
		if r.Today.Calls > 0 {
			status.Roles = append(status.Roles, api.RoleSpend{Role: r.Role, Calls: r.Today.Calls, Tokens: r.Today.Tokens, Money: r.Today.Money.Float()})
		}
	}
	return status, nil
}

// limitStatus shows a limit as exhausted, too, where what is left is too little
// for a call that was asked for.
func limitStatus(l budget.Limit) api.LimitStatus {
	unit := 1.0
	if l.IsMoney {
		unit = float64(budget.Dollar)
	}
	status := api.LimitStatus{Name: l.Name, Used: float64(l.Used) / unit, Limit: float64(l.Allowed) / unit, Exhausted: l.Exhausted || l.Refused > 0, Until: l.Until}
	if l.Allowed < 0 {
		status.Limit = -1
	}
	if l.Role != "" {
		status.Name = l.Role + "." + l.Name
	}
	return status
}
