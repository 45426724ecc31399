package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// small mounts a volume of 2 MiB.
func small(t *testing.T) (dir string) {
	t.Helper()
	testutil.Root(t)
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all the room that is left, and returns what gives it back.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	dir := small(t)
	path := filepath.Join(dir, "mind.db")
	db := open(t, path, first)
	if err := insert(t.Context(), db, "before", 1); err != nil {
		t.Fatal(err)
	}
	empty := fill(t, dir)
	full := 0
	for range 50 {
		err := insert(t.Context(), db, strings.Repeat("x", 1000)+string(rune('a'+full)), 1)
		if err == nil {
			continue
		}
		if store.CodeOf(err) != store.CodeDiskFull || !strings.Contains(err.Error(), "Free some space") {
			t.Fatalf("got %v", err)
		}
		if full++; full == 3 {
			break
		}
	}
	if full != 3 {
		t.Fatal("the disk never was full")
	}
	had := count(t, db)
	empty()
	if err := insert(t.Context(), db, "after", 1); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db); n != had+1 {
		t.Fatalf("%d rows, want %d", n, had+1)
	}
}

func TestFullDiskKeepsAMigrationOut(t *testing.T) {
	dir := small(t)
	path := filepath.Join(dir, "mind.db")
	if err := open(t, path, first).Close(); err != nil {
		t.Fatal(err)
	}
	empty := fill(t, dir)
	if _, err := store.Open(t.Context(), store.Options{Path: path}, first, second); store.CodeOf(err) != store.CodeDiskFull {
		t.Fatalf("got %v", err)
	}
	empty()
	if n := count(t, open(t, path, first)); n != 0 {
		t.Fatal(n)
	}
}

// unprivileged starts the child as a user who owns nothing.
func unprivileged(t *testing.T, what, path string) (output string, err error) {
	t.Helper()
	testutil.Root(t)
	dir := testutil.Folder(t)
	program := testutil.Read(t, os.Args[0])
	copied := filepath.Join(dir, "program")
	if err := errors.Join(os.WriteFile(copied, program, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(copied, path)
	command.Env = append(os.Environ(), "STORE_TEST_CHILD="+what)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := command.CombinedOutput()
	return string(out), err
}

func TestWithoutPermission(t *testing.T) {
	testutil.Root(t)
	dir := filepath.Join(t.TempDir(), "mind")
	path := filepath.Join(dir, "mind.db")
	chmod := func(mode os.FileMode, names ...string) {
		for _, name := range names {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	chown := func(uid int, names ...string) {
		for _, name := range names {
			if err := os.Chown(name, uid, uid); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	chmod(0o755, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir)))
	cases := []struct {
		name, want string
		prepare    func()
	}{
		{"no file, read-only folder", "may not be read and written", func() {}},
		{"another user's file", "may not be read and written", func() {
			if err := open(t, path, first).Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{"own read-only file", "may not be read and written", func() { chown(65534, path); chmod(0o400, path) }},
		{"own file, read-only folder", "folder writable", func() { chmod(0o600, path) }},
	}
	for _, c := range cases {
		c.prepare()
		if out, err := unprivileged(t, "write", path); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v: %s", c.name, err, out)
		}
	}
}
