package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Approvable says why a proposal would not be run, as Approve does, and runs nothing.
func (e *Engine) Approvable(ctx context.Context, id, hash string) error {
	err := e.DB.Read(ctx, func(tx *store.Tx) error { return e.approvable(ctx, tx, id, hash, e.Now(), new(approval)) })
	return wrap("approve", err)
}

// approvable reads all that an approval is held against.
func (e *Engine) approvable(ctx context.Context, tx *store.Tx, id, hash string, at time.Time, a *approval) error {
	p, err := proposalByID(ctx, tx, id)
	if err != nil {
		return err
	}
	*a = approval{proposal: p.at(at), given: hash, at: at}
	a.fresh, a.problem = e.Check(p.Action, p.Arguments)
	if a.hour, a.day, err = counts(ctx, tx, p.Action, at); err != nil {
		return err
	}
	return e.guards.check(*a)
}

// Approve runs a proposal, once. The hash is the one that was shown with it:
// the arguments are bound again, and run only if what comes of it is the same
// under the present configuration. It is for the person at home alone; by is the
// process that asks for it, as Caller says it.
//
// An *Error says why not: not_found, expired, used, changed, limit, busy,
// stopped, or what Check says. Then nothing ran, and what was pending still is.
// For the rest it is as Execute.
func (e *Engine) Approve(ctx context.Context, id, hash, by string) (Run, error) {
	p, err := e.Proposal(ctx, id)
	if err != nil {
		return Run{}, err
	}
	// The first that comes decides; whoever comes meanwhile is too late.
	c := &claim{run: runOf(p.Act, fmt.Sprintf("proposal/%d", numberOf("p", p.ID))),
		late: refuse(CodeUsed, "look at its run: it began already", "the proposal %s was approved before", p.ID)}
	c.run.Proposal, c.run.By = p.ID, by
	c.record = func(ctx context.Context, tx *store.Tx, c *claim) (*Run, error) {
		// All of it is read again: it may have changed since.
		var a approval
		if err := e.approvable(ctx, tx, id, hash, c.run.Started, &a); err != nil {
			return nil, err
		}
		p := a.proposal
		p.State, p.Changed = Approved, c.run.Started
		if err := p.put(ctx, tx); err != nil {
			return nil, err
		}
		c.take(a.fresh, a.fresh.Argv)
		return nil, e.begin(ctx, tx, c, Request{Act: p.Act, At: p.At})
	}
	return e.perform(ctx, p.Action, c)
}
