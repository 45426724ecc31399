package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

// sufferer is a daemon, as a process, that things go wrong for.
type sufferer struct {
	t      *testing.T
	state  string
	daemon *exec.Cmd
	log    *bytes.Buffer
}

// suffers starts one whose state folder is below a folder.
func suffers(t *testing.T, dir string) *sufferer {
	t.Helper()
	if err := control(); err != nil {
		t.Fatal(err)
	}
	s := &sufferer{t: t, state: filepath.Join(dir, "state"), log: &bytes.Buffer{}}
	config := filepath.Join(t.TempDir(), "config.yaml")
	testutil.Write(t, config, "schedule: \"0 0 1 1 *\"\nsenses: {health: {enabled: false}, notes: [{id: notes, path: "+t.TempDir()+"}]}\n")
	s.daemon = exec.Command("subconsciousd", "--config", config, "--state-dir", s.state)
	s.daemon.Stderr = s.log
	if err := s.daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.daemon.Process.Signal(syscall.SIGTERM), s.daemon.Wait()); err != nil {
			t.Errorf("the end: %v", err)
		}
		if t.Failed() {
			t.Log(s.log)
		}
	})
	testutil.Until(t, "it is served", func() bool { said, _ := s.asks("status"); return strings.Contains(said, "number 1") })
	return s
}

// asks runs subconsciousctl.
func (s *sufferer) asks(args ...string) (string, error) {
	said, err := exec.Command(filepath.Join(controlFolder, "subconsciousctl"), append(args, "--state-dir", s.state)...).CombinedOutput()
	return string(said), err
}

// whole wants a published document that can be read, and a database that is not damaged.
func (s *sufferer) whole(when string) {
	s.t.Helper()
	_, err := documenttest.Decode(testutil.Read(s.t, filepath.Join(s.state, "subconscious.json")))
	if err := errors.Join(err, store.CheckFile(s.t.Context(), filepath.Join(s.state, "mind.db"))); err != nil {
		s.t.Errorf("%s: %v", when, err)
	}
}

// says wants status to say something, and to end as one that is not well does.
func (s *sufferer) says(when, words string) {
	s.t.Helper()
	said, err := s.asks("status")
	exit, _ := errors.AsType[*exec.ExitError](err)
	if !regexp.MustCompile(words).MatchString(strings.Join(strings.Fields(said), " ")) || exit == nil || exit.ExitCode() != 4 {
		s.t.Errorf("%s: status ends with %v and says %s", when, err, said)
	}
}

// recovers wants the next tick to go well, of the same process, with what was asked for.
func (s *sufferer) recovers(when, note string) {
	s.t.Helper()
	testutil.Until(s.t, when+": it recovers", func() bool { _, err := s.asks("tick"); return err == nil })
	said, err := s.asks("status")
	if err != nil || !strings.Contains(said, note) {
		s.t.Errorf("%s is over: %v; status says %s", when, err, said)
	}
	s.whole(when + " is over")
}

// strace makes calls of the daemon fail, on these files alone, until the function that
// it returns is called.
func (s *sufferer) strace(calls, failure string, files ...string) (heal func()) {
	s.t.Helper()
	args := []string{"-f", "-p", fmt.Sprint(s.daemon.Process.Pid), "-e", "trace=" + calls, "-e", "inject=" + calls + ":error=" + failure, "-o", "/dev/null"}
	for _, file := range files {
		args = append(args, "-P", filepath.Join(s.state, file))
	}
	tracer := exec.Command("strace", args...)
	var said bytes.Buffer
	tracer.Stderr = &said
	if err := tracer.Start(); err != nil {
		s.t.Fatalf("strace, which injects the faults: %v", err)
	}
	traced := func() bool {
		all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.daemon.Process.Pid))
		for _, one := range all {
			if text, err := os.ReadFile(one); err == nil && strings.Contains(string(text), "TracerPid:\t0\n") {
				return false
			}
		}
		return true
	}
	testutil.Until(s.t, "strace is attached", traced)
	return func() {
		s.t.Helper()
		if err := tracer.Process.Signal(syscall.SIGTERM); err != nil {
			s.t.Fatal(err)
		}
		_ = tracer.Wait() // it ends by that signal
		if traced() {
			s.t.Fatalf("strace is attached still: %s", &said)
		}
	}
}

