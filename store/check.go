package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Check reads the whole database and returns an *Error with CodeCorrupt that
// names the first problems, if there are any. It takes about a second for each
// 100 MB.
func (db *DB) Check(ctx context.Context) error {
	type orphan struct {
		table, parent string
		row           sql.NullInt64
	}
	var problems []string
	err := db.Read(ctx, func(tx *Tx) (err error) {
		if problems, err = All(ctx, tx, Value[string], "PRAGMA integrity_check(10)"); err != nil {
			return err
		}
		if len(problems) == 1 && problems[0] == "ok" {
			problems = nil
		}
		orphans, err := All(ctx, tx, func(o *orphan) []any { return []any{&o.table, &o.row, &o.parent} },
			`SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT 10`)
		for _, o := range orphans {
			problems = append(problems, fmt.Sprintf("row %d of %s has no row in %s", o.row.Int64, o.table, o.parent))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if len(problems) > 0 {
		return &Error{Code: CodeCorrupt, Path: db.path, Text: fmt.Sprintf("the database %s is damaged: %s", db.path, strings.Join(problems, "; ")),
			Next: "Stop the daemon, and put the newest backup in its place: subconsciousctl restore FILE"}
	}
	return nil
}

// CheckFile reads a whole database, as Check does, without changing or
// migrating it, also while a daemon has it open. A file that is not there is an
// error that wraps fs.ErrNotExist.
func CheckFile(ctx context.Context, path string) error {
	db, err := openFile(path, "query_only(1)")
	if err != nil {
		return err
	}
	return errors.Join(db.Check(ctx), db.Close())
}

// openFile opens a database for reading alone, as it is.
func openFile(path string, pragmas ...string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if _, err := os.Lstat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("store: %w", err)
		}
		return nil, fmt.Errorf("store: check %s: %w", path, explain(path, err))
	}
	err = examine(path, math.MaxInt)
	if err == nil {
		err = ownFiles(path)
	}
	if err != nil {
		return nil, fmt.Errorf("store: check %s: %w", path, explain(path, err))
	}
	readers, err := pool(path, 1, 1, "ro", append(pragmas, "cache_size(-2048)")...)
	if err != nil {
		return nil, fmt.Errorf("store: check %s: %w", path, err)
	}
	return &DB{path: path, now: time.Now, readers: readers}, nil
}
