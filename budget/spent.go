package budget

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Overview is what is spent and what may still be.
type Overview struct {
	Day string // "2026-11-21": the day that counts now
	// Today and ThisMonth hold what calls took, and of those that are not
	// settled the worst case.
	Today, ThisMonth Sum
	Roles            []RoleSum // by role
	Limits           []Limit   // of all, then of single roles
	// Running are debits of calls that are being made, at their worst case,
	// and Lost those of this month that a crash left, which stay there.
	Running, Lost Sum
}

// RoleSum is what one role took.
type RoleSum struct {
	Role             string
	Today, ThisMonth Sum
}

// Spent returns what is spent at that time, in its zone's day and month.
func (b *Budget) Spent(ctx context.Context, at time.Time) (Overview, error) {
	var o Overview
	b.mu.Lock()
	pending, day, refused := slices.Clone(b.pending), b.day, maps.Clone(b.refused)
	for _, d := range b.open {
		o.Running.add(d.worst)
	}
	b.mu.Unlock()
	var now *ledger
	err := b.db.Read(ctx, func(tx *store.Tx) (err error) {
		if now, err = load(ctx, tx, at); err != nil {
			return err
		}
		from, to := span(now.day)
		return eachSum(ctx, tx, func(day, role string, worst Sum, id int64) {
			settled := slices.IndexFunc(pending, func(s settlement) bool { return s.ticket == Ticket(id) })
			if settled >= 0 {
				now.change(day, role, pending[settled].change())
			} else if Ticket(id) <= b.before {
				o.Lost.add(worst)
			}
		}, `SELECT day, role, worst_money, worst_tokens, 1, exploration, id FROM budget_charges
			WHERE state = 'open' AND day BETWEEN ? AND ?`, from, to)
	})
	if err != nil {
		return Overview{}, fmt.Errorf("budget: spent: %w", err)
	}
	all := now.all()
	o.Day, o.Today, o.ThisMonth = now.day, all.day, all.month
	for role, c := range now.roles {
		o.Roles = append(o.Roles, RoleSum{role, c.day, c.month})
	}
	slices.SortFunc(o.Roles, func(a, b RoleSum) int { return strings.Compare(a.Role, b.Role) })
	o.Limits = now.limits(b.config, at)
	for i := range o.Limits {
		l := &o.Limits[i]
		if day == now.day {
			l.Refused = refused[limitKey{l.Name, l.Role}]
		}
		if l.Allowed == 0 { // waiting does not change it
			l.Until = time.Time{}
		}
	}
	return o, nil
}
