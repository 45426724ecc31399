package actions_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A program ends with a daemon that is killed.
func TestProgramEndsWithTheDaemon(t *testing.T) {
	dir := childFolder(t)
	fifo := filepath.Join(dir, "begun")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	script(t, dir, "note", `echo $$ >"${0%/*}/begun"; exec sleep 300`)
	command := child(dir)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid := only(t, fifo)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Error("it was not killed")
	}
	ended(t, pid)
}
