package actions

import (
	"cmp"
	"context"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxListed bounds a list.
const maxListed = 500

// Query says which proposals or runs are listed. What is empty counts for all.
type Query struct {
	Incident     subconscious.IncidentID
	Deliberation string
	// Pending: those that wait alone. It is for proposals.
	Pending bool
	// Proposal: the run of that proposal. It is for runs.
	Proposal string
	// Undoable: those alone that can be undone now. It is for runs.
	Undoable bool
	// Limit is 1 to 500; 0 is 50.
	Limit int
}

// args are what both lists ask for.
func (q Query) args(also ...any) []any {
	return append([]any{string(q.Incident), q.Deliberation, min(max(cmp.Or(q.Limit, 50), 1), maxListed)}, also...)
}

// Proposals are listed newest first.
func (e *Engine) Proposals(ctx context.Context, q Query) ([]Proposal, error) {
	now := e.Now()
	found, err := store.All(ctx, e.DB, (*Proposal).found, proposals+`WHERE (?1 = '' OR p.incident = ?1) AND (?2 = '' OR p.deliberation = ?2)
		AND (NOT ?4 OR p.state = 'pending' AND p.expires > ?5) ORDER BY p.number DESC LIMIT ?3`, q.args(q.Pending, now.UnixNano())...)
	for i := range found {
		found[i] = found[i].at(now)
	}
	return found, wrap("proposals", err)
}

// Proposal returns one, or an *Error not_found.
func (e *Engine) Proposal(ctx context.Context, id string) (Proposal, error) {
	p, err := proposalByID(ctx, e.DB, id)
	return p.at(e.Now()), wrap("proposal", err)
}

// Problem says why a proposal that waits cannot be approved as it is stored; nil
// for nothing.
func (e *Engine) Problem(p Proposal) error {
	a := approval{proposal: p}
	a.fresh, a.problem = e.Check(p.Action, p.Arguments)
	if err := asConfigured(a); err != nil {
		return err
	}
	return e.guards.asStored(p.ID, p.Argv, p.Folder, a.fresh)
}

// Altered says that what is stored of a run is not what it ran, as far as its
// action is still the same; nil for nothing.
func (e *Engine) Altered(r Run) error {
	b, err := e.Check(r.Action, r.Arguments)
	if err != nil || !equal(b.Hash, r.Hash) {
		return nil
	}
	if r.UndoOf != "" {
		b.Argv = b.undo
	}
	return e.guards.asStored(r.ID, r.Argv, r.Folder, b)
}

// Runs are listed newest first.
func (e *Engine) Runs(ctx context.Context, q Query) ([]Run, error) {
	found, err := store.All(ctx, e.DB, (*Run).found, runs+`WHERE (?1 = '' OR incident = ?1) AND (?2 = '' OR deliberation = ?2) AND (?4 = '' OR proposal = ?4)
		AND (NOT ?5 OR state = 'succeeded' AND undo_until > ?6) ORDER BY number DESC LIMIT ?3`, q.args(q.Proposal, q.Undoable, e.Now().UnixNano())...)
	return found, wrap("runs", err)
}

// Run returns one, or an *Error not_found.
func (e *Engine) Run(ctx context.Context, id string) (Run, error) {
	r, err := runByID(ctx, e.DB, id)
	return r, wrap("run", err)
}
