package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// CloseRestored closes, in a database that comes from a backup and is not in use,
// what waits to be sent: by now it was sent, or is old. The key is made anew, so that
// no button of a message of then is taken. It returns how many messages it closed.
func CloseRestored(ctx context.Context, tx *store.Tx, at time.Time) (int64, error) {
	closed, err := tx.Run(ctx, `UPDATE notify_outbox SET state = 'expired', changed = ?, doubted = 0, next = '',
		error = 'restored: it waited when the backup was made' WHERE state IN ('pending', 'sending')`, store.Time(&at))
	if err == nil {
		err = tx.Exec(ctx, "DELETE FROM notify_key")
	}
	if err != nil {
		return 0, fmt.Errorf("notify: close what is restored: %w", err)
	}
	return closed, nil
}
