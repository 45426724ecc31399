package actions

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Undo undoes a run: once, within 10 minutes of its end, where the action says
// how, and only one that succeeded; by is as in Approve. An *Error says why not;
// for the rest it is as Execute. The undoing of an undoing is not offered.
func (e *Engine) Undo(ctx context.Context, id, by string) (Run, error) {
	r, err := e.Run(ctx, id)
	if err != nil {
		return Run{}, err
	}
	c := &claim{run: runOf(r.Act, "undo/"+r.ID), late: refuse(CodeUsed, "look at what it did", "%s is being undone", id)}
	c.run.Reason, c.run.UndoOf, c.run.By = "undoes "+r.ID, r.ID, by
	c.record = func(ctx context.Context, tx *store.Tx, c *claim) (*Run, error) {
		if before, twice, err := findRun(ctx, tx, "WHERE undoes = ?", id); err != nil {
			return nil, err
		} else if twice && before.State != RunSucceeded {
			return nil, refuse(CodeUsed, "undo it by hand", "%s was to undo %s, and is %s; it is tried once", before.ID, id, before.State)
		} else if twice {
			return nil, refuse(CodeUsed, "look at what it did", "%s was undone before", id)
		}
		r, err := runByID(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		b, err := e.undoable(r, c.run.Started)
		if err != nil {
			return nil, err
		}
		c.take(b, b.undo)
		if err := e.begin(ctx, tx, c, Request{}); err != nil {
			return nil, err
		}
		return nil, tx.Exec(ctx, "UPDATE actions_runs SET undo_until = 0 WHERE number = ?", numberOf("r", id))
	}
	return e.perform(ctx, r.Action, c)
}

// undoable binds what undoes a run.
func (e *Engine) undoable(r Run, at time.Time) (Bound, error) {
	switch {
	case r.UndoOf != "":
		return Bound{}, refuse(CodeNoUndo, "have the action proposed again", "%s is itself what undid %s", r.ID, r.UndoOf)
	case r.State != RunSucceeded:
		return Bound{}, refuse(CodeNoUndo, "look at what it did", "%s has not succeeded: it is %s", r.ID, r.State)
	case r.UndoUntil.IsZero():
		return Bound{}, refuse(CodeNoUndo, "name what undoes it as its undo, for the next time", "nothing undoes %s", r.Action)
	case !at.Before(r.UndoUntil) || at.Before(r.Started):
		return Bound{}, refuse(CodeExpired, "undo it by hand", "%s could be undone until %s", r.ID, r.UndoUntil.Format(time.RFC3339))
	}
	b, err := e.Check(r.Action, r.Arguments)
	if err != nil {
		return Bound{}, err
	}
	if !equal(b.Hash, r.Hash) || len(b.undo) == 0 {
		return Bound{}, refuse(CodeChanged, "undo it by hand", "the action %s is another one than when %s ran", r.Action, r.ID)
	}
	return b, e.guards.asStored(r.ID, r.Argv, r.Folder, b)
}
