package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// keysKept is how long a key is remembered: whoever writes with one does so
	// again soon after a crash or never.
	keysKept = 30 * 24 * time.Hour
	// keysSwept bounds how many old keys go with one write.
	keysSwept = 64
)

// Add writes a record in a transaction of its own and returns it as it is
// stored.
//
// A record that says what another one of equal trust says is not stored: that
// one's SeenCount rises, and it gains the tags and citations. What strangers or
// agents said changes nothing that the person, the machine or another one said,
// nor the other way round. With a key that was used before, nothing changes; if
// the person has forgotten that record since, its Status is Forgotten.
//
// Errors wrap ErrInvalid, or ErrFull; nothing was written then.
func (s *Store) Add(ctx context.Context, r Record) (stored Record, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		stored, err = s.remember(ctx, tx, r)
		return err
	})
	if err != nil {
		return Record{}, fmt.Errorf("memory: remember: %w", err)
	}
	return stored, nil
}

// Remember writes a record in the caller's transaction, as Add does. After an
// error that wraps ErrInvalid or ErrFull the transaction can go on.
func (s *Store) Remember(ctx context.Context, tx *store.Tx, r Record) (Record, error) {
	stored, err := s.remember(ctx, tx, r)
	if err != nil {
		return Record{}, fmt.Errorf("memory: remember: %w", err)
	}
	return stored, nil
}

func (s *Store) remember(ctx context.Context, tx *store.Tx, r Record) (Record, error) {
	clean, err := s.prepare(r)
	if err != nil {
		return Record{}, err
	}
	if clean.Key != "" {
		if known, found, err := keyed(ctx, tx, clean); err != nil || found {
			return known, err
		}
	}
	now := s.now()
	stored, err := s.again(ctx, tx, clean, now)
	if errors.Is(err, ErrNotFound) {
		stored, err = s.insert(ctx, tx, clean, now)
	}
	if err != nil {
		return Record{}, err
	}
	return stored, s.keep(ctx, tx, clean, stored.ID, now)
}

// keyed returns what was written with the record's key.
func keyed(ctx context.Context, tx *store.Tx, r Record) (known Record, found bool, err error) {
	id, found, err := store.One(ctx, tx, store.Value[string], "SELECT id FROM memory_keys WHERE lane = ? AND key = ?", laneOf(r.Trust), keyOf(r.Key))
	if err != nil || !found {
		return Record{}, false, err
	}
	row, err := byID(ctx, tx, id)
	if errors.Is(err, ErrNotFound) {
		return Record{ID: id, Status: Forgotten}, true, nil
	}
	return row.Record, err == nil, err
}

// again counts a record that says what another one of its lane says. Without
// one the error is ErrNotFound.
func (s *Store) again(ctx context.Context, tx *store.Tx, r Record, now time.Time) (Record, error) {
	old, err := one(ctx, tx, "lane = ? AND hash = ?", laneOf(r.Trust), hashOf(r.Text))
	if err != nil {
		return Record{}, err
	}
	next := old
	next.SeenCount++
	next.Updated = now
	next.Tags = union(old.Tags, r.Tags, MaxTags)
	for _, c := range r.Citations {
		if len(next.Citations) < MaxCitations && !slices.Contains(next.Citations, c) {
			next.Citations = append(slices.Clone(next.Citations), c)
		}
	}
	if r.Trust == subconscious.Owner {
		next.Trust = subconscious.Owner
	}
	if old.Status == Archived {
		next.Status = Active
	}
	return next.Record, s.change(ctx, tx, old, next)
}

func (s *Store) insert(ctx context.Context, tx *store.Tx, r Record, now time.Time) (Record, error) {
	if err := s.room(ctx, tx, r.Status); err != nil {
		return Record{}, err
	}
	next := row{Record: r}
	next.ID, next.SeenCount = newID(), 1
	next.Created, next.Updated = now, now
	var err error
	if next.n, err = tx.Insert(ctx, "memory_records", strings.ReplaceAll(recordColumns, "r.", "")+", lane, hash",
		append(next.columns(), laneOf(next.Trust), hashOf(next.Text))...); err != nil {
		return Record{}, err
	}
	if err := s.index(ctx, tx, next); err != nil {
		return Record{}, err
	}
	stored, err := byID(ctx, tx, next.ID)
	return stored.Record, err
}

// keep remembers the record's key, and lets old ones go.
func (s *Store) keep(ctx context.Context, tx *store.Tx, r Record, id string, now time.Time) error {
	if r.Key == "" {
		return nil
	}
	if err := tx.Exec(ctx, `DELETE FROM memory_keys WHERE (lane, key) IN
		(SELECT lane, key FROM memory_keys WHERE at < ? ORDER BY at LIMIT ?)`, now.Add(-keysKept).UnixNano(), keysSwept); err != nil {
		return err
	}
	return tx.Exec(ctx, "INSERT INTO memory_keys (lane, key, id, at) VALUES (?, ?, ?, ?)",
		laneOf(r.Trust), keyOf(r.Key), id, now.UnixNano())
}

// room gives an error where no record of that status has a place left.
func (s *Store) room(ctx context.Context, tx *store.Tx, status Status) error {
	count, err := counts(ctx, tx)
	if err != nil {
		return err
	}
	if limit := s.options.MaxQuarantined; status == Quarantined && count.Quarantined >= limit {
		return fmt.Errorf("%w: %d records are in quarantine; confirm or forget some of them", ErrFull, limit)
	}
	if limit := s.options.MaxActive; status != Quarantined && count.Active+count.Archived >= limit {
		return fmt.Errorf("%w: there are %d records; forget some of them", ErrFull, limit)
	}
	return nil
}

// change stores what next has otherwise than old, and keeps the indexes in step.
func (s *Store) change(ctx context.Context, tx *store.Tx, old, next row) error {
	if err := tx.Exec(ctx, `UPDATE memory_records
		SET tags = ?, trust = ?, lane = ?, status = ?, citations = ?, updated = ?, seen = ? WHERE n = ?`,
		store.JSON(next.Tags), next.Trust, laneOf(next.Trust), next.Status, store.JSON(next.Citations), next.Updated.UnixNano(), next.SeenCount, next.n); err != nil {
		return err
	}
	if old.Status == next.Status && slices.Equal(old.Tags, next.Tags) {
		return nil
	}
	if err := s.unindex(ctx, tx, old); err != nil {
		return err
	}
	return s.index(ctx, tx, next)
}

// tableOf is the index of the records with that status, "" for none.
func tableOf(status Status) string {
	switch status {
	case Active:
		return "memory_trusted"
	case Quarantined:
		return "memory_apart"
	}
	return ""
}

// index lets a record be found: in the table at once, and in the ranking once the
// transaction has committed.
func (s *Store) index(ctx context.Context, tx *store.Tx, r row) error {
	table := tableOf(r.Status)
	if table == "" {
		return nil
	}
	tx.After(func() { s.ranked.add(r) })
	return tx.Exec(ctx, "INSERT INTO "+table+" (rowid, text, tags) VALUES (?, ?, ?)",
		r.n, fulltext.Split(r.Text), fulltext.Split(joined(r.Tags)))
}

func (s *Store) unindex(ctx context.Context, tx *store.Tx, r row) error {
	table := tableOf(r.Status)
	if table == "" {
		return nil
	}
	tx.After(func() { s.ranked.remove(r) })
	return tx.Exec(ctx, "DELETE FROM "+table+" WHERE rowid = ?", r.n)
}
