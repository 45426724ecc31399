package mind_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return stat.Mode().Perm()
}

func TestLockMakesTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "mind")
	lock, err := mind.LockDir(dir, noon)
	if err != nil {
		t.Fatal(err)
	}
	if lock.Tightened != "" || mode(t, dir) != 0o700 || mode(t, filepath.Join(dir, mind.LockName)) != 0o600 {
		t.Errorf("%q %v", lock.Tightened, mode(t, dir))
	}
	if holder, ok := mind.ReadHolder(dir); !ok || holder.PID != os.Getpid() || !holder.Started.Equal(noon) {
		t.Errorf("%+v %v", holder, ok)
	}
	if err := errors.Join(lock.Unlock(), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if lock, err = mind.LockDir(dir, noon); err != nil {
		t.Fatal("after it was given free:", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// locked returns a folder, and a process that holds it until its input ends.
func locked(t *testing.T, env ...string) (dir string, command *exec.Cmd, end io.Closer) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "mind")
	command = child("lock", dir, env...)
	end, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if said := testutil.Started(t, command); !said.Scan() || !strings.HasPrefix(said.Text(), "locked ") {
		t.Fatal(said.Text(), said.Err())
	}
	return dir, command, end
}

func TestSecondDaemonIsToldOfTheFirst(t *testing.T) {
	dir, command, end := locked(t)
	for range 2 {
		_, err := mind.LockDir(dir, noon)
		var plain *store.Error
		if !errors.As(err, &plain) || plain.Code != store.CodeLocked {
			t.Fatalf("got %v", err)
		}
		for _, want := range []string{fmt.Sprint("process ", command.Process.Pid), "since 2026-03-02T12:00:00Z", fmt.Sprint("kill ", command.Process.Pid), dir} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in: %v", want, err)
			}
		}
	}
	if err := errors.Join(end.Close(), command.Wait()); err != nil {
		t.Fatal(err)
	}
	lock, err := mind.LockDir(dir, noon)
	if err != nil {
		t.Fatal("after the first ended:", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestLockOfAKilledDaemonIsFree(t *testing.T) { killed(t) }

func killed(t *testing.T, env ...string) {
	t.Helper()
	dir, command, end := locked(t, env...)
	defer end.Close()
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Fatal("it was not killed")
	}
	lock, err := mind.LockDir(dir, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenFolderIsClosedToOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mind")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	lock, err := mind.LockDir(dir, noon)
	if err != nil {
		t.Fatal(err)
	}
	if mode(t, dir) != 0o700 || !strings.Contains(lock.Tightened, "(-rwxr-xr-x)") {
		t.Errorf("%v %q", mode(t, dir), lock.Tightened)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestUnusableFolders(t *testing.T) {
	cases := []struct {
		name string
		code store.Code
		want string
		make func(dir string) error
	}{
		{"file", store.CodeFolder, "is a file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }},
		{"dangling link", "", "", func(dir string) error { return os.Symlink("nowhere", dir) }},
		{"no write permission", store.CodePermission, "chmod 700", func(dir string) error { return os.Mkdir(dir, 0o500) }},
		{"lock is a folder", store.CodeFolder, "not a plain file", func(dir string) error { return os.MkdirAll(filepath.Join(dir, "lock"), 0o700) }},
		{"lock is a link", store.CodeFolder, "not a plain file", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Symlink("/etc/hostname", filepath.Join(dir, "lock")))
		}},
		{"lock has two names", store.CodeFolder, "hard links", func(dir string) error {
			lock := filepath.Join(dir, "lock")
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(lock, nil, 0o600), os.Link(lock, dir+".other"))
		}},
		{"others may write to it", store.CodeFolder, "chmod go-w", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770))
		}},
		{"others may write above it", store.CodeFolder, "chmod go-w", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(filepath.Dir(dir), 0o777))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mind")
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := mind.LockDir(dir, noon)
			if err == nil || store.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("below a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		testutil.Write(t, file, "")
		if _, err := mind.LockDir(filepath.Join(file, "mind"), noon); store.CodeOf(err) != store.CodeFolder {
			t.Errorf("got %v", err)
		}
	})
}

// Whoever may write to the folder can put a write-ahead log there, which takes
// the mind's place when the database is opened.
func TestPlantedLog(t *testing.T) {
	said := func(dir, text string) (path string, db *store.DB) {
		path = filepath.Join(dir, "mind.db")
		db, err := store.Open(t.Context(), store.Options{Path: path}, mind.Migrations()...)
		if err == nil && text != "" {
			err = mind.New(db).SetMeta(t.Context(), "said", text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path, db
	}
	own, others := filepath.Join(t.TempDir(), "mind"), t.TempDir()
	if err := errors.Join(os.Mkdir(own, 0o700), os.Chmod(own, 0o770)); err != nil {
		t.Fatal(err)
	}
	path, db := said(own, "mine")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	planted, db := said(others, "planted")
	log, err := os.ReadFile(planted + "-wal")
	if err = errors.Join(err, db.Close(), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := mind.LockDir(own, noon); store.CodeOf(err) != store.CodeFolder || !strings.Contains(err.Error(), "chmod go-w "+own) {
		t.Errorf("got %v", err)
	}
	// The twin opens the database without asking for the folder.
	_, db = said(own, "")
	defer db.Close()
	if text, _, err := mind.New(db).Meta(t.Context(), "said"); err != nil || text != "planted" {
		t.Errorf("without the guard the mind holds %q: %v", text, err)
	}
}
