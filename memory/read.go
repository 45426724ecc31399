package memory

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
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

const columnNames = "id, version, kind, title, summary, text, tags, topic, project, agent, session, turn, place, said, source, deliberation, incident, origin, citations, derived, " +
	"supersedes, superseded_by, lane, trust, status, confidence, validity, checked, created, updated, last_seen, seen, used, last_used, pinned"

var recordColumns = "r." + strings.ReplaceAll(columnNames, ", ", ", r.")

func (r *Record) columns() []any {
	return []any{&r.ID, &r.Version, &r.Kind, &r.Title, &r.Summary, textColumn{r}, store.JSON(&r.Tags), &r.Topic,
		&r.About.Project, &r.About.Agent, &r.About.Session, &r.About.Turn, &r.Place, store.Time(&r.Said), &r.Source, &r.Deliberation, &r.Incident, store.JSON(&r.Origin),
		store.JSON(&r.Citations), store.JSON(&r.Derived), &r.Supersedes, &r.SupersededBy, &r.Lane, &r.Trust, &r.Status, &r.Confidence, &r.Validity, store.Time(&r.Checked),
		store.Time(&r.Created), store.Time(&r.Updated), store.Time(&r.LastSeen), &r.SeenCount, &r.Used, store.Time(&r.LastUsed), &r.Pinned}
}

// textColumn is the text, behind title and summary, which are its beginning where none
// are kept.
type textColumn struct{ r *Record }

func (c textColumn) Value() (driver.Value, error) { return c.r.Text, nil }

func (c textColumn) Scan(column any) error {
	text, _ := column.(string)
	c.r.Text = text
	*c.r = c.r.titled()
	return nil
}

func joined(tags []string) string { return strings.Join(tags, "\n") }

// rows returns the records for which the condition holds.
func rows(ctx context.Context, from store.Source, condition string, args ...any) ([]row, error) {
	return store.All(ctx, from, func(r *row) []any { return append(r.columns(), &r.n) }, "SELECT "+recordColumns+", r.n FROM memory_records r WHERE "+condition, args...)
}

// one returns the record for which the condition holds, or ErrNotFound.
func one(ctx context.Context, from store.Source, condition string, args ...any) (row, error) {
	all, err := rows(ctx, from, condition, args...)
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return row{}, err
	}
	return all[0], nil
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

// Search returns the active records of one lane that fit the words best, best first.
// Without a word in q.Words nothing is found. An error of the query wraps ErrInvalid.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) {
	limit, err := q.limit()
	if err != nil {
		return nil, fmt.Errorf("memory: search: %w", err)
	}
	hits, err := s.search(ctx, q, limit)
	if err == nil && q.Into != "" && len(hits) > 0 {
		err = errors.Join(s.look().refresh(ctx, hits), s.note(ctx, q.Into, hits))
	}
	if err != nil {
		return nil, fmt.Errorf("memory: search: %w", err)
	}
	return hits, nil
}

func (s *Store) search(ctx context.Context, q Query, limit int) ([]Hit, error) {
	if s.ranked.Whole() {
		// Words that say little are in the tables alone.
		if hits, err := s.recalled(ctx, q, limit); err != nil || len(hits) > 0 {
			return hits, err
		}
	}
	expression, ok := fulltext.Match(q.Words)
	if !ok {
		return nil, nil
	}
	// A tag counts half as much as a word of the text.
	table := tableOf(q.lane())
	best := "SELECT rowid AS n, bm25(" + table + ", 1.0, 0.5) AS rank FROM " + table + " WHERE " + table + " MATCH ?"
	args := []any{expression}
	if condition, wanted := q.conditions(); condition != "" {
		best += " AND EXISTS (SELECT 1 FROM memory_records r WHERE r.n = " + table + ".rowid" + condition + ")"
		args = append(args, wanted...)
	}
	query := "SELECT " + recordColumns + ", -best.rank FROM (" + best + " ORDER BY rank, rowid DESC LIMIT ?) AS best" +
		" JOIN memory_records r ON r.n = best.n AND r.status = 'active' ORDER BY best.rank, r.n DESC"
	return store.All(ctx, s.db, func(h *Hit) []any { return append(h.columns(), &h.Score) }, query, append(args, limit)...)
}

