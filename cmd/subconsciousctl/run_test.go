package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestColourOnTerminalsAlone(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Busy(), api.Options{})
	for _, test := range []struct {
		name     string
		terminal bool
		env      map[string]string
		args     []string
		want     bool
	}{
		{"a terminal", true, nil, nil, true},
		{"a pipe", false, nil, nil, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, nil, false},
		{"an empty NO_COLOR", true, map[string]string{"NO_COLOR": ""}, nil, true},
		{"--no-color", true, nil, []string{"--no-color"}, false},
		{"a dumb terminal", true, map[string]string{"TERM": "dumb"}, nil, false},
		{"JSON", true, nil, []string{"--json"}, false},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), process{
			args: append([]string{"status", "--state-dir", folder}, test.args...), stdout: &out, stderr: &errs,
			env:     func(name string) (string, bool) { value, ok := test.env[name]; return value, ok },
			now:     apitest.At,
			zone:    time.UTC,
			columns: func() int { return 100 }, outTerminal: test.terminal,
		})
		if code != 0 || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", test.name, code, &errs)
		}
		if got := strings.Contains(out.String(), "\x1b"); got != test.want {
			t.Errorf("%s: colours %v, want %v", test.name, got, test.want)
		}
	}
}

// TestTimesAreInTheZoneOfTheMind asks a mind elsewhere: its entries speak of its
// clock, and so must what is written around them.
func TestTimesAreInTheZoneOfTheMind(t *testing.T) {
	for zone, want := range map[string]string{"Asia/Tokyo": "(23:03), number 128", "UTC": "(14:03), number 128"} {
		location := testutil.Zone(t, zone)
		folder := testutil.Folder(t)
		apitest.Serve(t, folder, apitest.Busy(), api.Options{Now: func() time.Time { return apitest.At().In(location) }})
		var out, errs bytes.Buffer
		code := run(t.Context(), process{
			args: []string{"status", "--state-dir", folder}, stdout: &out, stderr: &errs, env: func(string) (string, bool) { return "", false },
			now: apitest.At, zone: time.FixedZone("here", -3*60*60), columns: func() int { return 100 },
		})
		if code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %q is not in\n%s%s", zone, code, want, &out, &errs)
		}
	}
}

// TestTypedTimesAreInTheZoneOfTheMind answers from a process in UTC, where it is
// 14:05, to a mind in Berlin, where it is 15:05.
func TestTypedTimesAreInTheZoneOfTheMind(t *testing.T) {
	berlin := testutil.Zone(t, "Europe/Berlin")
	for _, test := range []struct{ command, when, want string }{
		{"remind", "15:05", "15:05 is past: it is 15:05 now"},
		{"remind", "15:06", "(15:06)"},
		{"remind", "23:30", "(23:30)"},
		{"snooze", "15:05", "(Sun 15:05)"},
		{"snooze", "tomorrow 0:30", "(Sun 00:30)"},
	} {
		folder, mind := testutil.Folder(t), apitest.Telling()
		apitest.Serve(t, folder, mind, api.Options{Now: func() time.Time { return apitest.At().In(berlin) }})
		var out, errs bytes.Buffer
		run(t.Context(), process{
			args: []string{test.command, string(mind.Box.Incidents[0].ID), test.when, "--state-dir", folder, "--as-me"}, stdout: &out, stderr: &errs,
			env: func(string) (string, bool) { return "", false }, now: apitest.At, zone: time.UTC, columns: func() int { return 100 },
		})
		if got := out.String() + errs.String(); !strings.Contains(got, test.want) {
			t.Errorf("%s %s: %q is not in %s", test.command, test.when, test.want, got)
		}
	}
}

func TestSpinner(t *testing.T) {
	for _, test := range []struct {
		name  string
		takes time.Duration
		want  string
	}{
		{"quick", spinAfter - time.Millisecond, ""},
		{"slow", 3 * time.Second, "thinking, 2 s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			stop := spin(&out, "thinking")
			time.Sleep(test.takes)
			stop()
			stop()
			got := out.String()
			if test.want == "" && got != "" {
				t.Errorf("%s: it wrote %q", test.name, got)
			}
			if test.want != "" && (!strings.Contains(got, test.want) || !strings.HasSuffix(got, "\r\x1b[K")) {
				t.Errorf("%s: it wrote %q", test.name, got)
			}
		})
	}
}

// full is a standard output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatFails(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Busy(), api.Options{})
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"config", "schema"}} {
		var errs bytes.Buffer
		code := run(t.Context(), process{
			args: append(args, "--state-dir", folder), stdout: full{}, stderr: &errs, env: os.LookupEnv,
			now: apitest.At, zone: time.UTC, columns: func() int { return 0 },
		})
		if code != exitFailed || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit code %d, %s", args, code, &errs)
		}
	}
}

// build makes the program as it is shipped.
func build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "subconsciousctl")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	return path
}

// BenchmarkStatusProcess is the whole of `subconsciousctl status`, the start of
// the process included.
func BenchmarkStatusProcess(b *testing.B) {
	program := build(b)
	folder := testutil.Folder(b)
	apitest.Serve(b, folder, apitest.Busy(), api.Options{})
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), program, "status", "--state-dir", folder).CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("Following")) {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
