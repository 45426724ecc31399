package deliberate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// CloseRestored ends, in a database that comes from a backup and is not in use, the
// escalations that had not ended, and returns how many. Nothing follows from them.
func CloseRestored(ctx context.Context, tx *store.Tx, at time.Time) (int64, error) {
	var packer store.Packer
	raw, err := json.Marshal(Ending{Fallback: "restored: it had not ended when the backup was made"})
	if err == nil {
		raw, err = packer.Pack(raw, nil)
	}
	var closed int64
	if err == nil {
		closed, err = tx.Run(ctx, "UPDATE escalations SET state = 'ended', ended = ?, ending = ? WHERE state <> 'ended'", at.UnixNano(), raw)
	}
	if err != nil {
		return 0, fmt.Errorf("deliberate: close what is restored: %w", err)
	}
	return closed, nil
}
