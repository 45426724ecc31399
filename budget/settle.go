package budget

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

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
	found.worst.Calls = 1
	err = b.db.Read(ctx, func(tx *store.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT day, role, worst_money, worst_tokens, exploration, state = 'open' FROM budget_charges WHERE id = ?",
			int64(ticket)).Scan(&found.day, &found.role, &found.worst.Money, &found.worst.Tokens, &found.worst.Exploration, &open)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrTicket
		}
		return err
	})
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
		int64(s.money), s.tokens, int64(s.ticket))
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	change := s.change()
	_, err = tx.ExecContext(ctx, `UPDATE budget_days SET money = money + ?, tokens = tokens + ?,
		calls = calls + ?, exploration = exploration + ? WHERE day = ? AND role = ?`,
		int64(change.Money), change.Tokens, change.Calls, change.Exploration, s.day, s.role)
	return true, err
}

// forget drops settlements that are on disk. The caller holds the mutex.
func (b *Budget) forget(done []settlement) {
	b.pending = slices.DeleteFunc(b.pending, func(s settlement) bool {
		return slices.ContainsFunc(done, func(d settlement) bool { return d.ticket == s.ticket })
	})
}
