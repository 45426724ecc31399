package actions_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// What keeps a program apart has its twin: the same program, run the plain way,
// does what it must not.
func TestTwinsOfTheSurroundings(t *testing.T) {
	const token = "not-for-programs"
	t.Setenv("API_TOKEN", token)
	dir := t.TempDir()
	plain := func(argv ...string) string {
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	b := running(t, nil, actions.Action{Name: "env", Description: "Shows it.", Command: []string{"env"}},
		actions.Action{Name: "held", Description: "Shows what is open.", Command: []string{"ls", "-l", "/dev/fd/"}},
		actions.Action{Name: "echo", Description: "Says it.", Command: []string{"echo", "{x}"}, Params: []actions.Param{text("x")}})

	if with, without := b.execute(t, "1", "env", `{}`).Output, plain("env"); strings.Contains(with, token) || !strings.Contains(without, token) {
		t.Errorf("the environment: %q and %q", with, without)
	}

	held, err := syscall.Open(filepath.Join(dir, "held-open"), syscall.O_CREAT|syscall.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(held)
	without := plain("ls", "-l", "/dev/fd/")
	if with := b.execute(t, "2", "held", `{}`).Output; strings.Contains(with, "held-open") || !strings.Contains(without, "held-open") {
		t.Errorf("what is open: %q and %q", with, without)
	}

	const hostile = `a; echo $((40+2))`
	if with, without := b.execute(t, "3", "echo", `{"x":`+quoted(hostile)+`}`).Output, plain("sh", "-c", "echo "+hostile); with != hostile+"\n" || !strings.Contains(without, "42") {
		t.Errorf("a line: %q and %q", with, without)
	}
}

// Without a group of its own the child of a program lives on.
func TestTwinOfTheGroup(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "begun")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	command := exec.CommandContext(ctx, script(t, dir, "long", `sleep 300 & echo $! >"$1"; wait`), fifo)
	command.WaitDelay = 10 * time.Millisecond
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid := only(t, fifo)
	cancel()
	if err := command.Wait(); err == nil {
		t.Error("it was not ended")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error("its child ended, too: the group is for nothing, or this test is")
	}
	ended(t, pid)
}

// Without Redact a secret is stored.
func TestTwinOfRedact(t *testing.T) {
	a, _ := noting(t, "note")
	b := running(t, func(o *actions.Options) { o.Redact = nil }, a)
	if p, err := b.tryPropose(request("k", "note", `{"text":"password=hunter2hunter2"}`)); err != nil || p.Argv[1] != "password=hunter2hunter2" {
		t.Errorf("%+v, %v", p, err)
	}
}
