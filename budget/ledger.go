package budget

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Sum is what calls took together.
type Sum struct {
	Money       Money
	Tokens      int
	Calls       int
	Exploration int // those of Calls that explored
}

func (s *Sum) add(o Sum) {
	s.Money += o.Money
	s.Tokens += o.Tokens
	s.Calls += o.Calls
	s.Exploration += o.Exploration
}

func (s Sum) minus(o Sum) Sum {
	return Sum{s.Money - o.Money, s.Tokens - o.Tokens, s.Calls - o.Calls, s.Exploration - o.Exploration}
}

// counts are the sums of one role in the ledger's day and its month.
type counts struct {
	day, month Sum
	// carried was used on later days before the clock went back to this one;
	// laterMonths is the money of it that was used in later months.
	carried     Sum
	laterMonths Money
}

// today is what counts against limits of the day.
func (c counts) today() Sum {
	sum := c.day
	sum.add(c.carried)
	return sum
}

// thisMonth is what counts against the limit of the month.
func (c counts) thisMonth() Sum {
	sum := c.month
	sum.Money += c.laterMonths
	return sum
}

// ledger is what one day has used, as the next debit sees it.
type ledger struct {
	day   string // "" before the first charge
	ends  time.Time
	roles map[string]*counts
	// refused counts the calls of the day that limits refused since the start.
	refused map[limitKey]int
}

func newLedger(day string) *ledger {
	return &ledger{day: day, roles: map[string]*counts{}, refused: map[limitKey]int{}}
}

// dayFor returns the day that a charge at that time is counted in.
func (l *ledger) dayFor(at time.Time) string {
	day := dayOf(at)
	if day > l.day && at.Before(l.ends) {
		return l.day
	}
	return day
}

// extend notes that the day was counted in the zone of at as well.
func (l *ledger) extend(at time.Time) {
	if ends := nextDay(at); dayOf(at) == l.day && ends.After(l.ends) {
		l.ends = ends
	}
}

// resets returns when the limits of the day, and of the month, count anew.
func (l *ledger) resets(at time.Time) (day, month time.Time) {
	day, month = nextDay(at), nextMonth(at)
	today, ends := dayOf(at), l.ends.In(at.Location())
	if l.day < today || ends.After(day) {
		day = ends
	}
	if monthOf(l.day) < monthOf(today) || ends.After(month) {
		month = ends
	}
	return day, month
}

func (l *ledger) role(name string) *counts {
	if l.roles[name] == nil {
		l.roles[name] = &counts{}
	}
	return l.roles[name]
}

func (l *ledger) clone() *ledger {
	c := &ledger{day: l.day, ends: l.ends, roles: map[string]*counts{}, refused: maps.Clone(l.refused)}
	for role, counts := range l.roles {
		copied := *counts
		c.roles[role] = &copied
	}
	return c
}

// all adds up the roles.
func (l *ledger) all() counts {
	var all counts
	for _, c := range l.roles {
		all.day.add(c.day)
		all.month.add(c.month)
		all.carried.add(c.carried)
		all.laterMonths += c.laterMonths
	}
	return all
}

// change adds to the sums that a charge of that day and role counts in.
func (l *ledger) change(day, role string, by Sum) {
	if l.day == "" || monthOf(day) != monthOf(l.day) {
		return
	}
	c := l.role(role)
	c.month.add(by)
	if day == l.day {
		c.day.add(by)
	}
}

// load reads the ledger of a day.
func load(ctx context.Context, tx *store.Tx, day string) (*ledger, error) {
	l := newLedger(day)
	first, last := span(day)
	var row, role string
	var sum Sum
	var number int64
	rows, err := tx.QueryContext(ctx, "SELECT day, role, money, tokens, calls, exploration, ends FROM budget_days WHERE day BETWEEN ? AND ?", first, last)
	if err != nil {
		return nil, err
	}
	into := []any{&row, &role, &sum.Money, &sum.Tokens, &sum.Calls, &sum.Exploration, &number}
	if err := each(rows, into, func() {
		l.change(row, role, sum)
		if ends := time.Unix(0, number); row == day && ends.After(l.ends) {
			l.ends = ends
		}
	}); err != nil {
		return nil, err
	}
	rows, err = tx.QueryContext(ctx, "SELECT day, role, money, tokens, calls, exploration, later_months FROM budget_carried WHERE day BETWEEN ? AND ?", first, last)
	if err != nil {
		return nil, err
	}
	return l, each(rows, into, func() {
		c := l.role(role)
		// The same charges may have been carried to several days.
		c.laterMonths = max(c.laterMonths, Money(number))
		if row == day {
			c.carried = sum
		}
	})
}

// carry counts in day what later days have used.
func carry(ctx context.Context, tx *store.Tx, day string) error {
	_, last := span(day)
	_, err := tx.ExecContext(ctx, `INSERT INTO budget_carried (day, role, money, tokens, calls, exploration, later_months)
		SELECT ?, role, sum(money), sum(tokens), sum(calls), sum(exploration), sum(iif(day > ?, money, 0))
		FROM budget_days WHERE day > ? GROUP BY role
		ON CONFLICT (day, role) DO UPDATE SET money = max(money, excluded.money), tokens = max(tokens, excluded.tokens),
			calls = max(calls, excluded.calls), exploration = max(exploration, excluded.exploration),
			later_months = max(later_months, excluded.later_months)`, day, last, day)
	return err
}

// newest returns the ticket and the day of the newest charge, if there is one.
func newest(ctx context.Context, tx *store.Tx) (ticket Ticket, day string, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id, day FROM budget_charges ORDER BY id DESC LIMIT 1").Scan(&ticket, &day)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", nil
	}
	return ticket, day, err
}

// each scans every row, calls do after each, and closes the rows.
func each(rows *sql.Rows, into []any, do func()) error {
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		do()
	}
	return rows.Err()
}
