package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"modernc.org/sqlite"

	"github.com/subconsciousd/subconsciousd/internal/trusted"
)

// Memory is the path of a database that lives in memory.
const Memory = ":memory:"

// Options say which database to open.
type Options struct {
	// Path of the file, or Memory. The folder must exist.
	Path string
	// Now dates backups and migrations; nil is time.Now.
	Now func() time.Time

	credulous bool // skips the checks of who owns the files: for tests alone
}

// DB is an open database, safe for concurrent use.
type DB struct {
	path    string
	now     func() time.Time
	writer  *sql.DB
	readers *sql.DB // nil for a database in memory: writer serves both
	closed  atomic.Bool
	commits commits
}

// backupsOf is the folder beside a database into which its backups go.
func backupsOf(path string) string { return filepath.Join(filepath.Dir(path), "backups") }

const (
	maxReaders     = 4
	maxIdleReaders = 2
)

// pragmas hold for every connection. A negative cache size is in KiB; 1,000
// pages of 4 KiB in the write-ahead log bring them into the file. The writer
// overwrites what it deletes (secure_delete), so that what the person wants
// forgotten is gone from the file.
var pragmas = []string{"busy_timeout(5000)", "foreign_keys(1)", "temp_store(2)", "wal_autocheckpoint(1000)",
	"journal_size_limit(8388608)", "trusted_schema(0)"}

// Open opens the database, creates it where there is none, and applies the
// migrations that are pending, after a backup. A file that is not ours, or of
// a newer version, is refused with an *Error and left untouched.
func Open(ctx context.Context, options Options, migrations ...Migration) (*DB, error) {
	if err := checkMigrations(migrations); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db := &DB{path: options.Path, now: options.Now}
	if db.now == nil {
		db.now = time.Now
	}
	if err := db.open(ctx, options, migrations); err != nil {
		return nil, errors.Join(fmt.Errorf("store: open %s: %w", options.Path, explain(options.Path, err)), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, options Options, migrations []Migration) error {
	if options.Path == Memory {
		return db.openMemory(ctx, migrations)
	}
	path, err := filepath.Abs(options.Path)
	if err != nil {
		return err
	}
	db.path = path
	if err := examine(path, len(migrations)); err != nil {
		return err
	}
	guard := os.O_EXCL | syscall.O_NOFOLLOW
	if options.credulous {
		guard = 0
	} else if err := ownFiles(path); err != nil {
		return err
	}
	if err := create(path, guard); err != nil {
		return err
	}
	if err := db.migrate(ctx, migrations); err != nil {
		return err
	}
	if db.writer, err = pool(path, 1, 1, "rw", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)", "cache_size(-2048)"); err != nil {
		return err
	}
	if db.readers, err = pool(path, maxReaders, maxIdleReaders, "rw", "synchronous(FULL)", "cache_size(-1024)", "query_only(1)"); err != nil {
		return err
	}
	// Connect at once, so that Open reports what is wrong.
	return errors.Join(ping(ctx, db.writer), ping(ctx, db.readers))
}

func ping(ctx context.Context, pool *sql.DB) error {
	var count int
	return pool.QueryRowContext(ctx, "SELECT count(*) FROM store_migrations").Scan(&count)
}

func (db *DB) openMemory(ctx context.Context, migrations []Migration) (err error) {
	if db.writer, err = pool(Memory, 1, 1, "memory", "cache_size(-2048)"); err != nil {
		return err
	}
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return db.apply(ctx, conn, migrations, migrations)
}

// ownFiles refuses a database, or a file beside it, that is a link, has a second
// name, or is somebody else's, and such backups: SQLite would take over what is
// in them, or write to where they lead.
func ownFiles(path string) error {
	backupDir := backupsOf(path)
	files := []string{path, path + "-wal", path + "-shm", path + "-journal"}
	// A plain file in the folder's place only prevents backups; it is no danger.
	if info, err := os.Lstat(backupDir); err == nil && !info.Mode().IsRegular() {
		if err := trusted.Own(backupDir, fs.ModeDir); err != nil {
			return err
		}
		entries, err := os.ReadDir(backupDir)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), stemOf(path)) {
				files = append(files, filepath.Join(backupDir, entry.Name()))
			}
		}
	}
	for _, file := range files {
		if err := trusted.Own(file, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// create makes an empty file that nobody else may read, where there is none.
// SQLite gives the files beside it the same mode.
func create(path string, guard int) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|guard, 0o600)
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, os.O_RDWR|guard&^os.O_EXCL, 0)
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Chmod(0o600), file.Close())
}

// pool returns connections to path that all have the pragmas. Mode is "ro" where
// nothing is written, not even the files beside it.
func pool(path string, open, idle int, mode string, extra ...string) (*sql.DB, error) {
	query := url.Values{"_pragma": append(append([]string{}, pragmas...), extra...), "mode": {mode}}
	source := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query.Encode()}
	if path == Memory {
		source = url.URL{Scheme: "file", Opaque: Memory, RawQuery: query.Encode()}
	}
	connector, err := sqlite.NewConnector(strings.ReplaceAll(source.String(), "+", "%2B"))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(open)
	db.SetMaxIdleConns(idle)
	return db, nil
}

// Close waits for running transactions and closes the database. It may be
// called more than once.
func (db *DB) Close() error {
	db.closed.Store(true)
	var errs []error
	// The writer last: the last connection to close empties the write-ahead log
	// into the file.
	for _, pool := range []*sql.DB{db.readers, db.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("store: close %s: %w", db.path, explain(db.path, err))
	}
	return nil
}
