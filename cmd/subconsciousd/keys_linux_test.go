package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Another program of the same user does not get at the keys in the environment
// of the daemon; of a program that does not close itself it does.
func TestKeysInTheEnvironment(t *testing.T) {
	const key = "GROQ_API_KEY=gsk_0f1e2d3c4b5a69788796"
	dir := t.TempDir()
	program, err := os.ReadFile(os.Args[0])
	daemon := filepath.Join(dir, "subconsciousd")
	if err = errors.Join(err, os.WriteFile(daemon, program, 0o755), os.Mkdir(filepath.Join(dir, "home"), 0o700), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	user := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 { // who may read everything
		user.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		if err := os.Chown(filepath.Join(dir, "home"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		argv   []string
		closed bool
	}{{[]string{daemon, "--state-dir", filepath.Join(dir, "home", "state")}, true}, {[]string{"/bin/sh", "-c", "echo '\"started\"' >&2; read _"}, false}} {
		command := exec.Command(test.argv[0], test.argv[1:]...)
		command.Dir, command.Env, command.SysProcAttr = "/", []string{key, "HOME=" + filepath.Join(dir, "home")}, user
		stdin, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stderr, err := command.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		said := make([]byte, 4096)
		for text := ""; !strings.Contains(text, `"started"`); {
			n, err := stderr.Read(said)
			if text += string(said[:n]); err != nil {
				t.Fatal(text, err)
			}
		}
		reader := exec.Command("cat", fmt.Sprintf("/proc/%d/environ", command.Process.Pid))
		reader.Dir, reader.SysProcAttr = "/", user
		if out, err := reader.CombinedOutput(); strings.Contains(string(out), key) == test.closed || (err != nil) != test.closed {
			t.Errorf("%s: %v %q", test.argv[0], err, out)
		}
		if err := errors.Join(command.Process.Signal(syscall.SIGTERM), stdin.Close()); err != nil {
			t.Error(err)
		}
		_ = command.Wait() // the shell is ended by the signal
	}
}
