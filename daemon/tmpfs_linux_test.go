package daemon_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/health"
)

// hasMemory reports whether a folder lies in memory, and programs can be written
// to it and run.
func hasMemory(path string) bool {
	const tmpfs, noExec = 0x01021994, 0x8
	var s syscall.Statfs_t
	return os.Getenv("TMPDIR") == "" && syscall.Statfs(path, &s) == nil && s.Type == tmpfs && s.Flags&noExec == 0 && s.Bavail > 1<<18
}

// mount mounts a small volume in memory, and gives it back at the end.
func mount(t *testing.T, path string, mib int) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", mib)); err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// A real volume that fills over its threshold and is freed, read by the real
// reader.
func TestRealVolumeFillsAndIsFreed(t *testing.T) {
	testutil.Root(t)
	w := newWorld(t)
	volume := testutil.Folder(t)
	mount(t, volume, 16)
	config := &w.options.Config.Senses.Health
	*config = health.DefaultConfig()
	config.Disk.Paths = []string{volume}
	config.Units, config.Clock = false, false
	w.options.Health = nil
	w.begin()
	w.tick()
	w.now(volume, 0)
	fill := func(name string, mib int) {
		testutil.Write(t, filepath.Join(volume, name), strings.Repeat("x", mib<<20))
	}
	fill("one", 14) // 87 %
	w.tick()
	e := w.now(volume, 3)
	w.strengths(volume, 3, 3)
	fill("two", 2) // all of it
	w.strengths(volume, 4, 4)
	if got := w.now(volume, 4); got.ID != e.ID {
		t.Fatalf("%s became %s", e.ID, got.ID)
	}
	for _, name := range []string{"one", "two"} {
		w.remove(filepath.Join(volume, name))
	}
	w.tick()
	if over := w.now(volume, 1); !over.Over || over.ID != e.ID {
		t.Fatalf("freed: %+v", over)
	}
	w.strengths(volume, 0)
}

// nobody is a user without rights.
const nobody = 65534

// asNobody starts the test program as nobody over a folder that nobody may look
// into, and returns what it says.
func asNobody(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "program")
	copied(t, os.Args[0], program)
	command := exec.Command(program)
	command.Dir = dir
	command.Env = []string{"DAEMON_TEST_CHILD=starts", childDir + "=" + dir, "TMPDIR=" + dir, "HOME=" + dir}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := command.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	text := testutil.Read(t, from)
	if err := os.WriteFile(to, text, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o755); err != nil {
		t.Fatal(err)
	}
}

// Wrong permissions, as a user without rights: each is a plain message with a
// next step, and nothing is lost.
func TestWrongPermissions(t *testing.T) {
	t.Parallel()
	testutil.Root(t)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		words   []string
	}{
		"all is well": {func(t *testing.T, dir string) {
			own(t, filepath.Join(dir, "state"), nobody)
		}, []string{"started"}},
		"the state folder is another's": {func(*testing.T, string) {},
			[]string{"state folder", "belongs to user 0", "this is user 65534", "sudo chown"}},
		"the state folder cannot be made": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "state")); err != nil {
				t.Fatal(err)
			}
		}, []string{"may not make", "sudo install -d"}},
		"the state folder cannot be written to": {func(t *testing.T, dir string) {
			own(t, filepath.Join(dir, "state"), nobody)
			if err := os.Chmod(filepath.Join(dir, "state"), 0o500); err != nil {
				t.Fatal(err)
			}
		}, []string{"cannot be written to", "chmod 700"}},
		"the configuration cannot be read": {func(t *testing.T, dir string) {
			own(t, filepath.Join(dir, "state"), nobody)
			if err := os.Chmod(filepath.Join(dir, "config.yaml"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"config.yaml", "permission"}},
		"the database is another's": {func(t *testing.T, dir string) {
			own(t, filepath.Join(dir, "state"), nobody)
			testutil.Write(t, filepath.Join(dir, "state", "mind.db"), "")
		}, []string{"mind.db", "may not"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testutil.Folder(t)
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "state"), 0o700); err != nil {
				t.Fatal(err)
			}
			config := filepath.Join(dir, "config.yaml")
			testutil.Write(t, config, "state_dir: state\nsenses: {health: {enabled: false}}\n")
			if err := os.Chmod(config, 0o644); err != nil {
				t.Fatal(err)
			}
			c.prepare(t, dir)
			said := asNobody(t, dir)
			for _, word := range c.words {
				if !strings.Contains(said, word) {
					t.Errorf("it does not say %q: %s", word, said)
				}
			}
			if strings.Contains(said, "goroutine") {
				t.Errorf("it panicked: %s", said)
			}
		})
	}
}

func own(t *testing.T, path string, user int) {
	t.Helper()
	if err := os.Chown(path, user, user); err != nil {
		t.Fatal(err)
	}
}

// A watched folder that the user may not read is said to be blind, and is seen
// again when it can be read.
func TestUnreadableFolder(t *testing.T) {
	w := newWorld(t)
	away := w.files + ".away"
	shut, open := func() error { return os.Chmod(w.files, 0) }, func() error {
		defer testutil.Write(t, filepath.Join(w.files, "meanwhile.service"), "x")
		return os.Chmod(w.files, 0o700)
	}
	if os.Geteuid() == 0 { // who reads everything: take the folder away instead
		shut, open = func() error { return os.Rename(w.files, away) }, func() error {
			testutil.Write(t, filepath.Join(away, "meanwhile.service"), "x")
			return os.Rename(away, w.files)
		}
	}
	w.begin()
	w.tick()
	if err := shut(); err != nil {
		t.Fatal(err)
	}
	w.tick()
	if got := w.sense("files", "work"); got.State != "blind" || got.Error == "" {
		t.Fatalf("the status says %+v", got)
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for w.sense("files", "work").State == "blind" {
		w.tick()
		if time.Since(began) > patience {
			t.Fatalf("it stays blind: %+v", w.sense("files", "work"))
		}
	}
	if _, ok := w.entry("meanwhile.service"); !ok {
		t.Fatalf("what came meanwhile is lost:\n%s", w.summaries())
	}
}
