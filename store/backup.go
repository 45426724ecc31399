package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
)

// keptBackups is how many automatic backups stay.
const keptBackups = 5

// backup writes a consistent copy of the database into folder, named after the
// schema that comes next, and removes the oldest ones over keptBackups.
func (db *DB) backup(ctx context.Context, conn *sql.Conn, folder string, next int) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return explain(folder, err)
	}
	stem := stemOf(db.path)
	if err := removeHalves(folder, stem); err != nil {
		return explain(folder, err)
	}
	path := filepath.Join(folder, fmt.Sprintf("%s%d-%s.db", stem, next, db.now().UTC().Format("20060102T150405.000Z")))
	half := path + halfSuffix
	file, err := vacuumInto(ctx, conn, half)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := failpoint.Hit("store.backup"); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return explain(half, err)
	}
	if err := os.Rename(half, path); err != nil {
		return explain(path, err)
	}
	if err := SyncFolder(folder); err != nil {
		return explain(folder, err)
	}
	return removeOldest(folder, stem)
}

// vacuumInto writes a consistent copy to a new file, which is returned open and
// not yet synced.
func vacuumInto(ctx context.Context, conn *sql.Conn, path string) (*os.File, error) {
	// The file exists before SQLite writes to it, so that it is never readable
	// by others.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, explain(path, err)
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return nil, errors.Join(explain(path, err), file.Close(), os.Remove(path))
	}
	return file, nil
}

// Copy writes a consistent copy of the database at path to the new file into, also
// while a daemon has it open, and proves it as Check does. What was deleted is not in it.
// A database that is not there is an error that wraps fs.ErrNotExist.
func Copy(ctx context.Context, path, into string) (err error) {
	db, err := openFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		return fmt.Errorf("store: copy %s: %w", path, explain(path, err))
	}
	defer conn.Close()
	file, err := vacuumInto(ctx, conn, into)
	if err != nil {
		return fmt.Errorf("store: copy %s: %w", path, explain(path, err))
	}
	defer file.Close()
	return CheckFile(ctx, into)
}

const halfSuffix = ".part"

// stemOf is what the names of a database's backups begin with.
func stemOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "-before-v"
}

// removeHalves removes what a crash during an earlier backup left.
func removeHalves(folder, stem string) error {
	halves, err := matching(folder, stem, halfSuffix)
	for _, half := range halves {
		err = errors.Join(err, os.Remove(filepath.Join(folder, half.Name())))
	}
	return err
}

func removeOldest(folder, stem string) error {
	backups, err := matching(folder, stem, ".db")
	if err != nil {
		return err
	}
	slices.SortFunc(backups, func(a, b fs.FileInfo) int {
		if order := a.ModTime().Compare(b.ModTime()); order != 0 {
			return order
		}
		return strings.Compare(a.Name(), b.Name())
	})
	for len(backups) > keptBackups {
		if err := os.Remove(filepath.Join(folder, backups[0].Name())); err != nil {
			return err
		}
		backups = backups[1:]
	}
	return nil
}

func matching(folder, prefix, suffix string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []fs.FileInfo
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), prefix) && strings.HasSuffix(entry.Name(), suffix) {
			stat, err := entry.Info()
			if err != nil {
				return nil, err
			}
			found = append(found, stat)
		}
	}
	return found, nil
}

// SyncFolder makes a rename in the folder durable.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
