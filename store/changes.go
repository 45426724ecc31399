package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

// createChanges makes the table of what changed. A package has triggers that add to
// it, in the transaction of the change itself; what they add is a number and no
// text. Rows are kept for a day, by the machine's clock, and at most 20,000; the newest always
// is, so that a number is never given twice.
const createChanges = `
CREATE TABLE IF NOT EXISTS store_changes (
	seq INTEGER PRIMARY KEY,
	at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
	kind TEXT NOT NULL,
	id TEXT NOT NULL
);
CREATE TRIGGER IF NOT EXISTS store_changes_kept AFTER INSERT ON store_changes WHEN new.seq % 256 = 0 BEGIN
	DELETE FROM store_changes WHERE at < new.at - 86400000 OR seq <= new.seq - 20000;
END;`

// Newest stands for the number of the newest change, where changes are asked for
// after one.
const Newest int64 = -1

// Change says that something changed: of what sort it is, and its id.
type Change struct {
	Seq      int64
	At       time.Time
	Kind, ID string
}

// Changes are those after one, in order.
type Changes struct {
	All []Change
	// After is the number after which they come, and Last that of the newest there is.
	After, Last int64
	// Lost: of those that were asked for some are not kept any more, or the number
	// was never given; they go on with what comes from now on, or with all that is
	// kept where all were asked for.
	Lost bool
}

// Changes returns at most limit changes after the one of that number: 0 for all that
// are kept, Newest for none that is there yet. Where there are none, and none is
// lost, it waits for one until ctx is done, and returns none.
func (db *DB) Changes(ctx context.Context, after int64, limit int) (found Changes, err error) {
	for {
		written := db.commits.next()
		if found, err = db.changes(ctx, after, limit); len(found.All) > 0 || found.Lost || after == Newest || err != nil {
			break
		}
		select {
		case <-written:
			continue
		case <-ctx.Done():
		}
		break
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return Changes{After: after, Last: after}, nil
	}
	return found, err
}

func (db *DB) changes(ctx context.Context, after int64, limit int) (found Changes, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		var oldest int64
		if err := tx.QueryRowContext(ctx, `SELECT last, coalesce((SELECT min(seq) FROM store_changes WHERE at >= (unixepoch() - 86400) * 1000), last + 1)
			FROM (SELECT coalesce(max(seq), 0) AS last FROM store_changes)`).Scan(&found.Last, &oldest); err != nil {
			return err
		}
		found.After = after
		switch {
		case after == Newest:
			found.After = found.Last
		case after > found.Last || after < oldest-1:
			if found.Lost, found.After = true, found.Last; after == 0 {
				found.After = oldest - 1
			}
		}
		return tx.Each(ctx, func(rows *sql.Rows) error {
			var c Change
			var at int64
			err := rows.Scan(&c.Seq, &at, &c.Kind, &c.ID)
			c.At = time.UnixMilli(at)
			found.All = append(found.All, c)
			return err
		}, "SELECT seq, at, kind, id FROM store_changes WHERE seq > ? ORDER BY seq LIMIT ?", found.After, limit)
	})
	if err != nil {
		return found, fmt.Errorf("store: changes: %w", err)
	}
	return found, nil
}

// ForgetChanges makes whoever followed the changes before begin anew: a database that
// was restored would give numbers again that they have had.
func ForgetChanges(ctx context.Context, tx *Tx) error {
	if err := tx.Exec(ctx, "INSERT INTO store_changes (seq, kind, id) SELECT max(coalesce(max(seq), 0) + 1, ?), 'restored', '' FROM store_changes", time.Now().UnixMilli()); err != nil {
		return err
	}
	return tx.Exec(ctx, "DELETE FROM store_changes WHERE seq < (SELECT max(seq) FROM store_changes)")
}

// commits tells of every commit.
type commits struct {
	mu      sync.Mutex
	waiting chan struct{}
}

// next is closed at the next commit.
func (c *commits) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(chan struct{})
	}
	return c.waiting
}

func (c *commits) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting != nil {
		close(c.waiting)
		c.waiting = nil
	}
}
