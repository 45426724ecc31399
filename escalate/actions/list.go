package actions

import (
	"context"
	"strings"

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

// where builds the conditions.
func (q Query) where(table string) (conditions []string, args []any, limit int) {
	if q.Incident != "" {
		conditions, args = append(conditions, table+"incident = ?"), append(args, string(q.Incident))
	}
	if q.Deliberation != "" {
		conditions, args = append(conditions, table+"deliberation = ?"), append(args, q.Deliberation)
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	return conditions, args, min(max(q.Limit, 1), maxListed)
}

func clauses(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(conditions, " AND ") + " "
}

// Proposals are listed newest first.
func (e *Engine) Proposals(ctx context.Context, q Query) (found []Proposal, err error) {
	now := e.Now()
	conditions, args, limit := q.where("p.")
	if q.Pending {
		conditions, args = append(conditions, "p.state = 'pending' AND p.expires > ?"), append(args, now.UnixNano())
	}
	err = e.DB.Read(ctx, func(tx *store.Tx) error {
		found, err = findProposals(ctx, tx, clauses(conditions)+"ORDER BY p.number DESC LIMIT ?", append(args, limit)...)
		return err
	})
	for i := range found {
		found[i] = found[i].at(now)
	}
	return found, wrap("proposals", err)
}

// Pending counts the proposals that wait.
func (e *Engine) Pending(ctx context.Context) (waiting int, err error) {
	err = e.DB.Read(ctx, func(tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM actions_proposals WHERE state = 'pending' AND expires > ?", e.Now().UnixNano()).Scan(&waiting)
	})
	return waiting, wrap("pending", err)
}

// Proposal returns one, or an *Error not_found.
func (e *Engine) Proposal(ctx context.Context, id string) (p Proposal, err error) {
	err = e.DB.Read(ctx, func(tx *store.Tx) error {
		p, err = proposalByID(ctx, tx, id)
		return err
	})
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
func (e *Engine) Runs(ctx context.Context, q Query) (found []Run, err error) {
	conditions, args, limit := q.where("")
	if q.Proposal != "" {
		conditions, args = append(conditions, "proposal = ?"), append(args, q.Proposal)
	}
	if q.Undoable {
		conditions, args = append(conditions, "state = 'succeeded' AND undo_until > ?"), append(args, e.Now().UnixNano())
	}
	err = e.DB.Read(ctx, func(tx *store.Tx) error {
		found, err = findRuns(ctx, tx, clauses(conditions)+"ORDER BY number DESC LIMIT ?", append(args, limit)...)
		return err
	})
	return found, wrap("runs", err)
}

// Run returns one, or an *Error not_found.
func (e *Engine) Run(ctx context.Context, id string) (r Run, err error) {
	err = e.DB.Read(ctx, func(tx *store.Tx) error {
		r, err = runByID(ctx, tx, id)
		return err
	})
	return r, wrap("run", err)
}
