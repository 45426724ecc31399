package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// Unshow drops what models on record were shown, and answered, of what the memory erases.
func Unshow(ctx context.Context, tx *store.Tx, of memory.Erasure) (int, error) {
	shown, ticks, err := deliberate.Unshow(ctx, tx, of.IDs, of.Says)
	if err != nil {
		return 0, err
	}
	answers, err := mind.DropAnswers(ctx, tx, models.RoleDeliberation, ticks, of.Says)
	return shown + answers, err
}

// Since are the backups that were made since a time, as far as they are known: those of
// the folder of backups, copies from before an upgrade, and minds that a restore has put
// aside. A backup of another name or in another place is not among them.
func Since(stateDir, folder string, since time.Time) (all []string) {
	if there, err := filepath.EvalSymlinks(stateDir); err == nil {
		stateDir = there
	}
	for _, place := range []struct{ folder, begins, layout string }{
		{folder, "subconscious-", nameTime + ".tar.gz"}, {folder, "subconscious-", nameTime + ".tar.gz.age"},
		{filepath.Join(stateDir, "backups"), "mind-before-v", "20060102T150405.000Z.db"},
		{filepath.Dir(stateDir), filepath.Base(stateDir) + ".before-restore-", nameTime},
	} {
		entries, _ := os.ReadDir(cmp.Or(place.folder, os.DevNull))
		for _, entry := range entries {
			name := entry.Name()
			at, err := time.Parse(place.layout, name[strings.LastIndexByte(name, '-')+1:])
			if strings.HasPrefix(name, place.begins) && err == nil && !at.Before(since.Truncate(time.Second)) {
				all = append(all, filepath.Join(place.folder, name))
			}
		}
	}
	return all
}

// Rewritten says what became of backups that held what was forgotten.
type Rewritten struct {
	// Written are those that were written anew without it.
	Written []string `json:"written,omitempty"`
	// Removed are copies from before an upgrade, which no present version can rewrite.
	Removed []string `json:"removed,omitempty"`
	// Left hold it still: they are encrypted, or a mind that a restore has put aside.
	Left []string `json:"left,omitempty"`
}

// Forget takes what was forgotten out of backups that Since has named. Those that come
// before one that fails are done.
func Forget(ctx context.Context, stateDir string, files []string) (done Rewritten, err error) {
	for _, path := range files {
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case strings.HasSuffix(path, ".tar.gz"):
			err, done.Written = rewrite(ctx, stateDir, path), append(done.Written, path)
		case strings.HasSuffix(path, ".db"):
			err, done.Removed = os.Remove(path), append(done.Removed, path)
		default:
			done.Left = append(done.Left, path)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// rewrite restores a backup aside, and makes it anew of that.
func rewrite(ctx context.Context, stateDir, path string) (err error) {
	aside, err := os.MkdirTemp(stateDir, "backup-*.part")
	if err != nil {
		return explain(stateDir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	manifest, err := unpack(ctx, path, "", aside)
	if err != nil {
		return err
	}
	database := filepath.Join(aside, databaseName)
	db, err := store.Open(ctx, store.Options{Path: database}, Migrations()...)
	if err != nil {
		return unproven(path, err)
	}
	err = errors.Join(mend(ctx, db, aside, stateDir), db.Close(), os.RemoveAll(filepath.Join(aside, "backups")))
	if err != nil {
		return err
	}
	if manifest.Schema, err = store.SchemaOf(database); err != nil {
		return err
	}
	if manifest.Files, err = listed(aside); err != nil {
		return err
	}
	_, err = archive(ctx, path, true, nil, manifest, aside, sha256.New())
	return err
}

// mend erases from a database that stands aside what was forgotten, by the tombstones
// that came with it and those of the mind in whose place it comes, "" for none.
func mend(ctx context.Context, db *store.DB, aside, stateDir string) error {
	path := filepath.Join(aside, memory.TombstonesName)
	if stateDir != "" {
		if err := memory.MergeTombstones(path, filepath.Join(stateDir, memory.TombstonesName)); err != nil {
			return err
		}
	}
	forgotten, err := memory.OpenTombstones(path)
	if err != nil {
		return err
	}
	gone, err := memory.New(db, memory.Options{Tombstones: forgotten, Unshow: Unshow}).Mend(ctx)
	if gone > 0 { // what was migrated has a copy from before
		err = errors.Join(err, os.RemoveAll(filepath.Join(aside, "backups")))
	}
	return err
}