// List returns records of a lane, the first written last. Words are ignored. An error
// of the query wraps ErrInvalid, or ErrNotFound where there is no record q.Before.
func (s *Store) List(ctx context.Context, q Query) ([]Record, error) {
	limit, err := q.limit()
	if err != nil {
		return nil, fmt.Errorf("memory: list: %w", err)
	}
	condition, args := q.conditions()
	condition, args = "r.lane = ? AND r.status = ?"+condition, append([]any{q.lane(), cmp.Or(q.Status, Active)}, args...)
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

// conditions are those of the query but for its words, lane and status, each behind an
// AND.
func (q Query) conditions() (condition string, args []any) {
	for _, field := range []struct{ column, value string }{
		{"kind", string(q.Kind)}, {"topic", q.Topic}, {"project", q.About.Project}, {"agent", q.About.Agent}, {"session", q.About.Session}, {"turn", q.About.Turn},
	} {
		if field.value != "" {
			condition, args = condition+" AND r."+field.column+" = ?", append(args, field.value)
		}
	}
	if !q.Since.IsZero() {
		condition, args = condition+" AND CASE r.said WHEN 0 THEN r.created ELSE r.said END >= ?", append(args, q.Since.UnixNano())
	}
	return condition, args
}

func (q Query) lane() Lane { return cmp.Or(q.Lane, Trusted) }

func (q Query) limit() (int, error) {
	if !slices.Contains(Lanes(), q.lane()) {
		return 0, fmt.Errorf("%w: there is no lane %q; take one of %v", ErrInvalid, subconscious.Clip(string(q.Lane), MaxTag), Lanes())
	}
	if q.Limit < 0 || q.Limit > maxLimit {
		return 0, fmt.Errorf("%w: the limit is %d, and may be 1 to %d", ErrInvalid, q.Limit, maxLimit)
	}
	return cmp.Or(q.Limit, defaultLimit), nil
}

// Several says that more than one ID begins so.
type Several struct {
	Beginning string
	IDs       []string // the first few of them
}

// Error implements error.
func (e *Several) Error() string {
	return fmt.Sprintf("more than one memory begins with %q", subconscious.Clip(e.Beginning, MaxName))
}

// Unwrap is ErrInvalid.
func (e *Several) Unwrap() error { return ErrInvalid }

// someIDs is how many Several names.
const someIDs = 8

// Resolve returns the id of the one record, of whatever lane and status, that begins
// so. Errors wrap ErrNotFound, or a *Several, which is an ErrInvalid.
func (s *Store) Resolve(ctx context.Context, beginning string) (string, error) {
	ids, err := store.All(ctx, s.db, store.Value[string], "SELECT id FROM memory_records WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT ?2", beginning, someIDs)
	switch {
	case err != nil:
		return "", fmt.Errorf("memory: resolve: %w", err)
	case len(ids) == 0 || beginning == "":
		return "", fmt.Errorf("memory: %w begins with %q", ErrNotFound, subconscious.Clip(beginning, MaxName))
	case len(ids) > 1 && ids[0] != beginning:
		return "", fmt.Errorf("memory: resolve: %w", &Several{beginning, ids})
	}
	return ids[0], nil
}

// Profile returns what is pinned of the trusted lane, and who the person is: the values
// of the topics that hold one, but for those of projects; at most 100.
func (s *Store) Profile(ctx context.Context) ([]Record, error) {
	all, err := store.All(ctx, s.db, (*Record).columns, "SELECT "+recordColumns+` FROM memory_records r WHERE lane = 'trusted' AND status = 'active'
		AND (pinned = 1 OR topic <> '' AND project = '' AND topic NOT LIKE 'project/%') ORDER BY pinned DESC, topic, n LIMIT 1000`)
	if err != nil {
		return nil, fmt.Errorf("memory: profile: %w", err)
	}
	all = slices.DeleteFunc(all, func(r Record) bool { return !r.Pinned && !single(r.Topic) })
	return all[:min(len(all), maxLimit)], nil
}

// Count returns how many records there are.
func (s *Store) Count(ctx context.Context) (Count, error) {
	count, _, err := store.One(ctx, s.db, func(c *Count) []any { return []any{&c.Active, &c.Agents, &c.Quarantined, &c.Superseded, &c.Archived} }, `SELECT
		coalesce(sum(records) FILTER (WHERE status = 'active' AND lane = 'trusted'), 0),
		coalesce(sum(records) FILTER (WHERE status = 'active' AND lane = 'agents'), 0),
		coalesce(sum(records) FILTER (WHERE status = 'active' AND lane = 'quarantine'), 0),
		coalesce(sum(records) FILTER (WHERE status = 'superseded'), 0),
		coalesce(sum(records) FILTER (WHERE status = 'archived'), 0) FROM memory_counts`)
	if err != nil {
		return Count{}, fmt.Errorf("memory: count: %w", err)
	}
	return count, nil
}
