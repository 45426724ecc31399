package mind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/store"
)

// LockName is the file in the state folder that one daemon holds locked.
const LockName = "lock"

// Lock is the hold of one daemon on a state folder. The system releases it
// when the process ends, however it ends.
type Lock struct {
	// Tightened says in plain words which permissions of others were removed
	// from the folder, or is "".
	Tightened string

	lock *flock.Flock
}

// Holder is who holds a state folder.
type Holder struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// LockDir makes the state folder where there is none, with mode 0700, and
// locks it for this process, which says that it started at the time at. It
// refuses with an *store.Error: a folder of another user, what is no folder or
// cannot be written to, a folder that another daemon holds, and one that others
// may write to, by itself or by a folder above it: what is in it may be theirs. A
// folder of this user's own that others may merely look into is closed to them.
func LockDir(dir string, at time.Time) (*Lock, error) {
	tightened, err := prepare(dir)
	if err != nil {
		return nil, fmt.Errorf("mind: lock %s: %w", dir, explain(dir, err))
	}
	path := filepath.Join(dir, LockName)
	if err := trusted.Own(path, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mind: lock %s: %w", dir, explain(dir, err))
	}
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW), flock.SetPermissions(0o600))
	locked, err := takeLock(dir, file)
	if err != nil {
		return nil, fmt.Errorf("mind: lock %s: %w", dir, explain(dir, err))
	}
	if !locked {
		return nil, fmt.Errorf("mind: lock %s: %w", dir, held(dir, path))
	}
	if err := sign(path, Holder{PID: os.Getpid(), Started: at}); err != nil {
		return nil, errors.Join(fmt.Errorf("mind: lock %s: %w", dir, explain(dir, err)), file.Unlock())
	}
	return &Lock{Tightened: tightened, lock: file}, nil
}

// orphaned is how long a folder is waited for whose daemon is gone. A program
// that it was starting when it was killed holds the lock until it runs.
const orphaned = 5 * time.Second

func takeLock(dir string, file *flock.Flock) (locked bool, err error) {
	locked, err = file.TryLock()
	holder, ok := ReadHolder(dir)
	if locked || err != nil || !ok || !errors.Is(syscall.Kill(holder.PID, 0), syscall.ESRCH) {
		return locked, err
	}
	ctx, stop := context.WithTimeout(context.Background(), orphaned)
	defer stop()
	if locked, err = file.TryLockContext(ctx, 10*time.Millisecond); errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return locked, err
}

// Unlock releases the folder. The file stays, so that two daemons never hold
// two files of the same name. It may be called more than once.
func (l *Lock) Unlock() error {
	if err := l.lock.Unlock(); err != nil {
		return fmt.Errorf("mind: unlock: %w", err)
	}
	return nil
}

