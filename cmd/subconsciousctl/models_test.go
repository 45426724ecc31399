package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/setup"
)

// here is a process of a test with these arguments.
func here(stdout, stderr io.Writer, args ...string) process {
	return process{args: args, stdout: stdout, stderr: stderr, env: func(string) (string, bool) { return "", false },
		now: apitest.At, zone: time.UTC, columns: func() int { return 80 }}
}

// faked runs a command that serves, and returns what it prints, and what ends it
// well.
func faked(t *testing.T, args ...string) (out *os.File, end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in, err := os.Pipe() // one that holds some lines
	if err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, here(in, io.Discard, args...))
		_ = in.Close()
	}()
	return out, func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if got := <-code; got != exitFine {
			t.Errorf("exit code %d", got)
		}
	}
}

// TestModelsFake serves, is asked, fails as it was told to, and ends.
func TestModelsFake(t *testing.T) {
	out, end := faked(t, "models", "fake", "--json", "--script", "silent", "--fault", "429-header@2")
	answers := json.NewDecoder(out)
	var ready struct {
		BaseURL string `json:"base_url"`
		Config  string `json:"config"`
	}
	if err := answers.Decode(&ready); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		response, err := http.Post(ready.BaseURL+"/chat/completions", "application/json",
			strings.NewReader(`{"model":"`+modeltest.Model+`","messages":[{"role":"user","content":"hello"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("request %d: status %d, want %d", i+1, response.StatusCode, want)
		}
		var told fakeRequest
		if err := answers.Decode(&told); err != nil {
			t.Fatal(err)
		}
		if told.Number != i+1 || told.Status != want {
			t.Errorf("request %d was told of as %+v", i+1, told)
		}
	}
	end()
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	if _, err := loadText(t, ready.Config); err != nil {
		t.Errorf("the configuration that it prints does not load: %v\n%s", err, ready.Config)
	}
}

// TestModelsFakeRefuses: what cannot be served is said.
func TestModelsFakeRefuses(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--script", "nonsense"}, exitUsage, "there are silent"},
		{[]string{"--fault", "nonsense"}, exitUsage, "429-header"},
		{[]string{"--listen", "here"}, exitUsage, "127.0.0.1:8099"},
		{[]string{"--listen", "192.0.2.1:1"}, exitFailed, "listen on 192.0.2.1:1"},
	} {
		var errs bytes.Buffer
		code := run(t.Context(), here(io.Discard, &errs, append([]string{"models", "fake"}, test.args...)...))
		if code != test.code || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%v: exit code %d, %s", test.args, code, &errs)
		}
	}
}

// loadText loads a configuration from its text.
func loadText(t *testing.T, text string) (*setup.Config, error) {
	t.Helper()
	path := t.TempDir() + "/config.yaml"
	testutil.Write(t, path, text)
	return setup.Load(path, func(name string) (string, bool) { return "/home/sample", name == "HOME" })
}

// TestFakeAddress: what a stand-in prints can be asked on this machine, and it
// says where others can reach it too.
func TestFakeAddress(t *testing.T) {
	for address, want := range map[string]struct {
		dialled string
		exposed bool
	}{
		"http://127.0.0.1:8099":       {"http://127.0.0.1:8099", false},
		"http://[::1]:8099/v1":        {"http://[::1]:8099/v1", false},
		"http://0.0.0.0:8099/v1":      {"http://127.0.0.1:8099/v1", true},
		"http://[::]:8099":            {"http://127.0.0.1:8099", true},
		"http://192.168.7.2:8099/v1":  {"http://192.168.7.2:8099/v1", true},
		"http://[fd00::2]:8099/v1":    {"http://[fd00::2]:8099/v1", true},
		"http://[::ffff:7f00:1]:8099": {"http://[::ffff:7f00:1]:8099", false},
	} {
		got, warning := reachable(address)
		if got != want.dialled {
			t.Errorf("%s is dialled at %s, want %s", address, got, want.dialled)
		}
		if (warning != "") != want.exposed {
			t.Errorf("%s: the warning is %q", address, warning)
		}
	}
}
