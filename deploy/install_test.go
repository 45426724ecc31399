package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallPutsCommandsInPlace installs into folders of its own, with scripts
// for programs, and writes no service file.
func TestInstallPutsCommandsInPlace(t *testing.T) {
	need(t, "make")
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, name) }
	if err := os.Mkdir(in("built"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"subconsciousd", "subconsciousctl"} {
		if err := os.WriteFile(filepath.Join(in("built"), program), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("make", "-C", "..", "install", "GO=true", "BIN="+in("built"), "HOME="+in("home"),
		"PREFIX="+in("prefix"), "CONFIG="+in("config"))
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("make install: %v\n%s", err, said)
	}
	if !strings.Contains(string(said), "PATH lacks "+in("prefix/bin")) {
		t.Errorf("it does not say that the commands will not be found:\n%s", said)
	}
	if !strings.Contains(string(said), "subconsciousctl service install") {
		t.Errorf("it does not say how the service is installed:\n%s", said)
	}
	if _, err := os.Stat(in("home")); err == nil {
		t.Error("it writes elsewhere in the home folder: service files are those of subconsciousctl service install")
	}
	for _, path := range []string{in("prefix/bin/subconsciousd"), in("prefix/bin/subconsciousctl"), in("config/config.example.yaml")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestHelpFitsATerminal(t *testing.T) {
	need(t, "make")
	said, err := exec.Command("make", "-C", "..", "--no-print-directory").CombinedOutput()
	if err != nil {
		t.Fatalf("make: %v\n%s", err, said)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if len(lines) < 8 {
		t.Errorf("only %d targets are listed:\n%s", len(lines), said)
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
