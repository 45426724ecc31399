package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Confirm takes a record out of quarantine, or out of the archive, and makes it
// the person's own word. Where there is a trusted record that says the same,
// that one stays, becomes the person's word, and is returned. It is called on
// the person's word alone: never for a model or an agent.
//
// Errors wrap ErrNotFound, or ErrFull.
func (s *Store) Confirm(ctx context.Context, id string) (Record, error) {
	var confirmed Record
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		confirmed, err = s.confirm(ctx, tx, id)
		return err
	})
	if err != nil {
		return Record{}, fmt.Errorf("memory: confirm %s: %w", subconscious.Clip(id, MaxName), err)
	}
	return confirmed, nil
}

func (s *Store) confirm(ctx context.Context, tx *store.Tx, id string) (Record, error) {
	old, err := byID(ctx, tx, id)
	if err != nil {
		return Record{}, err
	}
	if old.Status == Quarantined {
		same, err := one(ctx, tx, "lane = ? AND hash = ?", laneTrusted, hashOf(old.Text))
		if err == nil {
			return s.merge(ctx, tx, old, same)
		}
		if !errors.Is(err, ErrNotFound) {
			return Record{}, err
		}
		if err := s.room(ctx, tx, Active); err != nil {
			return Record{}, err
		}
	}
	return s.own(ctx, tx, old)
}

// merge erases what is in quarantine in favour of the trusted record that says
// the same.
func (s *Store) merge(ctx context.Context, tx *store.Tx, apart, same row) (Record, error) {
	if err := s.erase(ctx, tx, apart); err != nil {
		return Record{}, err
	}
	if err := tx.Exec(ctx, "UPDATE memory_keys SET id = ? WHERE id = ?", same.ID, apart.ID); err != nil {
		return Record{}, err
	}
	return s.own(ctx, tx, same)
}

// own makes a record active and the person's own word.
func (s *Store) own(ctx context.Context, tx *store.Tx, old row) (Record, error) {
	next := old
	next.Status, next.Trust = Active, subconscious.Owner
	if next.Status == old.Status && next.Trust == old.Trust {
		return old.Record, nil
	}
	next.Updated = s.now()
	return next.Record, s.change(ctx, tx, old, next)
}

// Archive keeps an active record, but no longer finds it. Whoever is trusted
// brings it back by saying the same again, and the person by Confirm.
//
// Errors wrap ErrNotFound, or ErrInvalid where it is in quarantine.
func (s *Store) Archive(ctx context.Context, id string) (Record, error) {
	var archived Record
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		if old.Status == Quarantined {
			return fmt.Errorf("%w: it is in quarantine; confirm or forget it", ErrInvalid)
		}
		next := old
		next.Status, next.Updated = Archived, s.now()
		archived = next.Record
		return s.change(ctx, tx, old, next)
	})
	if err != nil {
		return Record{}, fmt.Errorf("memory: archive %s: %w", subconscious.Clip(id, MaxName), err)
	}
	return archived, nil
}

// Forget erases a record: from the table, the index and the write-ahead log.
// Backups that were made before still hold it. An error wraps ErrNotFound.
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
	return tx.Exec(ctx, "DELETE FROM memory_records WHERE n = ?", r.n)
}
