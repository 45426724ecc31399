// Package testutil has what tests of many rooms begin or end with.
package testutil

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/tools/txtar"
)

// T is a test, or a property of one.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Opened returns what a call has opened, to be closed with the test.
func Opened[C io.Closer](t testing.TB, opened C, err error) C {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened
}

// Folder makes an empty folder outside of the test's own one, where other
// users can come and paths are short. It goes with the test.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Read returns what is in a file.
func Read(t T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Write writes a file, and the folders above it.
func Write[S ~string | ~[]byte](t T, path string, text S) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Program writes a program of shell. Nothing is forked meanwhile: a child that holds
// the file open keeps it from being run.
func Program(t T, path, body string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// Golden compares with the file of that path, or writes it where update is set.
func Golden[S ~string | ~[]byte](t testing.TB, update bool, path string, got S) {
	t.Helper()
	if update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(Read(t, path)), string(got)); diff != "" {
		t.Errorf("%s differs; run with -update and read the difference (-want +got)\n%s", path, diff)
	}
}

// Archives gives each archive of a pattern to a test of its name, and wants
// that many and more. Golden compares the archive, as that test leaves it.
func Archives(t *testing.T, update bool, pattern string, least int, play func(t *testing.T, path string, archive *txtar.Archive)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < least {
		t.Fatalf("%d files at %s, want %d and more: %v", len(paths), pattern, least, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse(Read(t, path))
			play(t, path, archive)
			Golden(t, update, path, txtar.Format(archive))
		})
	}
}

// JSON returns a value as JSON.
func JSON(t T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Zone returns a zone of this name.
func Zone(t T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Schema returns a JSON schema that values can be held against.
func Schema(t T, text []byte) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	err := json.Unmarshal(text, &schema)
	resolved, wrong := schema.Resolve(nil)
	if err := errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	return resolved
}

// Until asks again and again, for half a minute, until something is so.
func Until(t T, what string, so func() bool) {
	t.Helper()
	deadline, poll := time.After(30*time.Second), time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for !so() {
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatal("not before the deadline: " + what)
		}
	}
}

// Root skips a test that needs root on a person's machine, and fails it in CI.
func Root(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("CI") == "true" {
		t.Fatal("this test needs root, and CI must run it")
	}
	if os.Geteuid() != 0 {
		t.Skip("this test needs root")
	}
}

// Started starts a command, and returns the lines that it prints.
func Started(t testing.TB, command *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out)
}

// Killed runs a command that ends well, or is dead by SIGKILL.
func Killed(t testing.TB, command *exec.Cmd) (output []byte, dead bool) {
	t.Helper()
	output, err := command.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status, ok := exit.Sys().(syscall.WaitStatus)
		dead = ok && status.Signal() == syscall.SIGKILL
	}
	if err != nil && !dead {
		t.Fatalf("%v: %s", err, output)
	}
	return output, dead
}

// Log is a log that many may write.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// told is a test that keeps what it is told.
type told struct {
	testing.TB // for what no check calls
	mu         sync.Mutex
	said       []string
	cleanups   []func()
}

func (r *told) Helper()                           {}
func (r *told) Cleanup(f func())                  { r.cleanups = append(r.cleanups, f) }
func (r *told) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }
func (r *told) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *told) Error(args ...any)                 { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *told) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// Told runs a check, which may fail, and returns what it says of that.
func Told(check func(testing.TB)) []string {
	r := &told{}
	var group sync.WaitGroup
	group.Go(func() {
		defer func() {
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		check(r)
	})
	group.Wait()
	return r.said
}
