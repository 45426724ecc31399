package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitAsks goes the way by hand: a key that is typed is not shown, and kept
// in a file of its own.
func TestInitAsks(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	const key = "zai-0f1e2d3c4b5a.Qw3rTy6u"
	var out, errs bytes.Buffer
	p := here(&out, &errs, "init", "--config", file, "--preset", "free", "--no-test", "--no-push", "--state-dir", dir)
	p.env = func(name string) (string, bool) { return dir, name == "HOME" }
	p.stdin, p.inTerminal = strings.NewReader("what?\ntype it\nanother\n/none\n\n\n\n\nphone\n\nNina\n\nmy daughter Lea\n\n\n"), true
	p.secret = func() (string, error) { return key, nil }
	if code := run(t.Context(), p); code != exitFine {
		t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "keys", "zai")); err != nil || string(kept) != key+"\n" {
		t.Errorf("the key's file holds %q, %v", kept, err)
	}
	config, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(config), `key_file: "`+dir) {
		t.Errorf("%v\n%s", err, config)
	}
	if !strings.Contains(string(config), "topic: \"subconscious-") || !strings.Contains(out.String(), "there is no such folder") {
		t.Errorf("no topic was made, or any folder taken:\n%s\n%s", config, &out)
	}
	if !strings.Contains(string(config), "person:\n  name: \"Nina\"\n  about:\n    - \"my daughter Lea\"\n") {
		t.Errorf("it does not say who the person is:\n%s", config)
	}
	if strings.Contains(out.String()+errs.String()+string(config), key) {
		t.Error("the key is shown")
	}
}

// TestInitLeft ends the input, or fails to hide a key: nothing is written.
func TestInitLeft(t *testing.T) {
	for name, test := range map[string]struct {
		input  string
		secret func() (string, error)
		want   string
	}{
		"at once":    {"", nil, "nothing was written"},
		"at the end": {"later\n", nil, "nothing was written"},
		"no hiding":  {"1\n", nil, "--key-env or --key-file"},
		"no reading": {"1\n", func() (string, error) { return "", errors.New("inappropriate ioctl") }, "inappropriate ioctl"},
	} {
		dir := t.TempDir()
		var errs bytes.Buffer
		p := here(io.Discard, &errs, "init", "--config", filepath.Join(dir, "conf", "config.yaml"), "--preset", "free", "--no-test", "--state-dir", dir)
		p.stdin, p.inTerminal, p.secret = strings.NewReader(test.input), true, test.secret
		if code := run(t.Context(), p); code != exitFailed || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%s: exit code %d, %s", name, code, &errs)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: it left %v, %v", name, left, err)
		}
	}
}
