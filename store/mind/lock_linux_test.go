package mind_test

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
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// unprivileged locks dir as a user who owns nothing, and returns what it said.
func unprivileged(t *testing.T, dir string) string {
	t.Helper()
	place := testutil.Folder(t)
	program := testutil.Read(t, os.Args[0])
	copied := filepath.Join(place, "program")
	if err := errors.Join(os.WriteFile(copied, program, 0o755), os.Chmod(place, 0o755)); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(copied, dir)
	command.Env = append(os.Environ(), "MIND_TEST_CHILD=lock")
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

func TestFoldersOfOthers(t *testing.T) {
	testutil.Root(t)
	root := testutil.Folder(t)
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, want string
		mode       os.FileMode
		owner      int
	}{
		{"root's, open to all", "sudo chown -R 65534", 0o777, 0},
		{"root's, closed", "belongs to user 0, and this is user 65534", 0o700, 0},
		{"its own, not writable", "chmod 700", 0o500, 65534},
		{"its own, written by all", "chmod go-w", 0o777, 65534},
		{"its own, open to all", "locked the state folder", 0o755, 65534},
	}
	for _, c := range cases {
		dir := filepath.Join(root, strings.Map(func(r rune) rune {
			if r == ' ' || r == '\'' || r == ',' {
				return '-'
			}
			return r
		}, c.name))
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, c.owner, c.owner), os.Chmod(dir, c.mode)); err != nil {
			t.Fatal(err)
		}
		if out := unprivileged(t, dir); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s", c.name, out)
		}
	}
	if out := unprivileged(t, filepath.Join(root, "not", "there")); !strings.Contains(out, "may not make") {
		t.Errorf("below a folder of another user: %s", out)
	}
	// Root itself keeps out of a user's folder.
	if _, err := mind.LockDir(filepath.Join(root, "its-own--open-to-all"), noon); store.CodeOf(err) != store.CodePermission {
		t.Errorf("got %v", err)
	}
}

func TestPublishOnAFullOrReadOnlyDisk(t *testing.T) {
	testutil.Root(t)
	h := newHouse(t)
	volume := t.TempDir()
	if err := syscall.Mount("tmpfs", volume, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(volume, 0); err != nil {
			t.Error(err)
		}
	})
	h.dir, h.path = volume, filepath.Join(volume, mind.DocumentName)
	h.publisher = mind.NewPublisher(volume, h.minds, nil)
	first := h.tick(t, 0)
	h.publish(t, first)

	fails := func(code store.Code) {
		t.Helper()
		c := h.tick(t, 0)
		if _, err := h.publisher.Publish(t.Context(), c.Record.Tick, c.Published); store.CodeOf(err) != code {
			t.Errorf("got %v, want %s", err, code)
		}
		h.holds(t, first.Published)
	}
	ballast := filepath.Join(volume, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	fails(store.CodeDiskFull)
	if entries, err := os.ReadDir(volume); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", volume, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	fails(store.CodeReadOnly)
	if _, err := mind.LockDir(volume, noon); store.CodeOf(err) != store.CodeReadOnly {
		t.Errorf("got %v", err)
	}
	if err := syscall.Mount("", volume, "", syscall.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	h.publish(t, h.tick(t, 0))
}

// TestLockOfAKilledDaemonThatStartedAProgram: the program has the lock as well,
// until it runs.
func TestLockOfAKilledDaemonThatStartedAProgram(t *testing.T) { killed(t, "MIND_TEST_STARTS=1") }
