package models

import (
	"context"

	"github.com/subconsciousd/subconsciousd/budget"
)

// Meter is what the budget's decorator needs; *budget.Budget is one.
type Meter interface {
	// Debit takes what a call costs at worst; the error is a *budget.Refusal
	// where a limit has no room for it.
	Debit(ctx context.Context, charge budget.Charge) (budget.Ticket, error)
	// Settle puts what the call took in its place. It is idempotent.
	Settle(ctx context.Context, ticket budget.Ticket, actual budget.Amount) error
}