// TestFailingDisk has the system refuse what a daemon asks of its disk: what was
// committed is whole, status says what is wrong, and once it is right again the daemon
// goes on.
func TestFailingDisk(t *testing.T) {
	testutil.Root(t)
	if _, err := exec.LookPath("strace"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("there is no strace, which injects the faults")
	}
	s := suffers(t, testutil.Folder(t))
	const writes, syncs, renames = "write,pwrite64", "fsync,fdatasync", "rename,renameat,renameat2"
	for i, fault := range []struct {
		name, calls, failure string
		files                []string
		words                string // of status
		exit                 int    // of tick: 1 it failed, 4 it was committed
	}{
		{"no room for the database", writes, "ENOSPC", []string{"mind.db-wal"}, "the last tick failed.*no space left for the database", 1},
		{"the database cannot be written", writes, "EIO", []string{"mind.db-wal"}, "the last tick failed.*the disk failed while the database", 1},
		{"the database cannot be synced", syncs, "EIO", []string{"mind.db-wal"}, "the last tick failed", 1},
		{"a read-only volume", writes, "EROFS", []string{"mind.db-wal", "mind.db"}, "the last tick failed", 1},
		{"the document cannot be renamed", renames, "EIO", []string{"subconscious.json"}, "but subconscious.json is not written.*input/output error", 4},
		{"the document cannot be renamed for want of room", renames, "ENOSPC", []string{"subconscious.json"}, "but subconscious.json is not written.*no space left", 4},
		{"nothing can be synced", syncs, "EIO", nil, "the last tick failed", 1},
	} {
		note := fmt.Sprintf("fault number %d", i+1)
		if said, err := s.asks("note", "remember "+note); err != nil {
			t.Fatal(said, err)
		}
		heal := s.strace(fault.calls, fault.failure, fault.files...)
		said, err := s.asks("tick")
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != fault.exit {
			t.Errorf("%s: the tick ends with %v: %s", fault.name, err, said)
		}
		s.says(fault.name, fault.words)
		heal()
		s.whole(fault.name)
		s.recovers(fault.name, note)
	}
}

// TestFullVolume fills the volume of the state folder, which is in memory, to the last
// byte, and makes room again.
func TestFullVolume(t *testing.T) {
	testutil.Root(t)
	volume := testutil.Folder(t)
	if err := syscall.Mount("tmpfs", volume, "tmpfs", 0, "size=12m,mode=0700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(volume, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := suffers(t, volume)
	if said, err := s.asks("note", "remember the full volume"); err != nil {
		t.Fatal(said, err)
	}
	ballast := filepath.Join(volume, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	testutil.Until(t, "a tick finds no room", func() bool { _, err := s.asks("tick"); return err != nil })
	s.says("a full volume", "but the last tick failed.*no space left")
	s.whole("a full volume")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s.recovers("a full volume", "remember the full volume")
}

// TestOutOfDescriptors leaves a daemon with none to open for a while.
func TestOutOfDescriptors(t *testing.T) {
	s := suffers(t, testutil.Folder(t))
	if said, err := s.asks("note", "remember the descriptors"); err != nil {
		t.Fatal(said, err)
	}
	pid := s.daemon.Process.Pid
	var had unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &had); err != nil {
		t.Fatal(err)
	}
	limit := func(to unix.Rlimit) {
		t.Helper()
		if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &to, nil); err != nil {
			t.Fatal(err)
		}
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	// What is open stays open. A request needs one more, and who asks is looked up with
	// another before a tick begins: so many that it begins, and cannot end.
	var said string
	for extra := 1; ; extra++ {
		limit(unix.Rlimit{Cur: uint64(len(open) + extra), Max: had.Max})
		if said, err = s.asks("tick"); err == nil {
			t.Fatalf("with %d more descriptors the tick says %s", extra, said)
		}
		if strings.Contains(said, "publish") {
			break
		}
	}
	s.says("a want of descriptors", "but .*subconscious.json is not written.*(too many open files|store: connect)")
	s.whole("a want of descriptors")
	limit(had)
	s.recovers("a want of descriptors", "remember the descriptors")
}
