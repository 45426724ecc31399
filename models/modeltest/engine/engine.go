package engine

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	// Variable names the folder in which the engine is installed.
	Variable = "SUBCONSCIOUS_ENGINE"
	// Model is what the toy model is called.
	Model = "toy"

	// startTime is how long the engine may take to be ready, endTime how long
	// to end.
	startTime = time.Minute
	endTime   = 10 * time.Second
	// maxLog is how much of what the engine says is kept, in bytes.
	maxLog = 16 << 10
)

//go:embed toy.mjs server.mjs corpus.txt
var files embed.FS

// Engine is an engine that runs.
type Engine struct {
	// URL is its root, without a slash at its end; BaseURL is what a driver
	// for the protocol of OpenAI is given.
	URL, BaseURL string
}

// Start starts the engine with the toy model and ends it with the test. Where
// it is not installed the test is skipped.
func Start(t testing.TB) Engine {
	t.Helper()
	folder := prepare(t, installed(t))
	run(t, folder, "toy.mjs", "corpus.txt", "toy.gguf")
	port := serve(t, folder, "server.mjs", "toy.gguf")
	url := "http://127.0.0.1:" + port
	return Engine{URL: url, BaseURL: url + "/v1"}
}

// installed returns the modules of the installed engine.
func installed(t testing.TB) string {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skipf("no inference engine: copy models/modeltest/engine/package.json into a folder, run `npm install --ignore-scripts "+
			"--omit=optional --no-package-lock` there, and set %s to its full path", Variable)
	}
	modules := filepath.Join(folder, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "node-llama-cpp", "package.json")); err != nil || !filepath.IsAbs(folder) {
		t.Fatalf("%s is %q, which is no full path of a folder with the engine installed: %v", Variable, folder, err)
	}
	return modules
}

// prepare makes a folder with the scripts beside the modules.
func prepare(t testing.TB, modules string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatalf("write the engine's scripts: %v", err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatalf("put the engine beside its scripts: %v", err)
	}
	return folder
}

// run runs a script to its end.
func run(t testing.TB, folder string, arguments ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	command := exec.CommandContext(ctx, "node", arguments...)
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", strings.Join(arguments, " "), err, tail(output))
	}
}

// serve starts a script that serves, and returns its port. It ends with its
// input: also where this process dies.
func serve(t testing.TB, folder string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, "node", arguments...)
	command.Dir, command.WaitDelay = folder, endTime
	var complaints bytes.Buffer
	command.Stderr = &complaints
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("start the engine: %v", err)
	}
	stuck := time.AfterFunc(startTime, cancel)
	port, found := listening(output)
	stuck.Stop()
	t.Cleanup(func() {
		input.Close()
		defer time.AfterFunc(endTime, cancel).Stop()
		defer cancel()
		io.Copy(io.Discard, output)
		if err := command.Wait(); err != nil {
			t.Errorf("the engine ended badly: %v\n%s", err, tail(complaints.Bytes()))
		}
	})
	if !found {
		cancel()
		t.Fatal("the engine does not serve; what it said comes below")
	}
	return port
}

// listening reads what the engine says until it names its port.
func listening(output io.Reader) (port string, found bool) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if port, found = strings.CutPrefix(lines.Text(), "listening "); found {
			return port, true
		}
	}
	return "", false
}

func tail(text []byte) []byte { return text[max(0, len(text)-maxLog):] }