// sign writes who holds the lock. The file is opened a second time, which
// leaves the lock alone: flock(2) belongs to the first opening.
func sign(path string, holder Holder) error {
	text, err := json.Marshal(holder)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// ReadHolder returns who last held the folder; ok is false where the file does
// not say.
func ReadHolder(dir string) (holder Holder, ok bool) {
	file, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Holder{}, false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil || json.Unmarshal(text, &holder) != nil || holder.PID <= 0 {
		return Holder{}, false
	}
	return holder, true
}

func held(dir, path string) error {
	e := &store.Error{Code: store.CodeLocked, Path: path,
		Text: fmt.Sprintf("another daemon holds the state folder %s", dir),
		Next: "Stop it, or choose another folder with --state-dir"}
	if holder, ok := ReadHolder(dir); ok {
		e.Text = fmt.Sprintf("another daemon, process %d, has held the state folder %s since %s", holder.PID, dir, holder.Started.Format(time.RFC3339))
		e.Next = fmt.Sprintf("Stop it (kill %d), or choose another folder with --state-dir", holder.PID)
	}
	return e
}

// prepare makes sure that dir is a folder of this user's, and of nobody
// else's.
func prepare(dir string) (tightened string, err error) {
	if err := cutOff(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if errors.Is(err, syscall.ENOTDIR) {
			return "", notFolder(dir)
		}
		return "", err
	}
	stat, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !stat.IsDir() {
		return "", notFolder(dir)
	}
	system, ok := stat.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("the system does not say who owns %s", dir)
	}
	if owner, user := int(system.Uid), os.Geteuid(); owner != user {
		return "", &store.Error{Code: store.CodePermission, Path: dir,
			Text: fmt.Sprintf("the state folder %s belongs to user %d, and this is user %d", dir, owner, user),
			Next: fmt.Sprintf("Run as user %d, or give it to this one: sudo chown -R %d %s && chmod 700 %s", owner, user, dir, dir)}
	}
	if err := trusted.Path(dir); err != nil {
		return "", err
	}
	if open := stat.Mode().Perm() & 0o077; open != 0 {
		if err := os.Chmod(dir, stat.Mode().Perm()&^0o077); err != nil {
			return "", err
		}
		tightened = fmt.Sprintf("the state folder %s was open to other users (%v) and is now closed to them", dir, stat.Mode().Perm())
	}
	if stat.Mode().Perm()&0o700 != 0o700 {
		return "", &store.Error{Code: store.CodePermission, Path: dir,
			Text: fmt.Sprintf("the state folder %s cannot be written to (mode %#o)", dir, stat.Mode().Perm()),
			Next: fmt.Sprintf("Make it writable: chmod 700 %s", dir)}
	}
	return tightened, nil
}

// cutOff refuses a folder that is not there because a restore was ended between the two
// renames that a volume takes which cannot exchange names: a new mind would hide both.
func cutOff(dir string) error {
	was, _ := filepath.Glob(dir + ".before-restore-*") // fails of a bad pattern alone
	restored, _ := filepath.Glob(dir + ".restoring-*")
	restored = slices.DeleteFunc(restored, func(aside string) bool {
		_, err := os.Lstat(filepath.Join(aside, LockName))
		return err == nil // one that a daemon had
	})
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || len(was) == 0 || len(restored) == 0 {
		return nil
	}
	return &store.Error{Code: store.CodeFolder, Path: dir, Text: fmt.Sprintf("a restore into %s was cut off: what was there is %s, and what was restored is %s", dir, was[len(was)-1], restored[0]),
		Next: fmt.Sprintf("Move one of them to its place: mv %s %s", restored[0], dir)}
}

func notFolder(dir string) error {
	return &store.Error{Code: store.CodeFolder, Path: dir, Text: fmt.Sprintf("%s, or a part of its path, is a file and not a folder", dir),
		Next: "Move the file away, or choose another folder with --state-dir"}
}

// explain puts what the system says about path into plain words.
func explain(path string, err error) error {
	if store.CodeOf(err) != "" {
		return err
	}
	if refused := store.Distrust(err); refused != nil {
		return refused
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &store.Error{Code: store.CodeDiskFull, Path: path, Err: err, Text: fmt.Sprintf("there is no space left for %s", path),
			Next: "Free some space on its volume; it goes on by itself"}
	case errors.Is(err, syscall.EROFS):
		return &store.Error{Code: store.CodeReadOnly, Path: path, Err: err, Text: fmt.Sprintf("the volume of %s is read-only", path),
			Next: "Mount it writable, or choose another folder with --state-dir"}
	case errors.Is(err, fs.ErrPermission) && absent(path):
		return &store.Error{Code: store.CodePermission, Path: path, Err: err, Text: fmt.Sprintf("this user may not make %s", path),
			Next: fmt.Sprintf("Make it: sudo install -d -m 700 -o %d %s, or choose another folder with --state-dir", os.Geteuid(), path)}
	case errors.Is(err, fs.ErrPermission):
		return &store.Error{Code: store.CodePermission, Path: path, Err: err, Text: fmt.Sprintf("this user may not write to %s", path),
			Next: fmt.Sprintf("Give it to this user: sudo chown -R %d %s && chmod -R u+rwX %s", os.Geteuid(), path, path)}
	}
	return err
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
