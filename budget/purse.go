package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Purse is money that is taken off a budget once, for the several calls of one
// deliberation, which are paid out of it: they can never take more together.
//
// The money is debited at the worst case, all that it may cost, before
// its first call that costs anything, and settled when the purse is closed;
// after a crash the worst case stays. What each call takes of the tokens and
// the calls of a day is debited by itself, as ever: the purse is money alone,
// and counts as no call, so that nothing counts twice. A deliberation whose calls are
// all free debits no money.
//
// While it is closed every charge goes to the budget as it is. It is safe for
// concurrent use.
type Purse struct {
	budget *Budget

	mu   sync.Mutex
	open bool
	// charge is the purse's own; its worst case is the cap, which is less than
	// was asked for where a limit has less.
	charge Charge
	ticket Ticket // 0 until money is taken
	used   Money  // settled, and what is not settled at its worst
	opened int    // how often it was opened
	// drawn are the calls that are paid out of it, until they are settled.
	drawn map[Ticket]draw
}

// draw is the worst case of a call, and which opening of the purse it is of.
type draw struct {
	worst  Money
	opened int
}

// ErrPurse is the error of Open where the purse is open.
var ErrPurse = errors.New("budget: the purse is open")

// NewPurse returns a closed purse.
func NewPurse(b *Budget) *Purse { return &Purse{budget: b, drawn: map[Ticket]draw{}} }

// Open begins a deliberation that may cost charge.Worst.Money; its tokens do not
// count. Nothing is debited before the first call that costs anything.
func (p *Purse) Open(_ context.Context, charge Charge) error {
	charge.Worst.Tokens, charge.purse = 0, true
	if err := charge.check(); err != nil {
		return fmt.Errorf("budget: open the purse: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		return ErrPurse
	}
	p.open, p.charge, p.ticket, p.used = true, charge, 0, 0
	p.opened++
	return nil
}

// Close ends the deliberation, gives back what it did not take, and returns what it
// took. Calls that are not settled yet count at their worst. Closing a closed
// purse does nothing.
func (p *Purse) Close(ctx context.Context) (Amount, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open {
		return Amount{}, nil
	}
	p.open = false
	if p.ticket == 0 {
		return Amount{}, nil
	}
	took := Amount{Money: p.used}
	if err := p.budget.Settle(ctx, p.ticket, Amount{Money: p.used, Unmade: p.used == 0}); err != nil {
		return took, fmt.Errorf("budget: close the purse: %w", err)
	}
	return took, nil
}

// Debit is Budget.Debit, but that the money of the call comes out of the purse
// where it is open. A *Refusal of PurseMoney is the error where there is not
// enough left in it.
func (p *Purse) Debit(ctx context.Context, charge Charge) (Ticket, error) {
	drawn, err := p.draw(ctx, charge)
	if err != nil {
		return 0, err
	}
	if drawn.opened > 0 {
		charge.Worst.Money = 0
	}
	ticket, err := p.budget.Debit(ctx, charge)
	if drawn.opened == 0 {
		return ticket, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.put(drawn, 0)
		return 0, err
	}
	p.drawn[ticket] = drawn
	return ticket, nil
}

// put replaces what was drawn by what was taken, where the purse is still open.
func (p *Purse) put(d draw, took Money) {
	if p.open && p.opened == d.opened {
		p.used += took - d.worst
	}
}

// draw takes a call's worst case out of the purse; zero where the call is not
// paid thereby.
func (p *Purse) draw(ctx context.Context, charge Charge) (draw, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open || charge.Worst.Money <= 0 {
		return draw{}, nil
	}
	if p.ticket == 0 {
		if err := p.fill(ctx, charge); err != nil {
			return draw{}, err
		}
	}
	if most := p.charge.Worst.Money; charge.Worst.Money > most-p.used {
		return draw{}, &Refusal{Limit: PurseMoney, Role: charge.Role, Allowed: int64(most), Used: int64(p.used), Worst: int64(charge.Worst.Money)}
	}
	p.used += charge.Worst.Money
	return draw{worst: charge.Worst.Money, opened: p.opened}, nil
}

// fill debits the purse. Where a limit has less than the deliberation may cost, and
// enough for its first call, that is what it may cost.
func (p *Purse) fill(ctx context.Context, first Charge) error {
	own := p.charge
	own.At, own.Tick, own.Provider, own.Model = first.At, first.Tick, first.Provider, first.Model
	if least := first.Worst.Money; least > own.Worst.Money {
		return &Refusal{Limit: PurseMoney, Role: first.Role, Allowed: int64(own.Worst.Money), Worst: int64(least)}
	}
	for {
		ticket, err := p.budget.debit(ctx, own)
		if err == nil {
			p.ticket, p.charge = ticket, own
			return nil
		}
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok {
			return err
		}
		left := Money(max(refusal.Allowed-refusal.Used, 0))
		money := refusal.Limit == MoneyPerDay || refusal.Limit == MoneyPerMonth
		if !money || left < first.Worst.Money || left >= own.Worst.Money {
			return p.budget.refuse(refusal)
		}
		own.Worst.Money = left
	}
}

// Settle is Budget.Settle, but that money which came out of the purse goes back
// there as far as it was not taken.
func (p *Purse) Settle(ctx context.Context, ticket Ticket, actual Amount) error {
	p.mu.Lock()
	if d, ok := p.drawn[ticket]; ok && actual.Money >= 0 {
		delete(p.drawn, ticket)
		p.put(d, min(actual.Money, maxCharge))
		actual.Money = 0
	}
	p.mu.Unlock()
	return p.budget.Settle(ctx, ticket, actual)
}
