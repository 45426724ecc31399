package budget

import (
	"context"
	"database/sql"
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

// ledger is what the day of a call, and its month, have used.
type ledger struct {
	day    string
	turned bool // it is another day than that of the last debit
	ends   time.Time
	roles  map[string]*counts
}

// endsAfter is when the day ends that is counted in the zone of at as well.
func (l *ledger) endsAfter(at time.Time) time.Time {
	if ends := nextDay(at); dayOf(at) == l.day && ends.After(l.ends) {
		return ends
	}
	return l.ends
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
	c := l.role(role)
	c.month.add(by)
	if day == l.day {
		c.day.add(by)
	}
}

// load reads the ledger of a call at that time.
func load(ctx context.Context, tx *store.Tx, at time.Time) (*ledger, error) {
	l := &ledger{day: dayOf(at), roles: map[string]*counts{}}
	var last string // the day of the last debit, "" before the first
	var ends int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(day), ''), coalesce((SELECT max(ends) FROM budget_days WHERE day = budget_now.day), 0)
		FROM budget_now`).Scan(&last, &ends); err != nil {
		return nil, err
	}
	if l.day > last && at.Before(time.Unix(0, ends)) {
		l.day = last // in another zone that day is not over
	}
	l.turned = l.day != last
	from, to := span(l.day)
	err := eachSum(ctx, tx, func(row, role string, sum Sum, ends int64) {
		l.change(row, role, sum)
		if ends := time.Unix(0, ends); row == l.day && ends.After(l.ends) {
			l.ends = ends
		}
	}, `SELECT iif(day = ?, day, ''), role, sum(money), sum(tokens), sum(calls), sum(exploration), max(ends)
		FROM budget_days WHERE day BETWEEN ? AND ? GROUP BY 1, role`, l.day, from, to)
	if err != nil {
		return nil, err
	}
	err = eachSum(ctx, tx, func(row, role string, sum Sum, laterMonths int64) {
		c := l.role(role)
		// The same charges may have been carried to several days.
		c.laterMonths = max(c.laterMonths, Money(laterMonths))
		if row == l.day {
			c.carried = sum
		}
	}, "SELECT day, role, money, tokens, calls, exploration, later_months FROM budget_carried WHERE day BETWEEN ? AND ?", from, to)
	if err != nil || l.day >= last {
		return l, err
	}
	// The clock went back: what later days have used counts here too.
	return l, eachSum(ctx, tx, func(_, role string, sum Sum, laterMonths int64) {
		c := l.role(role)
		// Where the clock went back to this day before, some of it is counted.
		c.carried = Sum{max(c.carried.Money, sum.Money), max(c.carried.Tokens, sum.Tokens),
			max(c.carried.Calls, sum.Calls), max(c.carried.Exploration, sum.Exploration)}
		c.laterMonths = max(c.laterMonths, Money(laterMonths))
	}, `SELECT '', role, sum(money), sum(tokens), sum(calls), sum(exploration), sum(iif(day > ?, money, 0))
		FROM budget_days WHERE day > ? GROUP BY role`, to, l.day)
}

// turn stores that the day is the one that counts, and what later days had used.
func (l *ledger) turn(ctx context.Context, tx *store.Tx) error {
	for role, c := range l.roles {
		if c.carried == (Sum{}) {
			continue
		}
		if err := tx.Exec(ctx, `INSERT OR REPLACE INTO budget_carried (day, role, money, tokens, calls, exploration, later_months)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, l.day, role, c.carried.Money, c.carried.Tokens, c.carried.Calls, c.carried.Exploration,
			c.laterMonths); err != nil {
			return err
		}
	}
	return tx.Exec(ctx, "INSERT OR REPLACE INTO budget_now (one, day) VALUES (1, ?)", l.day)
}

// eachSum calls do for each row of a query: a day, a role, the four sums, and one
// number more.
func eachSum(ctx context.Context, tx *store.Tx, do func(day, role string, sum Sum, more int64), query string, args ...any) error {
	return tx.Each(ctx, func(rows *sql.Rows) error {
		var day, role string
		var sum Sum
		var more int64
		if err := rows.Scan(&day, &role, &sum.Money, &sum.Tokens, &sum.Calls, &sum.Exploration, &more); err != nil {
			return err
		}
		do(day, role, sum, more)
		return nil
	}, query, args...)
}

// dayOf is the local day of t, as it is stored.
func dayOf(t time.Time) string { return t.Format(time.DateOnly) }

// monthOf is the month of a day.
func monthOf(day string) string { return day[:len("2006-01")] }

// span returns the first and the last day that a month may have.
func span(day string) (first, last string) { return monthOf(day) + "-01", monthOf(day) + "-31" }

// nextDay returns when the local day of t is over.
func nextDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return start(y, m, d+1, t.Location())
}

// nextMonth returns when the local month of t is over.
func nextMonth(t time.Time) time.Time {
	y, m, _ := t.Date()
	return start(y, m+1, 1, t.Location())
}

// start returns the first moment of a local day, which is not midnight where
// the clocks change then: some zones have no such midnight, some have two.
func start(y int, m time.Month, d int, zone *time.Location) time.Time {
	day := dayOf(time.Date(y, m, d, 12, 0, 0, 0, zone))
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if dayOf(t) < day {
		// There is no midnight: the day starts when the clocks have changed.
		_, t = t.ZoneBounds()
		return t
	}
	change, _ := t.ZoneBounds()
	if change.IsZero() || dayOf(change.Add(-1)) != day {
		return t
	}
	// The clocks went back on this day before t: the earlier midnight counts.
	name, offset := change.Add(-1).Zone()
	return time.Date(y, m, d, 0, 0, 0, 0, time.FixedZone(name, offset)).In(zone)
}
