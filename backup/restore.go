package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// RestoreOptions say what is restored, and where.
type RestoreOptions struct {
	Path string
	// Identity is the file of the private key of one that is encrypted.
	Identity string
	StateDir string
	At       time.Time
}

// Restored is a mind that was restored.
type Restored struct {
	StateDir string `json:"state_dir"`
	// Kept is where that stands now which was there before; "" where nothing was.
	Kept   string   `json:"kept,omitempty"`
	Backup Manifest `json:"backup"`
	Closed Closed   `json:"closed"`
}

// Closed counts what waited when the backup was made, and will not be sent or run.
type Closed struct {
	Messages    int64 `json:"messages"`
	Proposals   int64 `json:"proposals"`
	Runs        int64 `json:"runs"`
	Escalations int64 `json:"deliberations"`
}

// Restore puts the mind of a backup into a state folder that no daemon uses. It
// proves it in a folder beside, and swaps the two by their names. Whatever fails
// before changes nothing.
// Sign-ins that are there stay where the backup has none.
func Restore(ctx context.Context, o RestoreOptions) (done Restored, err error) {
	path, at := o.Path, o.At
	dir, err := filepath.Abs(o.StateDir)
	if err != nil {
		return done, err
	}
	there, err := filepath.EvalSymlinks(dir)
	switch {
	case err == nil:
		dir = there
		lock, held := mind.LockDir(dir, at)
		if held != nil {
			return done, unused(dir, held)
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	case errors.Is(err, fs.ErrNotExist):
		there = ""
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return done, explain(dir, err)
		}
	default:
		return done, err
	}
	done.StateDir = dir
	since := at.Add(-abandoned)
	if there != "" {
		since = at // nobody else restores under this lock
	}
	removeStale(filepath.Dir(dir), filepath.Base(dir)+".restoring-", "", since)
	aside, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".restoring-*")
	if errors.Is(err, fs.ErrPermission) {
		return done, &store.Error{Code: store.CodePermission, Path: dir, Text: "this user may not make a folder in " + filepath.Dir(dir) + ", where the mind would be proven",
			Next: "restore into a folder of your own with --state-dir, and move it to its place as root"}
	} else if err != nil {
		return done, explain(dir, err)
	}
	mine, err := os.Stat(aside)
	if err != nil {
		return done, err
	}
	defer func() {
		// After an exchange that could not be ended the name is that of what was there.
		if now, gone := os.Stat(aside); gone == nil && os.SameFile(mine, now) {
			err = errors.Join(err, os.RemoveAll(aside))
		}
	}()
	if done.Backup, err = unpack(ctx, path, o.Identity, aside); err != nil {
		return done, err
	}
	if done.Closed, err = prove(ctx, path, done.Backup, aside, there, at); err != nil {
		return done, err
	}
	if there != "" {
		if err := carry(filepath.Join(dir, filepath.Dir(signIns)), filepath.Join(aside, filepath.Dir(signIns))); err != nil {
			return done, explain(aside, err)
		}
		done.Kept = dir + ".before-restore-" + at.UTC().Format(nameTime)
	}
	return done, swap(dir, aside, done.Kept)
}

// unused says how to stop the daemon that holds a state folder.
func unused(dir string, err error) error {
	if store.CodeOf(err) != store.CodeLocked {
		return err
	}
	who, kill := "a daemon", ""
	if holder, ok := mind.ReadHolder(dir); ok {
		who, kill = fmt.Sprintf("a daemon, process %d,", holder.PID), fmt.Sprintf(", or kill %d", holder.PID)
	}
	return &store.Error{Code: store.CodeLocked, Path: dir, Text: fmt.Sprintf("%s uses %s", who, dir),
		Next: "stop it (systemctl --user stop subconsciousd; macOS: launchctl bootout gui/$(id -u)/com.subconsciousd.subconsciousd" + kill + "), then restore again"}
}

