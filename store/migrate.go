package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
)

// migrate applies what is pending. It works without the write-ahead log: the
// schema version in the file's header is then true whenever the file is
// whole, and an older program can refuse the file without opening it.
func (db *DB) migrate(ctx context.Context, migrations []Migration) (err error) {
	pool, err := pool(db.path, 1, 1, "rw", "synchronous(EXTRA)", "secure_delete(1)", "cache_size(-2048)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	pending, applied, err := db.pending(ctx, conn, migrations)
	if err != nil || len(pending) == 0 {
		return err
	}
	if applied > 0 {
		if err := db.backup(ctx, conn, backupsOf(db.path), len(migrations)); err != nil {
			return fmt.Errorf("back up before migrating: %w", err)
		}
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode=DELETE").Scan(&mode); err != nil {
		return err
	}
	if mode != "delete" {
		return &Error{Code: CodeBusy, Path: db.path, Text: fmt.Sprintf("the database %s is open in another program and cannot be migrated", db.path),
			Next: "Close that program, then start again"}
	}
	// Pages that migrations of earlier versions have freed hold what stood in them; it goes
	// before anything else, so that whoever is interrupted does it again.
	var free int
	if err := conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
		return err
	}
	if free > 0 {
		// Not in memory, which may be less than the database.
		if _, err := conn.ExecContext(ctx, "PRAGMA temp_store=1; VACUUM; PRAGMA temp_store=2"); err != nil {
			return err
		}
	}
	return db.apply(ctx, conn, pending, migrations)
}

// pending returns the migrations that the file lacks, and how many it has.
func (db *DB) pending(ctx context.Context, conn *sql.Conn, migrations []Migration) ([]Migration, int, error) {
	has, total, err := appliedVersions(ctx, conn)
	if err != nil {
		return nil, 0, err
	}
	knows := map[string]int{}
	var pending []Migration
	for _, m := range migrations {
		knows[m.Package] = m.Version
		if m.Version > has[m.Package] {
			pending = append(pending, m)
		}
	}
	for name, version := range has {
		if version > knows[name] {
			return nil, 0, newer(db.path, fmt.Sprintf("version %d of %s", version, name), fmt.Sprintf("version %d", knows[name]))
		}
	}
	return pending, total, nil
}

// appliedVersions returns each package's version and the count of migrations.
func appliedVersions(ctx context.Context, conn *sql.Conn) (map[string]int, int, error) {
	var exists int
	err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type='table' AND name='store_migrations'").Scan(&exists)
	if err != nil || exists == 0 {
		return nil, 0, err
	}
	has, err := Map[string, int](ctx, &Tx{conn: conn}, "SELECT package, max(version) FROM store_migrations GROUP BY package")
	total := 0
	for _, version := range has {
		total += version
	}
	return has, total, err
}

// apply runs the pending ones of all migrations in one transaction.
func (db *DB) apply(ctx context.Context, conn *sql.Conn, pending, all []Migration) (err error) {
	// Freed pages can be given back in small steps later. The pragma begins to
	// write; before the transaction it would be one of its own, with all its syncs.
	if _, err := conn.ExecContext(ctx, "BEGIN; PRAGMA auto_vacuum=INCREMENTAL"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			if rollback != nil {
				err = fmt.Errorf("%w; rolling back: %w", err, rollback)
			}
		}
	}()
	if _, err := conn.ExecContext(ctx, createMigrations+createChanges); err != nil {
		return err
	}
	at := db.now().Format(time.RFC3339)
	for _, m := range pending {
		if err := failpoint.Hit("store.migrate"); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, m.SQL); err != nil {
			return migrationFailed(db.path, m, err)
		}
		if _, err := conn.ExecContext(ctx, "INSERT INTO store_migrations (package, version, at) VALUES (?, ?, ?)", m.Package, m.Version, at); err != nil {
			return err
		}
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(all)))
	if err != nil {
		return err
	}
	if err := failpoint.Hit("store.migrated"); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

func migrationFailed(path string, m Migration, err error) error {
	if explained := explain(path, err); CodeOf(explained) != "" {
		return fmt.Errorf("migrate %s to %d: %w", m.Package, m.Version, explained)
	}
	return &Error{Code: CodeMigration, Path: path, Err: err,
		Text: fmt.Sprintf("the database %s could not be brought to version %d of %s; it is as it was before", path, m.Version, m.Package),
		Next: "Go back to the version that you had, and report this"}
}
