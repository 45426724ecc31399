package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

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

const columns = "r.n, r.id, r.kind, r.text, r.tags, r.trust, r.status, r.agent, r.deliberation, r.incident, r.citations, r.created, r.updated, r.seen"

type scanner interface{ Scan(...any) error }

// scan reads the columns, and what the query has behind them.
func scan(from scanner, more ...any) (row, error) {
	var r row
	var tags, cited string
	var created, updated int64
	if err := from.Scan(append([]any{&r.n, &r.ID, &r.Kind, &r.Text, &tags, &r.Trust, &r.Status, &r.Agent, &r.Deliberation,
		&r.Incident, &cited, &created, &updated, &r.SeenCount}, more...)...); err != nil {
		return row{}, err
	}
	r.Created, r.Updated = time.Unix(0, created).UTC(), time.Unix(0, updated).UTC()
	return r, errors.Join(json.Unmarshal([]byte(tags), &r.Tags), json.Unmarshal([]byte(cited), &r.Citations))
}

// lists are the tags and the citations as they are stored.
func (r row) lists() (tags, cited string, err error) {
	first, err := json.Marshal(r.Tags)
	if err != nil {
		return "", "", err
	}
	second, err := json.Marshal(r.Citations)
	return string(first), string(second), err
}

func joined(tags []string) string { return strings.Join(tags, "\n") }

// one returns the record for which the condition holds, or ErrNotFound.
func one(ctx context.Context, tx *store.Tx, condition string, args ...any) (row, error) {
	r, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM memory_records r WHERE "+condition, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, ErrNotFound
	}
	return r, err
}

func byID(ctx context.Context, tx *store.Tx, id string) (row, error) {
	return one(ctx, tx, "id = ?", id)
}

// Get returns the record with that ID, whatever its status. An error wraps
// ErrNotFound.
func (s *Store) Get(ctx context.Context, id string) (Record, error) {
	var found row
	err := s.read(ctx, func(tx *store.Tx) (err error) {
		found, err = byID(ctx, tx, id)
		return err
	})
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
	expression, ok := fulltext.Match(q.Words)
	if !ok {
		return nil, nil
	}
	status := q.status()
	// A tag counts half as much as a word of the text.
	table := tableOf(status)
	ranked := "SELECT rowid AS n, bm25(" + table + ", 1.0, 0.5) AS rank FROM " + table + " WHERE " + table + " MATCH ?"
	args := []any{expression}
	if q.Kind != "" {
		ranked += " AND EXISTS (SELECT 1 FROM memory_records WHERE n = " + table + ".rowid AND kind = ?)"
		args = append(args, q.Kind)
	}
	query := "SELECT " + columns + ", best.rank FROM (" + ranked + " ORDER BY rank, rowid DESC LIMIT ?) AS best" +
		" JOIN memory_records r ON r.n = best.n AND r.status = ? ORDER BY best.rank, r.n DESC"
	var hits []Hit
	err = s.each(ctx, query, append(args, limit, status), func(rows *sql.Rows) error {
		var rank float64
		r, err := scan(rows, &rank)
		hits = append(hits, Hit{Record: r.Record, Score: -rank})
		return err
	})
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
		before, err := s.place(ctx, q.Before)
		if err != nil {
			return nil, fmt.Errorf("memory: list: %w", err)
		}
		condition, args = condition+" AND r.n < ?", append(args, before)
	}
	var records []Record
	err = s.each(ctx, "SELECT "+columns+" FROM memory_records r WHERE "+condition+" ORDER BY r.n DESC LIMIT ?", append(args, limit), func(rows *sql.Rows) error {
		r, err := scan(rows)
		records = append(records, r.Record)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("memory: list: %w", err)
	}
	return records, nil
}

// place is where a record stands in the order in which they were written.
func (s *Store) place(ctx context.Context, id string) (n int64, err error) {
	err = s.read(ctx, func(tx *store.Tx) error {
		r, err := byID(ctx, tx, id)
		n = r.n
		return err
	})
	return n, err
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

// each calls do for each row of the query.
func (s *Store) each(ctx context.Context, query string, args []any, do func(*sql.Rows) error) error {
	return s.read(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, do, query, args...)
	})
}

// Count returns how many records there are.
func (s *Store) Count(ctx context.Context) (count Count, err error) {
	err = s.read(ctx, func(tx *store.Tx) (err error) {
		count, err = counts(ctx, tx)
		return err
	})
	if err != nil {
		return Count{}, fmt.Errorf("memory: count: %w", err)
	}
	return count, nil
}

func counts(ctx context.Context, tx *store.Tx) (count Count, err error) {
	err = tx.QueryRowContext(ctx, `SELECT
		(SELECT records FROM memory_counts WHERE status = 'active'),
		(SELECT records FROM memory_counts WHERE status = 'quarantined'),
		(SELECT records FROM memory_counts WHERE status = 'archived')`).Scan(&count.Active, &count.Quarantined, &count.Archived)
	return count, err
}