// prove checks the database that was unpacked, brings it to the schema of this
// program, closes what waited in it, and erases what was forgotten, also by the mind that
// is there now; "" for none.
func prove(ctx context.Context, path string, manifest Manifest, aside, there string, at time.Time) (closed Closed, err error) {
	database := filepath.Join(aside, databaseName)
	schema, err := store.SchemaOf(database)
	if err == nil && schema > len(Migrations()) {
		return closed, newer(path, manifest, fmt.Sprintf("schema %d", schema), fmt.Sprintf("schema %d", len(Migrations())))
	}
	if err == nil {
		err = store.CheckFile(ctx, database)
	}
	var db *store.DB
	if err == nil {
		db, err = store.Open(ctx, store.Options{Path: database, Now: func() time.Time { return at }}, Migrations()...)
	}
	if err != nil {
		return closed, unproven(path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := asMade(ctx, path, db); err != nil {
		return closed, err
	}
	if err := mend(ctx, db, aside, there); err != nil {
		return closed, err
	}
	err = db.Write(ctx, func(tx *store.Tx) (err error) {
		if closed.Messages, err = notify.CloseRestored(ctx, tx, at); err != nil {
			return err
		}
		if closed.Proposals, closed.Runs, err = actions.CloseRestored(ctx, tx, at); err != nil {
			return err
		}
		if closed.Escalations, err = deliberate.CloseRestored(ctx, tx, at); err != nil {
			return err
		}
		if err := store.ForgetChanges(ctx, tx); err != nil {
			return err
		}
		return mind.MarkRestored(ctx, tx, at)
	})
	if err != nil {
		return closed, unproven(path, err)
	}
	_, err = mind.New(db).Load(ctx)
	return closed, unproven(path, err)
}

// unproven says what is wrong with the database, in place of words about the copy
// aside, which is gone.
func unproven(path string, err error) error {
	what, ok := map[store.Code]string{
		store.CodeCorrupt: "is damaged", store.CodeNotADB: "is no database", store.CodeForeign: "is a database of another program",
		store.CodeMigration: "cannot be brought to the schema of this version",
	}[store.CodeOf(err)]
	if !ok {
		return err
	}
	return refuse(path, "use another backup", "the %s in %s %s", databaseName, path, what)
}

// asMade refuses a database in which there is anything that migrations do not make,
// such as a trigger that would change what is written later.
func asMade(ctx context.Context, path string, db *store.DB) error {
	pattern, err := store.Open(ctx, store.Options{Path: store.Memory}, Migrations()...)
	if err != nil {
		return err
	}
	defer pattern.Close()
	var made [2][]string
	for i, db := range []*store.DB{pattern, db} {
		if made[i], err = store.All(ctx, db, store.Value[string], "SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1"); err != nil {
			return unproven(path, err)
		}
	}
	if !slices.Equal(made[0], made[1]) {
		return refuse(path, "use another backup", "the %s in %s has tables or triggers that no version of subconsciousd makes", databaseName, path)
	}
	return nil
}

// carry copies the plain files of a folder, where there is one, that the other has not.
func carry(from, to string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if _, there := os.Lstat(filepath.Join(to, entry.Name())); err == nil && there != nil && entry.Type().IsRegular() {
			err = copyFile(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()))
		}
	}
	return err
}

// swap gives what stands aside the name dir, and what stands at dir the name kept,
// "" for nothing there. A name is never without a mind, where the volume can exchange
// two; where it cannot, for a moment.
func swap(dir, aside, kept string) error {
	if kept == "" {
		if err := os.Rename(aside, dir); err != nil {
			return explain(dir, err)
		}
		return store.SyncFolder(filepath.Dir(dir))
	}
	if _, err := os.Lstat(kept); err == nil {
		return refuse(kept, "wait a second, and restore again", "%s is there already", kept)
	}
	// Between two renames LockDir says what was cut off.
	err := failpoint.Hit("restore.exchange")
	if err == nil {
		err = exchange(dir, aside)
	}
	if err == nil {
		if err = failpoint.Hit("restore.exchanged"); err == nil {
			err = os.Rename(aside, kept)
		}
		if err != nil {
			return errors.Join(explain(kept, err), exchange(dir, aside))
		}
		return store.SyncFolder(filepath.Dir(dir))
	}
	if err := os.Rename(dir, kept); err != nil {
		return explain(kept, err)
	}
	if err = failpoint.Hit("restore.away"); err == nil {
		err = os.Rename(aside, dir)
	}
	if err != nil {
		return errors.Join(explain(dir, err), os.Rename(kept, dir))
	}
	return store.SyncFolder(filepath.Dir(dir))
}
