package actions

import (
	"cmp"
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

const (
	// keepAsked is how long proposals are kept that were not approved, and the
	// outputs of runs.
	keepAsked = 30 * 24 * time.Hour
	// keepDone is how long runs are kept, and what was approved.
	keepDone = 365 * 24 * time.Hour
)

// recover takes up what an earlier process left.
func (e *Engine) recover(ctx context.Context) error {
	return e.DB.Exec(ctx, `UPDATE actions_runs SET state = 'unknown', ended = ?,
			problem = 'the daemon ended while it ran: nobody knows how far it came, and it is not repeated' WHERE state = 'started'`, e.Now().UnixNano())
}

// Interrupted are the runs of which nobody knows what became, until Noticed.
func (e *Engine) Interrupted(ctx context.Context) ([]Run, error) {
	found, err := store.All(ctx, e.DB, (*Run).found, runs+"WHERE state = 'unknown' AND noticed = 0 ORDER BY number LIMIT ?", maxListed)
	return found, wrap("interrupted", err)
}

// Noticed records, in the caller's transaction, that the person is told how runs
// ended, or that nobody knows. They are not Interrupted any more, nor become it.
func (e *Engine) Noticed(ctx context.Context, tx *store.Tx, runs ...string) error {
	for _, id := range runs {
		if err := tx.Exec(ctx, "UPDATE actions_runs SET noticed = 1 WHERE number = ?", numberOf("r", id)); err != nil {
			return wrap("noticed", err)
		}
	}
	return nil
}

// Sweep expires proposals and forgets what is old, in the caller's transaction:
// after 30 days proposals that were not approved and the outputs of runs, after
// a year the rest.
func (e *Engine) Sweep(ctx context.Context, tx *store.Tx) error {
	now := e.Now()
	asked, done := now.Add(-keepAsked).UnixNano(), now.Add(-keepDone).UnixNano()
	return wrap("sweep", cmp.Or(
		expire(ctx, tx, now),
		tx.Exec(ctx, "DELETE FROM actions_proposals WHERE state IN ('rejected', 'expired') AND changed < ?", asked),
		tx.Exec(ctx, "DELETE FROM actions_proposals WHERE state = 'approved' AND changed < ?", done),
		tx.Exec(ctx, "UPDATE actions_runs SET output = '' WHERE output <> '' AND ended > 0 AND ended < ?", asked),
		tx.Exec(ctx, "DELETE FROM actions_runs WHERE state NOT IN ('started') AND ended > 0 AND ended < ?", done),
	))
}
