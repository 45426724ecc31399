package budget

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package.
//
// A day is local, "2026-11-21"; its month are the first seven characters.
// Money is in billionths of a dollar, times are nanoseconds since 1970.
func Migrations() []store.Migration { return store.Migrations("budget", migrations) }

// Budget lets calls through as far as its limits reach. It is safe for
// concurrent use, and the only one that writes its tables.
//
// A day is the local day of Charge.At, but neither a clock nor a zone that is
// set to and fro opens a budget twice:
//
//   - A clock that goes back to an earlier day finds there what that day had
//     used, and what all later days have used counts there too. Whoever comes
//     back from a wrong future pays for it for one day, not until then.
//   - A zone further east in which it is tomorrow already begins no new day
//     before the old one is over in every zone in which it was counted.
//
// So no local day and no month ever counts more than its limit. A clock that
// jumps ahead cannot be told from one that was off for long, and begins a day.
type Budget struct {
	db     *store.DB
	config Config
	before Ticket // the last one of earlier processes

	// writing is full, before mu, while somebody writes a debit; debits counts them,
	// for the sweep of what is old.
	writing chan struct{}
	debits  int

	mu     sync.Mutex
	closed bool
	// settled is closed at the next settlement; nil while nobody waits for it.
	settled chan struct{}
	// open are the debits of this process that are not settled.
	open map[Ticket]debit
	// pending are settled, and not known to be on disk.
	pending []settlement
	// day is that of the last debit; refused counts the calls of it that limits
	// refused.
	day     string
	refused map[limitKey]int
}

// Open returns the budget kept in db, which was opened with Migrations.
func Open(ctx context.Context, db *store.DB, config Config) (*Budget, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("budget: %w", err)
	}
	config.Threads = slices.Clone(config.Threads)
	before, _, err := store.One(ctx, db, store.Value[Ticket], "SELECT coalesce(max(id), 0) FROM budget_charges")
	if err != nil {
		return nil, fmt.Errorf("budget: open: %w", err)
	}
	return &Budget{db: db, config: config, before: before, writing: make(chan struct{}, 1), open: map[Ticket]debit{}}, nil
}

// Close writes what is settled and ends the budget: later debits fail. It may
// be called more than once.
func (b *Budget) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	done := slices.Clone(b.pending)
	b.mu.Unlock()
	if len(done) == 0 {
		return nil
	}
	if err := b.db.Write(ctx, func(tx *store.Tx) error { return putSettlements(ctx, tx, done) }); err != nil {
		return fmt.Errorf("budget: close: %w", err)
	}
	b.forget(done)
	return nil
}

// debit is what a charge counts until it is settled.
type debit struct {
	day, role string
	worst     Sum
}

// maxCharge and maxTokens bound what one call can count: more is a mistake,
// and any limit refuses it. writeTimeout bounds how long a debit waits for the
// database.
const (
	maxCharge    = maxMoney*Dollar + 1
	maxTokens    = maxCount + 1
	writeTimeout = 10 * time.Second
)

// Debit takes the worst case of a call off the budget, durably, before the
// call is made. A *Refusal is the error where a limit has no room for it. It
// must not be called inside a transaction.
//
// Where the worst cases of calls that are being made are all that leaves no
// room, it waits for them to be settled, for half of the time that ctx has; it
// does not wait where ctx has no deadline. The context ends no debit that has
// begun, so that none is left without a ticket; that wait is bounded.
func (b *Budget) Debit(ctx context.Context, charge Charge) (Ticket, error) {
	var patience time.Duration
	if ends, ok := ctx.Deadline(); ok {
		patience = time.Until(ends) / 2
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		settled := b.nextSettlement()
		ticket, err := b.debit(ctx, charge)
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok {
			return ticket, err
		}
		held := b.isHeld(refusal)
		select {
		case <-settled: // perhaps before it was asked what is held
			continue
		default:
		}
		if !held {
			return 0, b.refuse(refusal)
		}
		select {
		case <-settled:
		case <-waiting.Done():
			return 0, b.refuse(refusal)
		}
	}
}

// nextSettlement is closed when a call is settled.
func (b *Budget) nextSettlement() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.settled == nil {
		b.settled = make(chan struct{})
	}
	return b.settled
}

// isHeld reports whether the room that is missing may become free when the
// calls that are being made are settled.
func (b *Budget) isHeld(r *Refusal) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	var held int64
	for _, d := range b.open {
		switch {
		case r.Role != "" && r.Role != d.role:
		case r.Limit == MoneyPerDay || r.Limit == MoneyPerMonth:
			held += int64(d.worst.Money)
		case r.Limit == TokensPerDay:
			held += int64(d.worst.Tokens)
		}
	}
	return held > 0 && r.Worst <= r.Allowed-r.Used+held
}

