package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

// ProposalState is what became of a proposal.
type ProposalState string

const (
	Pending  ProposalState = "pending"
	Approved ProposalState = "approved"
	Rejected ProposalState = "rejected"
	Expired  ProposalState = "expired"
)

// Proposal is an action that waits for the person, or did.
type Proposal struct {
	ID    string        `json:"id"` // "p-…", unique for good
	State ProposalState `json:"state"`
	Exact
	At      time.Time `json:"at"`
	Expires time.Time `json:"expires"`
	Changed time.Time `json:"decided,omitzero"` // when it got its state
	Run     string    `json:"run,omitempty"`    // the id of its run; "" without one
	By      string    `json:"by,omitempty"`     // the process that approved it, as in Run
}

// maxPending bounds the proposals that wait.
const maxPending = 100

// Propose has the person asked, in the caller's transaction. A second call with
// the same key returns the first one's proposal, whatever else it holds. An
// *Error says what does not fit, or that too many wait.
func (e *Engine) Propose(ctx context.Context, tx *store.Tx, r Request) (Proposal, error) {
	r, err := e.check(r)
	if err != nil {
		return Proposal{}, fmt.Errorf("actions: propose: %w", err)
	}
	if before, ok, err := findProposal(ctx, tx, "WHERE p.key = ?", r.Key); err != nil || ok {
		return before.at(e.Now()), wrap("propose", err)
	}
	b, err := e.Check(r.Action, r.Arguments)
	if err != nil {
		return Proposal{}, err
	}
	now := e.Now()
	if err := expire(ctx, tx, now); err != nil {
		return Proposal{}, wrap("propose", err)
	}
	waiting, _, err := store.One(ctx, tx, store.Value[int], "SELECT count(*) FROM actions_proposals WHERE state = 'pending'")
	if err != nil {
		return Proposal{}, wrap("propose", err)
	}
	if waiting >= maxPending {
		return Proposal{}, refuse(CodeFull, "approve or reject some of them", "%d proposals wait", waiting)
	}
	if err := failpoint.Hit("actions.propose"); err != nil {
		return Proposal{}, err
	}
	p := Proposal{State: Pending, Exact: b.of(r.Act), At: r.At.UTC(), Expires: r.At.Add(r.Expires).UTC(), Changed: now.UTC()}
	if err := p.insert(ctx, tx); err != nil {
		return Proposal{}, wrap("propose", err)
	}
	return p.at(now), failpoint.Hit("actions.proposed")
}

// Reject ends a proposal that waits. One that was rejected before stays so.
func (e *Engine) Reject(ctx context.Context, id string) (p Proposal, err error) {
	err = e.DB.Write(ctx, func(tx *store.Tx) error {
		p, err = e.RejectIn(ctx, tx, id)
		return err
	})
	if err != nil {
		return Proposal{}, wrap("reject", err)
	}
	return p, failpoint.Hit("actions.rejected")
}

// RejectIn is Reject in the caller's transaction.
func (e *Engine) RejectIn(ctx context.Context, tx *store.Tx, id string) (Proposal, error) {
	now := e.Now()
	if err := expire(ctx, tx, now); err != nil {
		return Proposal{}, err
	}
	p, err := proposalByID(ctx, tx, id)
	if err != nil {
		return Proposal{}, err
	}
	switch p.State {
	case Rejected:
		return p, nil
	case Approved:
		return p, singleUse(approval{proposal: p})
	case Expired:
		return p, notExpired(approval{proposal: p})
	}
	if err := failpoint.Hit("actions.reject"); err != nil {
		return p, err
	}
	p.State, p.Changed = Rejected, now.UTC()
	return p, p.put(ctx, tx)
}

// at is the proposal as it stands at a time: what has expired is no longer
// pending, whether or not a sweep has been there.
func (p Proposal) at(now time.Time) Proposal {
	if p.State == Pending && !now.Before(p.Expires) {
		p.State, p.Changed = Expired, p.Expires
	}
	return p
}

// expire ends the proposals whose time is over.
func expire(ctx context.Context, tx *store.Tx, now time.Time) error {
	return tx.Exec(ctx, "UPDATE actions_proposals SET state = 'expired', changed = expires WHERE state = 'pending' AND expires <= ?", now.UnixNano())
}

// wrap says what was done when the database failed; a refusal stays as it is.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("actions: %s: %w", operation, err)
}
