// Package backup makes one file of a mind, also while its daemon runs, and makes a
// mind of such a file again: proven aside before anything is swapped, and with
// nothing in it that would be sent or run because it waited then.
//
// A backup is a tar.gz: manifest.json, which names the others with size and SHA-256,
// then mind.db, the published document, what is known of what was forgotten, and the
// notes of a trial; one that is encrypted
// has the sign-ins, too. The package stores
// nothing. cmd/subconsciousctl calls it, and the daemon, which opens its database with
// Migrations and may have a backup made each day (Keeper).
package backup

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"filippo.io/age"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// Migrations are all those of mind.db.
func Migrations() []store.Migration {
	return slices.Concat(senses.Migrations(), mind.Migrations(), budget.Migrations(), notify.Migrations(), chat.Migrations(), memory.Migrations(),
		actions.Migrations(), deliberate.Migrations(), source.Migrations())
}

// Manifest says what is in a backup.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that made it
	Schema  int       `json:"schema"`  // of mind.db: how many migrations it has had
	At      time.Time `json:"at"`
	Files   []File    `json:"files"`
}

// File is one of a backup.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const (
	format       = 1
	manifestName = "manifest.json"
	databaseName = "mind.db"
	documentName = mind.DocumentName
	trialNotes   = "trial/*.md"
	signIns      = "sign-in/*.json" // where it is encrypted
)

// mayHold reports whether a backup may hold a file of that name.
func mayHold(name string, encrypted bool) bool {
	note, _ := filepath.Match(trialNotes, name)
	signIn, _ := filepath.Match(signIns, name)
	return note || name == databaseName || name == documentName || name == memory.TombstonesName || signIn && encrypted
}

// Options say which mind is to be copied, and where to.
type Options struct {
	StateDir string
	// Path is the file to write, or a folder in which it gets a name of its own.
	Path string
	// Force: a file that is there is replaced.
	Force bool
	// Recipient is that of age to whom it is encrypted; "" for nobody.
	Recipient string
	Version   string
	At        time.Time
}

// Made is a backup that was made.
type Made struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	// SHA256 is that of the file.
	SHA256 string `json:"file_sha256"`
	Manifest
}

// Make copies the mind in a state folder into one file that this user alone can
// read. It is there whole or not at all. What fails is an *store.Error where there
// is something to do about it.
func Make(ctx context.Context, o Options) (made Made, err error) {
	made = Made{Path: o.Path, Manifest: Manifest{Format: format, Version: o.Version, At: o.At.UTC().Truncate(time.Second)}}
	recipient, err := parseRecipient(o.Recipient)
	if err != nil {
		return made, refuse("", "write the public key that age-keygen shows: age1…", "the recipient %v", err)
	}
	if stat, err := os.Stat(cmp.Or(o.Path, ".")); err == nil && stat.IsDir() {
		made.Path = filepath.Join(o.Path, nameOf(made.At, o.Recipient != ""))
	}
	if _, err := os.Lstat(made.Path); err == nil && !o.Force {
		return made, thereAlready(made.Path)
	}
	removeStale(o.StateDir, "backup-", ".part", o.At.Add(-abandoned))
	removeStale(filepath.Dir(made.Path), ".subconscious-", ".part", o.At.Add(-abandoned))
	stage, err := os.MkdirTemp(o.StateDir, "backup-*.part")
	if errors.Is(err, fs.ErrNotExist) {
		return made, noMind(o.StateDir)
	} else if err != nil {
		return made, explain(o.StateDir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := gather(ctx, o, stage); err != nil {
		return made, err
	}
	if err := failpoint.Hit("backup.gathered"); err != nil {
		return made, err
	}
	if made.Schema, err = store.SchemaOf(filepath.Join(stage, databaseName)); err != nil {
		return made, err
	}
	if made.Files, err = listed(stage); err != nil {
		return made, err
	}
	sum := sha256.New()
	made.Bytes, err = archive(ctx, made.Path, o.Force, recipient, made.Manifest, stage, sum)
	made.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return made, err
}

// archive writes what stands in a folder as one file, and returns its size.
func archive(ctx context.Context, path string, force bool, recipient []age.Recipient, manifest Manifest, stage string, sum io.Writer) (int64, error) {
	return write(path, force, func(out io.Writer) error {
		sealed, err := encrypt(io.MultiWriter(out, sum), recipient)
		if err == nil {
			err = pack(ctx, sealed, manifest, stage)
		}
		if err != nil {
			return err
		}
		return sealed.Close()
	})
}

// abandoned is what nobody has changed for so long.
const abandoned = 48 * time.Hour

// removeStale removes what one left that was killed: what has a number between head
// and tail for a name, and was not changed since then. What cannot be removed is in
// nobody's way. What has a lock is no copy, but a mind that was being swapped.
func removeStale(folder, head, tail string, since time.Time) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name, begins := strings.CutPrefix(entry.Name(), head)
		number, ends := strings.CutSuffix(name, tail)
		if !begins || !ends || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		_, unlocked := os.Lstat(filepath.Join(path, mind.LockName))
		if stat, err := entry.Info(); err == nil && unlocked != nil && stat.ModTime().Before(since) {
			_ = os.RemoveAll(path)
		}
	}
}