// refuse counts a refusal that stands.
func (b *Budget) refuse(r *Refusal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused[limitKey{r.Limit, r.Role}]++
	return r
}

// debit decides about a charge as things are now, and stores it where it is let
// through, with what is settled. What is on disk decides.
func (b *Budget) debit(ctx context.Context, charge Charge) (ticket Ticket, err error) {
	if err := cmp.Or(charge.check(), ctx.Err()); err != nil {
		return 0, fmt.Errorf("budget: debit: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	select {
	case b.writing <- struct{}{}:
		defer func() { <-b.writing }()
	case <-ctx.Done():
		return 0, fmt.Errorf("budget: debit: wait for the debit before: %w", ctx.Err())
	}
	b.mu.Lock()
	done, closed := slices.Clone(b.pending), b.closed
	b.mu.Unlock()
	if closed {
		return 0, errors.New("budget: debit: the budget is closed")
	}
	d := debit{role: charge.Role, worst: charge.sum()}
	for ticket == 0 && err == nil {
		err = b.db.Write(ctx, func(tx *store.Tx) error {
			if err := putSettlements(ctx, tx, done); err != nil {
				return err
			}
			now, err := load(ctx, tx, charge.At)
			if err != nil {
				return err
			}
			b.turnTo(now.day)
			if now.turned {
				return now.turn(ctx, tx) // by itself: the next transaction debits
			}
			if refusal := now.refuse(b.config, charge); refusal != nil {
				return refusal
			}
			d.day = now.day
			ticket, err = b.put(ctx, tx, charge, d, now.endsAfter(charge.At))
			return err
		})
	}
	if err == nil {
		b.forget(done)
		err = failpoint.Hit("budget.debited") // it counts whatever becomes of it
	}
	if _, refused := errors.AsType[*Refusal](err); refused {
		return 0, err
	} else if err != nil {
		return 0, fmt.Errorf("budget: debit: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[ticket] = d
	return ticket, nil
}

// turnTo counts refusals anew on another day.
func (b *Budget) turnTo(day string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.day != day {
		b.day, b.refused = day, map[limitKey]int{}
	}
}

func (c Charge) check() error {
	switch {
	case c.At.IsZero() || c.Role == "":
		return errors.New("the charge has no time or no role")
	case c.At.Year() < 1970 || c.At.Year() > 2200:
		return fmt.Errorf("the clock says %s", c.At.Format(time.RFC3339))
	case c.Worst.Money < 0 || c.Worst.Tokens < 0:
		return fmt.Errorf("the worst case of %s is less than nothing", c.Role)
	}
	return nil
}

// sum is what the charge counts at worst.
func (c Charge) sum() Sum {
	worst := Sum{Money: min(c.Worst.Money, maxCharge), Tokens: min(c.Worst.Tokens, maxTokens), Calls: 1}
	if c.purse {
		worst.Calls = 0
	}
	if c.Exploration {
		worst.Exploration = 1
	}
	return worst
}

// put stores a charge and adds it to the sums of its day.
func (b *Budget) put(ctx context.Context, tx *store.Tx, c Charge, d debit, ends time.Time) (Ticket, error) {
	_, zone := c.At.Zone()
	id, err := tx.Insert(ctx, "budget_charges", "at, zone, day, tick, role, provider, model, exploration, worst_money, worst_tokens, state",
		c.At.UnixNano(), zone, d.day, c.Tick, c.Role, c.Provider, c.Model, d.worst.Exploration, d.worst.Money, d.worst.Tokens, "open")
	if err != nil {
		return 0, err
	}
	if b.debits++; b.debits%sweepEvery == 0 {
		if err := sweep(ctx, tx, c.At); err != nil {
			return 0, err
		}
	}
	return Ticket(id), tx.Exec(ctx, `INSERT INTO budget_days (day, role, money, tokens, calls, exploration, ends) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (day, role) DO UPDATE SET money = money + excluded.money, tokens = tokens + excluded.tokens,
			calls = calls + excluded.calls, exploration = exploration + excluded.exploration, ends = excluded.ends`,
		d.day, c.Role, d.worst.Money, d.worst.Tokens, d.worst.Calls, d.worst.Exploration, ends.UnixNano())
}

const (
	// Charges are kept for keep; their sums stay. A sweep comes with every
	// sweepEvery-th debit and removes at most sweepRows.
	keep       = 400 * 24 * time.Hour
	sweepEvery = 16
	sweepRows  = 256
)

// sweep removes old charges, but the newest: its id must not be given again.
func sweep(ctx context.Context, tx *store.Tx, at time.Time) error {
	return tx.Exec(ctx, `DELETE FROM budget_charges WHERE id IN (SELECT id FROM budget_charges ORDER BY id LIMIT ?)
		AND at < ? AND id < (SELECT max(id) FROM budget_charges)`, sweepRows, at.Add(-keep).UnixNano())
}

// settlement is what a debit turned out to be.
type settlement struct {
	debit
	ticket Ticket
	took   Amount
}

// change is what the settlement does to the sums.
func (s settlement) change() Sum {
	change := Sum{Money: s.took.Money, Tokens: s.took.Tokens, Calls: s.worst.Calls, Exploration: s.worst.Exploration}
	if s.took.Unmade {
		change = Sum{}
	}
	return change.minus(s.worst)
}

// ErrTicket is the error of Settle for a ticket that no debit gave out, or
// whose charge is kept no more.
var ErrTicket = errors.New("there is no such debit")

// Settle says what a call took. It counts at once, and is on disk with the
// next debit, with Flush or with Close, whichever is first: after a crash
// before that the worst case stays. Settling again changes nothing.
func (b *Budget) Settle(ctx context.Context, ticket Ticket, actual Amount) error {
	if actual.Money < 0 || actual.Tokens < 0 {
		return fmt.Errorf("budget: settle %d: a call cannot have taken less than nothing", ticket)
	}
	if actual.Unmade {
		actual = Amount{Unmade: true}
	}
	took := Amount{min(actual.Money, maxCharge), min(actual.Tokens, maxTokens), actual.Unmade}
	b.mu.Lock()
	found, open := b.open[ticket]
	b.mu.Unlock()
	if !open { // an earlier process may have left it
		var err error
		if found, open, err = b.find(ctx, ticket); err != nil {
			return fmt.Errorf("budget: settle %d: %w", ticket, err)
		}
	}
	if open {
		b.settle(settlement{found, ticket, took})
	}
	return failpoint.Hit("budget.settled")
}

// settle counts the settlement of an open debit, once.
func (b *Budget) settle(s settlement) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.ContainsFunc(b.pending, func(other settlement) bool { return other.ticket == s.ticket }) {
		return
	}
	delete(b.open, s.ticket)
	b.pending = append(b.pending, s)
	if b.settled != nil {
		close(b.settled)
		b.settled = nil
	}
}

// find looks for a debit on disk.
func (b *Budget) find(ctx context.Context, ticket Ticket) (found debit, open bool, err error) {
	found, ok, err := store.One(ctx, b.db, func(d *debit) []any {
		d.worst.Calls = 1
		return []any{&d.day, &d.role, &d.worst.Money, &d.worst.Tokens, &d.worst.Exploration, &open}
	}, "SELECT day, role, worst_money, worst_tokens, exploration, state = 'open' FROM budget_charges WHERE id = ?", ticket)
	if err == nil && !ok {
		err = ErrTicket
	}
	return found, open, err
}

// Flush writes what is settled in a transaction of the caller: that of a tick,
// which is committed anyway. Where it is rolled back, nothing is lost.
func (b *Budget) Flush(ctx context.Context, tx *store.Tx) error {
	b.mu.Lock()
	done := slices.Clone(b.pending)
	b.mu.Unlock()
	var known []settlement
	for _, s := range done {
		written, err := s.put(ctx, tx)
		if err != nil {
			return fmt.Errorf("budget: flush: %w", err)
		}
		if !written {
			known = append(known, s)
		}
	}
	// Whether this transaction will be committed is not known here. What is
	// there already came with one that was.
	b.forget(known)
	return nil
}

// putSettlements writes settlements, each once.
func putSettlements(ctx context.Context, tx *store.Tx, done []settlement) error {
	for _, s := range done {
		if _, err := s.put(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// put writes a settlement, unless it is there or its charge is gone.
func (s settlement) put(ctx context.Context, tx *store.Tx) (written bool, err error) {
	n, err := tx.Run(ctx, "UPDATE budget_charges SET state = 'settled', money = ?, tokens = ? WHERE id = ? AND state = 'open'",
		s.took.Money, s.took.Tokens, s.ticket)
	if err != nil || n == 0 {
		return false, err
	}
	change := s.change()
	return true, tx.Exec(ctx, `UPDATE budget_days SET money = money + ?, tokens = tokens + ?,
		calls = calls + ?, exploration = exploration + ? WHERE day = ? AND role = ?`,
		change.Money, change.Tokens, change.Calls, change.Exploration, s.day, s.role)
}

// forget drops settlements that are on disk.
func (b *Budget) forget(done []settlement) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = slices.DeleteFunc(b.pending, func(s settlement) bool {
		return slices.ContainsFunc(done, func(d settlement) bool { return d.ticket == s.ticket })
	})
}
