package actions

import (
	"cmp"
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// CloseRestored closes, in a database that comes from a backup and is not in use,
// the proposals that wait and the runs that had not ended, without telling of them;
// nothing that was run can be undone any more, as it may have been meanwhile. It
// returns how many proposals and runs it closed.
func CloseRestored(ctx context.Context, tx *store.Tx, at time.Time) (proposals, runs int64, err error) {
	now := at.UnixNano()
	proposals, err = tx.Run(ctx, `UPDATE actions_proposals SET state = 'expired', changed = ?1, expires = min(expires, ?1),
		reason = 'restored, and so closed: ' || reason WHERE state = 'pending'`, now)
	if err != nil {
		return 0, 0, wrap("close what is restored", err)
	}
	runs, err = tx.Run(ctx, `UPDATE actions_runs SET state = 'unknown', ended = ?,
		problem = 'restored: it ran when the backup was made, and is not repeated' WHERE state = 'started'`, now)
	return proposals, runs, wrap("close what is restored", cmp.Or(err,
		tx.Exec(ctx, "UPDATE actions_runs SET noticed = 1, undo_until = min(undo_until, ?)", now)))
}
