package budget

import (
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

// request is a charge on its way into the database.
type request struct {
	charge Charge
	worst  Sum
	// turn is sent true where this request is to write those that wait, and
	// false when it is done.
	turn   chan bool
	day    string
	ticket Ticket
	err    error
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
// are written together. The context ends no debit that has begun, so that none
// is left without a ticket; that wait is bounded.
func (b *Budget) Debit(ctx context.Context, charge Charge) (Ticket, error) {
	waiting, cancel := context.WithTimeout(ctx, patience(ctx))
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

// patience is how long to wait for calls that are being made.
func patience(ctx context.Context) time.Duration {
	ends, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return time.Until(ends) / 2
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

// debit decides about a charge as things are now.
func (b *Budget) debit(ctx context.Context, charge Charge) (Ticket, error) {
	if err := charge.check(); err != nil {
		return 0, fmt.Errorf("budget: debit: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("budget: debit: %w", err)
	}
	worst := Sum{Money: min(charge.Worst.Money, maxCharge), Tokens: min(charge.Worst.Tokens, maxTokens), Calls: 1}
	if charge.purse {
		worst.Calls = 0
	}
	if charge.Exploration {
		worst.Exploration = 1
	}
	r := &request{charge: charge, worst: worst, turn: make(chan bool, 1)}
	b.mu.Lock()
	b.queue = append(b.queue, r)
	if len(b.queue) == 1 {
		r.turn <- true
	}
	b.mu.Unlock()
	if <-r.turn {
		// Others that are about to come are written with this one.
		runtime.Gosched()
		b.serve(ctx)
	}
	if r.err != nil {
		return 0, r.err
	}
	return r.ticket, nil
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

// serve decides the requests that wait, as far as they are of one day, and
// writes those that are let through in one transaction. Then it is the next
// one's turn.
func (b *Budget) serve(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	batch := b.decide(b.turnTo(ctx))
	b.write(ctx, batch)
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, r := range batch {
		if r.err == nil {
			b.open[r.ticket] = debit{r.day, r.charge.Role, r.worst}
		}
		if i > 0 {
			r.turn <- false
		}
	}
	b.queue = b.queue[len(batch):]
	if len(b.queue) > 0 {
		b.queue[0].turn <- true
	}
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

// decide returns the requests at the head of the queue that are of the
// ledger's day. Those that are let through are counted, the others have an
// error. Where it was given one, that is what all that wait get.
func (b *Budget) decide(err error) []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		err = errors.New("the budget is closed")
	}
	for i, r := range b.queue {
		if err != nil {
			r.err = fmt.Errorf("budget: debit: %w", err)
			continue
		}
		if b.ledger.dayFor(r.charge.At) != b.ledger.day {
			return b.queue[:i]
		}
		if refusal := b.ledger.refuse(b.config, r.charge); refusal != nil {
			r.err = refusal
			continue
		}
		r.day = b.ledger.day
		b.ledger.change(r.day, r.charge.Role, r.worst)
		b.ledger.extend(r.charge.At)
	}
	return b.queue
}

// write stores the requests of the batch that were let through, and with them
// what is settled. With an error none of them counts.
func (b *Budget) write(ctx context.Context, batch []*request) {
	accepted := slices.DeleteFunc(slices.Clone(batch), func(r *request) bool { return r.err != nil })
	if len(accepted) == 0 {
		return
	}
	b.mu.Lock()
	ends := b.ledger.ends
	b.mu.Unlock()
	done := b.settlements()
	b.batches++
	err := b.db.Write(ctx, func(tx *store.Tx) error {
		for _, r := range accepted {
			if err := r.put(ctx, tx, ends); err != nil {
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
	b.mu.Lock()
	defer b.mu.Unlock()
	written := err == nil
	if written {
		b.forget(done)
		// It is on disk, and counts whatever becomes of it.
		if err = failpoint.Hit("budget.debited"); err == nil {
			return
		}
	}
	for _, r := range accepted {
		r.err = fmt.Errorf("budget: debit: %w", err)
		if !written {
			b.ledger.change(r.day, r.charge.Role, Sum{}.minus(r.worst))
		}
	}
}

// put stores a charge and adds it to the sums of its day.
func (r *request) put(ctx context.Context, tx *store.Tx, ends time.Time) error {
	c, w := r.charge, r.worst
	_, zone := c.At.Zone()
	result, err := tx.ExecContext(ctx, `INSERT INTO budget_charges
		(at, zone, day, tick, role, provider, model, exploration, worst_money, worst_tokens, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`,
		c.At.UnixNano(), zone, r.day, c.Tick, c.Role, c.Provider, c.Model, w.Exploration, int64(w.Money), w.Tokens)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	r.ticket = Ticket(id)
	_, err = tx.ExecContext(ctx, `INSERT INTO budget_days (day, role, money, tokens, calls, exploration, ends) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (day, role) DO UPDATE SET money = money + excluded.money, tokens = tokens + excluded.tokens,
			calls = calls + excluded.calls, exploration = exploration + excluded.exploration, ends = excluded.ends`,
		r.day, c.Role, int64(w.Money), w.Tokens, w.Calls, w.Exploration, ends.UnixNano())
	return err
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
