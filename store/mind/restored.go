package mind

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

const metaRestored = "restored"

// MarkRestored notes in the transaction tx of another that the mind comes from a
// backup: digests that were due by then count as sent, and notices as told. Pause
// and commands stay.
func MarkRestored(ctx context.Context, tx *store.Tx, at time.Time) error {
	err := putMeta(ctx, tx, metaRestored, at.Format(time.RFC3339Nano))
	if err == nil {
		err = putDigests(ctx, tx, Digests{Daily: at, Weekly: at})
	}
	if err == nil {
		err = tx.Exec(ctx, "UPDATE mind_notices SET told = 1")
	}
	return wrap("mark as restored", err)
}

// Restored returns when the mind was last restored from a backup; zero for never.
func (s *Store) Restored(ctx context.Context) (at time.Time, err error) {
	text, ok, err := s.Meta(ctx, metaRestored)
	if err == nil && ok {
		at, err = time.Parse(time.RFC3339Nano, text)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("mind: restored: %w", err)
	}
	return at, nil
}