func refuse(path, next, text string, args ...any) *store.Error {
	return &store.Error{Code: store.CodeBackup, Path: path, Text: fmt.Sprintf(text, args...), Next: next}
}

func unreadable(path string, err error) error {
	return refuse(path, "let this user read it: chmod u+r "+path, "%s cannot be read: %v", path, err)
}

func thereAlready(path string) error {
	return refuse(path, "choose another name, or replace it with --force", "%s is there already", path)
}

func noMind(dir string) error {
	return refuse(dir, "name the folder of the mind with --state-dir, or start subconsciousd once", "there is no mind in %s", dir)
}

// explain puts what the system says of a file that is written into plain words.
func explain(path string, err error) error {
	switch {
	case store.CodeOf(err) != "":
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &store.Error{Code: store.CodeDiskFull, Path: path, Text: "there is no room left for " + path, Next: "make room on its volume, or choose another one"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &store.Error{Code: store.CodePermission, Path: path, Text: "this user may not write to " + path, Next: "choose a folder that is yours"}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return refuse(path, "make it first: mkdir -p "+filepath.Dir(path), "there is no folder %s", filepath.Dir(path))
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// gather copies what a backup has of a state folder. The document comes first, so
// that the database knows it as one that it published.
func gather(ctx context.Context, o Options, stage string) error {
	dir := o.StateDir
	patterns := []string{trialNotes}
	if o.Recipient != "" {
		patterns = append(patterns, signIns)
	}
	names := []string{documentName, memory.TombstonesName}
	for _, pattern := range patterns {
		folder := filepath.Join(dir, filepath.Dir(pattern))
		if _, err := os.ReadDir(folder); errors.Is(err, fs.ErrPermission) { // which Glob takes for an empty one
			return unreadable(folder, err)
		}
		more, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return err
		}
		names = append(names, more...)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		err := copyFile(path, filepath.Join(stage, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ELOOP) {
			return explain(path, err)
		}
	}
	err := store.Copy(ctx, filepath.Join(dir, databaseName), filepath.Join(stage, databaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return noMind(dir)
	}
	return err
}

// copyFile copies a plain file, following no link; anything else it leaves out.
func copyFile(from, to string) error {
	in, err := os.OpenFile(from, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrPermission) {
		return unreadable(from, err)
	} else if err != nil {
		return err
	}
	defer in.Close()
	if stat, err := in.Stat(); err != nil || !stat.Mode().IsRegular() {
		return err
	}
	return create(to, in)
}

// create makes a file of what is read, and the folder that it is in.
func create(path string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Sync(), out.Close())
}

// listed are the files below a folder, in order of their names.
func listed(folder string) (files []File, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		sum := sha256.New()
		size, err := io.Copy(sum, in)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, File{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
		return err
	})
	return files, err
}

// pack writes the archive.
func pack(ctx context.Context, out io.Writer, manifest Manifest, stage string) error {
	zipped := gzip.NewWriter(out)
	archive := tar.NewWriter(zipped)
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	header := func(name string, size int64) error {
		return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: manifest.At})
	}
	if err := header(manifestName, int64(len(text))); err != nil {
		return err
	}
	if _, err := archive.Write(text); err != nil {
		return err
	}
	for _, file := range manifest.Files {
		if err := cmp.Or(ctx.Err(), header(file.Name, file.Size)); err != nil {
			return err
		}
		in, err := os.Open(filepath.Join(stage, file.Name))
		if err != nil {
			return err
		}
		_, err = io.Copy(archive, in)
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zipped.Close())
}

// write makes a file of what do writes, beside and then under its own name.
func write(path string, force bool, do func(io.Writer) error) (size int64, err error) {
	part, err := os.CreateTemp(filepath.Dir(path), ".subconscious-*.part") // mode 0600
	if err != nil {
		return 0, explain(path, err)
	}
	defer func() {
		if gone := os.Remove(part.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	defer part.Close()
	if err := errors.Join(do(part), part.Sync()); err != nil {
		return 0, explain(path, err)
	}
	stat, err := part.Stat()
	if err == nil {
		err = failpoint.Hit("backup.written")
	}
	if err != nil {
		return 0, err
	}
	if err := place(part.Name(), path, force); err != nil {
		return 0, explain(path, err)
	}
	return stat.Size(), store.SyncFolder(filepath.Dir(path))
}

// place gives a file its name: no other file's, unless by force. Where a volume has
// no second names, that another was made in this moment is not seen.
func place(part, path string, force bool) error {
	if !force {
		err := os.Link(part, path)
		if err == nil {
			return nil
		}
		if _, there := os.Lstat(path); there == nil || errors.Is(err, fs.ErrExist) {
			return thereAlready(path)
		}
	}
	return os.Rename(part, path)
}
