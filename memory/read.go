package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	defaultLimit = 10
	maxLimit     = 100
)

// row is a record with its place in the indexes.
type row struct {
	Record
	n int64
}

const recordColumns = "r.id, r.kind, r.text, r.tags, r.trust, r.status, r.agent, r.deliberation, r.incident, r.citations, r.created, r.updated, r.seen"

func (r *Record) columns() []any {
	return []any{&r.ID, &r.Kind, &r.Text, store.JSON(&r.Tags), &r.Trust, &r.Status, &r.Agent, &r.Deliberation,
		&r.Incident, store.JSON(&r.Citations), store.Time(&r.Created), store.Time(&r.Updated), &r.SeenCount}
}

func joined(tags []string) string { return strings.Join(tags, "\n") }

// one returns the record for which the condition holds, or ErrNotFound.
func one(ctx context.Context, from store.Source, condition string, args ...any) (row, error) {
	r, ok, err := store.One(ctx, from, func(r *row) []any { return append(r.columns(), &r.n) }, "SELECT "+recordColumns+", r.n FROM memory_records r WHERE "+condition, args...)
	if err == nil && !ok {
		err = ErrNotFound
	}
	return r, err
}

func byID(ctx context.Context, from store.Source, id string) (row, error) {
	return one(ctx, from, "id = ?", id)
}

// Get returns the record with that ID, whatever its status. An error wraps
// ErrNotFound.
func (s *Store) Get(ctx context.Context, id string) (Record, error) {
	found, err := byID(ctx, s.db, id)
	if err != nil {
		return Record{}, fmt.Errorf("memory: get %s: %w", subconscious.Clip(id, MaxName), err)
	}
	return found.Record, nil
}

// Search returns the records that fit the words best, best first: active ones,
// or with q.Quarantined those in quarantine, never both. Without a word in
// q.Words nothing is found. An error of the query wraps ErrInvalid.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) {
	limit, err := q.limit()
	if err != nil {
		return nil, fmt.Errorf("memory: search: %w", err)
	}
	if s.ranked.whole.Load() {
		// Words that say little are in the tables alone.
		if hits, err := s.recalled(ctx, q, limit); err != nil || len(hits) > 0 {
			return hits, err
		}
	}
	expression, ok := fulltext.Match(q.Words)
	if !ok {
		return nil, nil
	}
	status := q.status()
	// A tag counts half as much as a word of the text.
	table := tableOf(status)
	best := "SELECT rowid AS n, bm25(" + table + ", 1.0, 0.5) AS rank FROM " + table + " WHERE " + table + " MATCH ?"
	args := []any{expression}
	if q.Kind != "" {
		best += " AND EXISTS (SELECT 1 FROM memory_records WHERE n = " + table + ".rowid AND kind = ?)"
		args = append(args, q.Kind)
	}
	query := "SELECT " + recordColumns + ", -best.rank FROM (" + best + " ORDER BY rank, rowid DESC LIMIT ?) AS best" +
		" JOIN memory_records r ON r.n = best.n AND r.status = ? ORDER BY best.rank, r.n DESC"
	hits, err := store.All(ctx, s.db, func(h *Hit) []any { return append(h.columns(), &h.Score) }, query, append(args, limit, status)...)
	if err != nil {
		return nil, fmt.Errorf("memory: search: %w", err)
	}
	return hits, nil
}

// List returns records, the first written last, those that are active or, with
// q.Quarantined, in quarantine. Words are ignored. An error of the query wraps
// ErrInvalid, or ErrNotFound where there is no record q.Before.
func (s *Store) List(ctx context.Context, q Query) ([]Record, error) {
	limit, err := q.limit()
	if err != nil {
		return nil, fmt.Errorf("memory: list: %w", err)
	}
	condition, args := "r.status = ?", []any{q.status()}
	if q.Kind != "" {
		condition, args = condition+" AND r.kind = ?", append(args, q.Kind)
	}
	if q.Before != "" {
		before, err := byID(ctx, s.db, q.Before)
		if err != nil {
			return nil, fmt.Errorf("memory: list: %w", err)
		}
		condition, args = condition+" AND r.n < ?", append(args, before.n)
	}
	records, err := store.All(ctx, s.db, (*Record).columns, "SELECT "+recordColumns+" FROM memory_records r WHERE "+condition+" ORDER BY r.n DESC LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("memory: list: %w", err)
	}
	return records, nil
}

func (q Query) status() Status {
	if q.Quarantined {
		return Quarantined
	}
	return Active
}

func (q Query) limit() (int, error) {
	if q.Limit < 0 || q.Limit > maxLimit {
		return 0, fmt.Errorf("%w: the limit is %d, and may be 1 to %d", ErrInvalid, q.Limit, maxLimit)
	}
	if q.Limit == 0 {
		return defaultLimit, nil
	}
	return q.Limit, nil
}

// Count returns how many records there are.
func (s *Store) Count(ctx context.Context) (Count, error) {
	count, err := counts(ctx, s.db)
	if err != nil {
		return Count{}, fmt.Errorf("memory: count: %w", err)
	}
	return count, nil
}

func counts(ctx context.Context, from store.Source) (Count, error) {
	count, _, err := store.One(ctx, from, func(c *Count) []any { return []any{&c.Active, &c.Quarantined, &c.Archived} }, `SELECT
		(SELECT records FROM memory_counts WHERE status = 'active'),
		(SELECT records FROM memory_counts WHERE status = 'quarantined'),
		(SELECT records FROM memory_counts WHERE status = 'archived')`)
	return count, err
}
