package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

// debit is what a charge counts until it is settled.
type debit struct {
	day, role string
	worst     Sum
}

// maxCharge and maxTokens bound what one call can count: more is a mistake,
// and any limit refuses it.
const (
	maxCharge = maxMoney*Dollar + 1
	maxTokens = maxCount + 1
)

// Debit takes the worst case of a call off the budget, durably, before the
// call is made. A *Refusal is the error where a limit has no room for it. It
// must not be called inside a transaction.
//
// Where the worst cases of calls that are being made are all that leaves no
// room, it waits for them to be settled, for half of the time that ctx has; it
// does not wait where ctx has no deadline. Debits that come at the same time
// are written together. The context ends no debit that has
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
		if !b.isHeld(refusal) {
			return 0, b.refused(refusal)
		}
		select {
		case <-settled:
		case <-waiting.Done():
			return 0, b.refused(refusal)
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

// refused counts a refusal that stands.
func (b *Budget) refused(r *Refusal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger.refused[limitKey{r.Limit, r.Role}]++
	return r
}

// request is a charge on its way into the database.
type request struct {
	debit
	charge Charge
	ticket Ticket
	err    error
	done   bool
}

// debit decides about a charge as things are now. Whoever gets to write writes
// all that wait.
func (b *Budget) debit(ctx context.Context, charge Charge) (Ticket, error) {
	if err := cmp.Or(charge.check(), ctx.Err()); err != nil {
		return 0, fmt.Errorf("budget: debit: %w", err)
	}
	r := &request{charge: charge}
	b.mu.Lock()
	b.queue = append(b.queue, r)
	b.mu.Unlock()
	runtime.Gosched() // others that are about to come are written with this one
	b.writing.Lock()
	defer b.writing.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	for !r.done {
		batch := b.accept(b.turnTo(ctx))
		b.write(ctx, batch)
	}
	if _, refused := errors.AsType[*Refusal](r.err); r.err == nil || refused {
		return r.ticket, r.err
	}
	return 0, fmt.Errorf("budget: debit: %w", r.err)
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

// turnTo brings the ledger to the day of the first request.
func (b *Budget) turnTo(ctx context.Context) error {
	b.mu.Lock()
	at := b.queue[0].charge.At
	was, day := b.ledger.day, b.ledger.dayFor(at)
	b.mu.Unlock()
	if day == was {
		return nil
	}
	var next *ledger
	var done []settlement
	if err := b.db.Write(ctx, func(tx *store.Tx) (err error) {
		// In the transaction, so that no Flush can write more before the load.
		done = b.settlements()
		if err = putSettlements(ctx, tx, done); err != nil {
			return err
		}
		if next, err = load(ctx, tx, day, day < was); err != nil {
			return err
		}
		return errors.Join(next.putCarried(ctx, tx), next.putNow(ctx, tx))
	}); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(done)
	for _, s := range b.pending {
		next.change(s.day, s.role, s.change())
	}
	b.ledger = next
	return nil
}

// accept takes the requests of the ledger's day off the head of the queue, and
// returns those that are let through. They are counted, the others have an error:
// err, where it is one.
func (b *Budget) accept(err error) (accepted []*request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		err = errors.New("the budget is closed")
	}
	for len(b.queue) > 0 {
		r := b.queue[0]
		if err == nil && b.ledger.dayFor(r.charge.At) != b.ledger.day {
			break
		}
		b.queue, r.done = b.queue[1:], true
		if r.err = err; err != nil {
			continue
		}
		if refusal := b.ledger.refuse(b.config, r.charge); refusal != nil {
			r.err = refusal
			continue
		}
		r.debit = debit{b.ledger.day, r.charge.Role, r.charge.sum()}
		b.ledger.change(r.day, r.role, r.worst)
		b.ledger.extend(r.charge.At)
		accepted = append(accepted, r)
	}
	return accepted
}

// write stores requests that were let through, and with them what is settled.
// With an error none of them counts.
func (b *Budget) write(ctx context.Context, accepted []*request) {
	if len(accepted) == 0 {
		return
	}
	b.mu.Lock()
	ends := b.ledger.ends
	b.mu.Unlock()
	done := b.settlements()
	b.batches++
	err := b.db.Write(ctx, func(tx *store.Tx) (err error) {
		for _, r := range accepted {
			if r.ticket, err = r.put(ctx, tx, r.charge, ends); err != nil {
				return err
			}
		}
		if b.batches%sweepEvery == 0 {
			if err := sweep(ctx, tx, accepted[0].charge.At); err != nil {
				return err
			}
		}
		return putSettlements(ctx, tx, done)
	})
	written := err == nil
	if written { // and counts whatever becomes of it
		err = failpoint.Hit("budget.debited")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if written {
		b.forget(done)
	}
	for _, r := range accepted {
		if r.err = err; err == nil {
			b.open[r.ticket] = r.debit
		} else if r.ticket = 0; !written {
			b.ledger.change(r.day, r.role, Sum{}.minus(r.worst))
		}
	}
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
func (d debit) put(ctx context.Context, tx *store.Tx, c Charge, ends time.Time) (Ticket, error) {
	_, zone := c.At.Zone()
	result, err := tx.ExecContext(ctx, `INSERT INTO budget_charges
		(at, zone, day, tick, role, provider, model, exploration, worst_money, worst_tokens, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`,
		c.At.UnixNano(), zone, d.day, c.Tick, c.Role, c.Provider, c.Model, d.worst.Exploration, d.worst.Money, d.worst.Tokens)
	if err != nil {
		return 0, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO budget_days (day, role, money, tokens, calls, exploration, ends) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (day, role) DO UPDATE SET money = money + excluded.money, tokens = tokens + excluded.tokens,
			calls = calls + excluded.calls, exploration = exploration + excluded.exploration, ends = excluded.ends`,
		d.day, c.Role, d.worst.Money, d.worst.Tokens, d.worst.Calls, d.worst.Exploration, ends.UnixNano())
	return Ticket(id), err
}

const (
	// Charges are kept for keep; their sums stay. A sweep comes with every
	// sweepEvery-th transaction and removes at most sweepRows.
	keep       = 400 * 24 * time.Hour
	sweepEvery = 16
	sweepRows  = 256
)

// sweep removes old charges, but the newest: its id must not be given again.
func sweep(ctx context.Context, tx *store.Tx, at time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM budget_charges WHERE id IN (SELECT id FROM budget_charges ORDER BY id LIMIT ?)
		AND at < ? AND id < (SELECT max(id) FROM budget_charges)`, sweepRows, at.Add(-keep).UnixNano())
	return err
}

// settlement is what a debit turned out to be.
type settlement struct {
	debit
	ticket Ticket
	money  Money
	tokens int
	unmade bool
}

// change is what the settlement does to the sums.
func (s settlement) change() Sum {
	if s.unmade {
		return Sum{}.minus(s.worst)
	}
	return Sum{Money: s.money - s.worst.Money, Tokens: s.tokens - s.worst.Tokens}
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
	amount := settlement{ticket: ticket, money: min(actual.Money, maxCharge), tokens: min(actual.Tokens, maxTokens)}
	if actual.Unmade {
		amount = settlement{ticket: ticket, unmade: true}
	}
	if b.settle(amount, nil) {
		return failpoint.Hit("budget.settled")
	}
	found, open, err := b.find(ctx, ticket)
	if err != nil {
		return fmt.Errorf("budget: settle %d: %w", ticket, err)
	}
	if open {
		b.settle(amount, &found)
	}
	return nil
}

// settle counts a settlement of an open debit of this process, or of one that
// an earlier process left. It reports whether there is nothing more to do.
func (b *Budget) settle(s settlement, left *debit) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, open := b.open[s.ticket]
	switch {
	case open:
		delete(b.open, s.ticket)
	case slices.ContainsFunc(b.pending, func(other settlement) bool { return other.ticket == s.ticket }) || b.late[s.ticket]:
		return true
	case left != nil:
		b.late[s.ticket] = true
		found = *left
	default:
		return false
	}
	s.debit = found
	if b.settled != nil {
		close(b.settled)
		b.settled = nil
	}
	b.ledger.change(s.day, s.role, s.change())
	b.pending = append(b.pending, s)
	return true
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
	var known []settlement
	for _, s := range b.settlements() {
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
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(known)
	return nil
}

// settlements returns those that are not known to be on disk.
func (b *Budget) settlements() []settlement {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pending)
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
	result, err := tx.ExecContext(ctx, "UPDATE budget_charges SET state = 'settled', money = ?, tokens = ? WHERE id = ? AND state = 'open'",
		s.money, s.tokens, s.ticket)
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	change := s.change()
	_, err = tx.ExecContext(ctx, `UPDATE budget_days SET money = money + ?, tokens = tokens + ?,
		calls = calls + ?, exploration = exploration + ? WHERE day = ? AND role = ?`,
		change.Money, change.Tokens, change.Calls, change.Exploration, s.day, s.role)
	return true, err
}

// forget drops settlements that are on disk. The caller holds the mutex.
func (b *Budget) forget(done []settlement) {
	b.pending = slices.DeleteFunc(b.pending, func(s settlement) bool {
		return slices.ContainsFunc(done, func(d settlement) bool { return d.ticket == s.ticket })
	})
}
