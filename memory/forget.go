package memory

import (
	"context"
	"fmt"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Forget erases a record: from the tables, the indexes, its history and the write-ahead
// log. Backups that were made before still hold it. An error wraps ErrNotFound.
func (s *Store) Forget(ctx context.Context, id string) error {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		return s.erase(ctx, tx, old)
	})
	if err != nil {
		return fmt.Errorf("memory: forget %s: %w", subconscious.Clip(id, MaxName), err)
	}
	// It is forgotten; what stays in the log for now is nothing that the
	// person could do about.
	if done, err := s.db.Checkpoint(ctx); err != nil {
		s.options.Logger.Warn("what was forgotten stays in the write-ahead log for now", "record", id, "error", err)
	} else if !done {
		s.options.Logger.Warn("what was forgotten stays in the write-ahead log for now", "record", id, "error", "the database is being read")
	}
	return nil
}

func (s *Store) erase(ctx context.Context, tx *store.Tx, r row) error {
	if err := s.unindex(ctx, tx, r); err != nil {
		return err
	}
	for _, statement := range []string{
		"DELETE FROM memory_events WHERE id = ?",
		"DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1",
		"DELETE FROM memory_recalled WHERE id = ?",
		"DELETE FROM memory_records WHERE id = ?",
	} {
		if err := tx.Exec(ctx, statement, r.ID); err != nil {
			return err
		}
	}
	return nil
}
