package kin_test

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/subconsciousd/subconsciousd/internal/kin"
)

// TestLook compares what is known of a child with what its parent knows.
func TestLook(t *testing.T) {
	before := kin.Now()
	child := exec.Command("sh", "-c", "read line", "a (name) with\nall", "")
	child.Env = []string{"A=b=c", "EMPTY="}
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pid := child.Process.Pid
	p, alive := kin.Look(pid)
	if !alive || p.Parent != os.Getpid() || p.Group != pid || p.Session != pid || p.Terminal != "" || p.Name != "sh" || p.Program == "" ||
		!slices.Equal(p.Arguments[:4], child.Args[:4]) || p.Began+1 < before || p.Began > kin.Now() {
		t.Errorf("%v: %+v, between %d and %d", alive, p, before, kin.Now())
	}
	for name, want := range map[string]string{"A": "b=c", "EMPTY": "", "B": "none", "HOME": "none"} {
		if value, is := kin.Variable(pid, name); is != (want != "none") || is && value != want {
			t.Errorf("%s is %q, %v", name, value, is)
		}
	}
	own, _ := kin.Look(os.Getpid())
	if session, err := unix.Getsid(0); err != nil || own.Session != session || own.Group != unix.Getpgrp() {
		t.Errorf("this process is %+v; its session %d, %v", own, session, err)
	}
	_ = in.Close()
	if err := child.Wait(); err == nil {
		t.Error("it read a line that nobody wrote")
	}
	if _, alive := kin.Look(pid); alive {
		t.Error("it lives on")
	}
}
