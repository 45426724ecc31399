package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
)

// Tx is a transaction. It is valid until the function it was handed to
// returns, and used by one goroutine at a time. Rows must be closed before
// that function returns.
type Tx struct {
	conn *sql.Conn
	// again are the statements that were executed: from the second time on, prepared.
	again map[string]*sql.Stmt
	after []func()
}

// After has do called once the transaction has committed, before the next one
// begins; not at all where it does not. What is called must be quick, and not use
// the database.
func (tx *Tx) After(do func()) { tx.after = append(tx.after, do) }

// ExecContext is as in database/sql. A statement that comes again is read once more
// and no more often, and not broken off, for which the driver would start a goroutine
// each time; what comes behind it is not begun any more.
func (tx *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	prepared, known := tx.again[query]
	if !known {
		tx.again[query] = nil
		return tx.conn.ExecContext(ctx, query, args...)
	}
	if prepared == nil {
		var err error
		if prepared, err = tx.conn.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		tx.again[query] = prepared
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return prepared.ExecContext(context.WithoutCancel(ctx), args...)
}

// release lets go of what was prepared.
func (tx *Tx) release() (err error) {
	for _, prepared := range tx.again {
		if prepared != nil {
			err = errors.Join(err, prepared.Close())
		}
	}
	return err
}

// QueryContext is as in database/sql.
func (tx *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext is as in database/sql.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return tx.conn.QueryRowContext(ctx, query, args...)
}

// Write runs do in the one write transaction and commits it, durably, if do
// returns nil. On an error or a panic of do, or when ctx ends before the
// commit, nothing of it remains. Once the commit has begun, ctx no longer
// matters. After a commit that failed the database can be used again as soon
// as the cause is gone.
//
// Calls wait for each other. do must not call Write or Read of the same DB.
func (db *DB) Write(ctx context.Context, do func(*Tx) error) error {
	defer db.commits.tell()
	return db.transact(ctx, db.writer, "BEGIN IMMEDIATE", "COMMIT", do)
}

// Read runs do on one consistent snapshot; writing fails in it.
//
// It never waits for the writer, but in a database in memory, which has one
// connection. do must not call Write or Read of the same DB.
func (db *DB) Read(ctx context.Context, do func(*Tx) error) error {
	if db.readers == nil {
		return db.transact(ctx, db.writer, "BEGIN; PRAGMA query_only=1", "ROLLBACK; PRAGMA query_only=0", do)
	}
	return db.transact(ctx, db.readers, "BEGIN", "ROLLBACK", do)
}

// Checkpoint brings the write-ahead log into the file and empties it, so that
// nothing stays in it that has been overwritten since. It waits for readers for
// as long as any statement does; done is false where one of them was still in
// the way, and the log was not emptied.
func (db *DB) Checkpoint(ctx context.Context) (done bool, err error) {
	var busy, pages, moved int
	if err := db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return false, db.wrap("checkpoint", err)
	}
	return busy == 0, nil
}

// vacuumStep is how many pages are given back at once: a MiB.
const vacuumStep = 256

// Vacuum gives a few free pages of the file back to the disk, where they are over a
// quarter of it; what is free below that is soon used again.
func (db *DB) Vacuum(ctx context.Context) error {
	var free, all int
	err := db.writer.QueryRowContext(ctx, "SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count").Scan(&free, &all)
	if err == nil && free > max(vacuumStep, all/4) {
		_, err = db.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumStep))
	}
	if err != nil {
		return db.wrap("vacuum", err)
	}
	return nil
}

// transact runs do between the statements begin and end on a connection of
// pool, and leaves that connection outside any transaction.
func (db *DB) transact(ctx context.Context, pool *sql.DB, begin, end string, do func(*Tx) error) (err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return db.wrap("connect", err)
	}
	// After ctx has ended the transaction still must be ended.
	always := context.WithoutCancel(ctx)
	done := false
	defer func() {
		if !done {
			db.abandon(always, conn)
		}
		if closeErr := conn.Close(); closeErr != nil && !errors.Is(closeErr, sql.ErrConnDone) {
			err = errors.Join(err, db.wrap("release the connection", closeErr))
		}
	}()
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return db.wrap("begin", err)
	}
	if err := failpoint.Hit("store.begun"); err != nil {
		return err
	}
	tx := &Tx{conn: conn, again: map[string]*sql.Stmt{}}
	defer func() { err = errors.Join(err, tx.release()) }()
	if err := do(tx); err != nil {
		return db.explain(err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("before the commit: %w", err)
	}
	if err := failpoint.Hit("store.commit"); err != nil {
		return err
	}
	if _, err := conn.ExecContext(always, end); err != nil {
		return db.wrap("commit", err)
	}
	done = true
	for _, do := range tx.after {
		do()
	}
	return failpoint.Hit("store.committed")
}

// abandon rolls back. A connection that does not come clean is thrown away,
// and the pool opens another one; the one connection of a database in memory
// is the database, and is kept.
func (db *DB) abandon(ctx context.Context, conn *sql.Conn) {
	_, err := conn.ExecContext(ctx, "ROLLBACK")
	if db.readers == nil {
		// Put back what Read set; it fails only with the connection.
		_, _ = conn.ExecContext(ctx, "PRAGMA query_only=0")
		return
	}
	if err != nil {
		// The error says either that SQLite has rolled back by itself or that
		// it cannot; a new connection is right in both cases.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

func (db *DB) wrap(operation string, err error) error {
	return fmt.Errorf("store: %s: %w", operation, db.explain(err))
}

func (db *DB) explain(err error) error {
	if db.closed.Load() {
		return &Error{Code: CodeClosed, Path: db.path, Text: "the database " + db.path + " is closed",
			Next: "Start the daemon again", Err: err}
	}
	return explain(db.path, err)
}
