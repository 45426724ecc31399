package budget

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Overview is what is spent and what may still be.
type Overview struct {
	Day   string // "2026-11-21": the day that counts now
	Month string // "2026-11"
	// Today and ThisMonth hold what calls took, and of those that are not
	// settled the worst case.
	Today, ThisMonth Sum
	// Carried is what counts today although it was used on later days, before
	// the clock went back.
	Carried Sum
	Roles   []RoleSum // by role
	Limits  []Limit   // of all, then of single roles
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
	config, now, pending := b.config, b.ledger.clone(), slices.Clone(b.pending)
	for _, d := range b.open {
		o.Running.add(d.worst)
	}
	b.mu.Unlock()
	o.Day = now.dayFor(at)
	o.Month = monthOf(o.Day)
	lost := map[Ticket]Sum{}
	err := b.db.Read(ctx, func(tx *store.Tx) (err error) {
		if o.Day != now.day {
			// No call was made on this day yet, or a clock was set.
			if now, err = load(ctx, tx, o.Day, o.Day < now.day); err != nil {
				return err
			}
			if err = now.settle(ctx, tx, pending); err != nil {
				return err
			}
		}
		return b.left(ctx, tx, o.Day, lost)
	})
	if err != nil {
		return Overview{}, fmt.Errorf("budget: spent: %w", err)
	}
	b.mu.Lock()
	for ticket, sum := range lost {
		if !b.late[ticket] {
			o.Lost.add(sum)
		}
	}
	b.mu.Unlock()
	now.fill(&o, config, at)
	return o, nil
}

func (l *ledger) fill(o *Overview, c Config, at time.Time) {
	all := l.all()
	o.Today, o.ThisMonth, o.Carried = all.day, all.month, all.carried
	for role, c := range l.roles {
		o.Roles = append(o.Roles, RoleSum{role, c.day, c.month})
	}
	slices.SortFunc(o.Roles, func(a, b RoleSum) int { return strings.Compare(a.Role, b.Role) })
	o.Limits = l.limits(c, at)
	for i, one := range o.Limits {
		if one.Allowed == 0 { // waiting does not change it
			o.Limits[i].Until = time.Time{}
		}
	}
}

// settle counts settlements that are not on disk in a ledger that was read
// from there.
func (l *ledger) settle(ctx context.Context, tx *store.Tx, pending []settlement) error {
	for _, s := range pending {
		_, open, err := store.One(ctx, tx, store.Value[Ticket], "SELECT id FROM budget_charges WHERE id = ? AND state = 'open'", s.ticket)
		if err != nil {
			return err
		}
		if open {
			l.change(s.day, s.role, s.change())
		}
	}
	return nil
}

// left reads the month's debits that earlier processes did not settle.
func (b *Budget) left(ctx context.Context, tx *store.Tx, day string, into map[Ticket]Sum) error {
	first, last := span(day)
	return eachSum(ctx, tx, func(_, _ string, sum Sum, id int64) { into[Ticket(id)] = sum },
		`SELECT '', '', worst_money, worst_tokens, 1, exploration, id FROM budget_charges
		WHERE state = 'open' AND day BETWEEN ? AND ? AND id <= ?`, first, last, b.before)
}
