package setup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/setup"
)

func TestOverrides(t *testing.T) {
	content := "schedule: \"0 * * * *\"\nstate_dir: /srv/a\nlog: {level: warn}\n"
	got, err := load(t, content,
		"SUBCONSCIOUS_STATE_DIR", "/srv/b", "SUBCONSCIOUS_SCHEDULE", "*/7 * * * *", "SUBCONSCIOUS_TIMEZONE", "Europe/Berlin",
		"SUBCONSCIOUS_JITTER", "3s", "SUBCONSCIOUS_TICK_TIMEOUT", "1m", "SUBCONSCIOUS_LOG_LEVEL", "", "SUBCONSCIOUS_LOG_FORMAT", "json", "SUBCONSCIOUS_GATE", "always")
	if err != nil {
		t.Fatal(err)
	}
	want := setup.Default()
	want.StateDir, want.Schedule, want.Timezone = "/srv/b", "*/7 * * * *", "Europe/Berlin"
	want.Jitter, want.TickTimeout = 3*time.Second, time.Minute
	want.Log = setup.Log{Level: "warn", Format: "json"} // an empty variable is not set
	want.Models.Gate, want.Threads.Gate = "always", "always"
	if diff := same(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDefaultsAdapt: what is not written makes room for what is.
func TestDefaultsAdapt(t *testing.T) {
	for content, want := range map[string]string{
		"tick_timeout: 15s":                                "[15s 15s] [0.37 0.65] [85% 95%] [20% 8%]",
		"threads: {deadline: 3m}":                          "[3m0s 3m0s] [0.37 0.65] [85% 95%] [20% 8%]",
		"escalation: {push_from: 0.1}":                     "[30s 2m0s] [0.1 0.1] [85% 95%] [20% 8%]",
		"senses: {health: {disk: {warn: 97%}}}":            "[30s 2m0s] [0.37 0.65] [97% 98.5%] [20% 8%]",
		"senses: {health: {disk: {critical: 80%}}}":        "[30s 2m0s] [0.37 0.65] [70% 80%] [20% 8%]",
		"senses: {health: {battery: {warn: 6%}}}":          "[30s 2m0s] [0.37 0.65] [85% 95%] [6% 3%]",
		"tick_timeout: 60s\nthreads: {deadline: 40s}":      "[40s 1m0s] [0.37 0.65] [85% 95%] [20% 8%]",
		"senses: {health: {disk: {warn: 1%}}}\njitter: 1s": "[30s 2m0s] [0.37 0.65] [1% 95%] [20% 8%]",
	} {
		c, err := load(t, content)
		if err != nil {
			t.Errorf("%s: %v", content, err)
			continue
		}
		h := c.Senses.Health
		got := fmt.Sprint([]time.Duration{c.Threads.Deadline, c.TickTimeout}, []float64{c.Escalation.DigestFrom, c.Escalation.PushFrom},
			[]any{h.Disk.Warn, h.Disk.Critical}, []any{h.Battery.Warn, h.Battery.Critical})
		if got != want {
			t.Errorf("%s gives %s, want %s", content, got, want)
		}
	}
	if c, err := load(t, "", "SUBCONSCIOUS_TICK_TIMEOUT", "10s"); err != nil || c.Threads.Deadline != 10*time.Second {
		t.Errorf("a timeout from the environment: %v", err)
	}
}

func TestOverridesRefused(t *testing.T) {
	for variable, value := range map[string]string{
		"SUBCONSCIOUS_JITTER": "5", "SUBCONSCIOUS_SCHEDULE": "@every 5m", "SUBCONSCIOUS_TIMEZONE": "Mars/Olympus",
		"SUBCONSCIOUS_LOG_LEVEL": "loud", "SUBCONSCIOUS_STATE_DIR": "relative", "SUBCONSCIOUS_GATE": "never",
	} {
		_, err := load(t, "schedule: \"0 * * * *\"\n", variable, value)
		var e *setup.Error
		if !errors.As(err, &e) || e.File != variable || e.Line != 0 || e.Fix == "" {
			t.Errorf("%s=%s: error is %v, want one that names the variable and a fix", variable, value, err)
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	content := "state_dir: mind\nsenses:\n  files: [{id: a, path: ~/a/../b}, {id: b, path: rel}, {id: c, path: /abs/}]\n  notes: [{id: a, path: \"~\"}]\n  calendar: [{id: a, ics: home.ics}]\n"
	testutil.Write(t, path, content)
	got, err := setup.Load(path, env("HOME", "/home/sample"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{got.StateDir, filepath.Join(dir, "mind")}, {got.Senses.Files[0].Path, "/home/sample/b"}, {got.Senses.Files[1].Path, filepath.Join(dir, "rel")},
		{got.Senses.Files[2].Path, "/abs"}, {got.Senses.Notes[0].Path, "/home/sample"}, {got.Senses.Calendar[0].ICS, filepath.Join(dir, "home.ics")},
	} {
		if c.got != c.want {
			t.Errorf("path is %q, want %q", c.got, c.want)
		}
	}
}

// TestAbsoluteNeedsNoHome: a configuration without "~" never asks for HOME.
func TestAbsoluteNeedsNoHome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	testutil.Write(t, path, "state_dir: /srv/mind\n")
	asked := false
	if _, err := setup.Load(path, func(name string) (string, bool) { asked = asked || name == "HOME"; return "", false }); err != nil {
		t.Fatal(err)
	}
	if asked {
		t.Error("HOME was read")
	}
}

func TestDefaultPath(t *testing.T) {
	for _, c := range []struct {
		env  func(string) (string, bool)
		want string
	}{
		{env("HOME", "/home/sample"), "/home/sample/.config/subconscious/config.yaml"},
		{env("HOME", "/home/sample", "XDG_CONFIG_HOME", "/x"), "/x/subconscious/config.yaml"},
		{env("HOME", "/home/sample", "XDG_CONFIG_HOME", "relative"), "/home/sample/.config/subconscious/config.yaml"},
		{env(), ""},
	} {
		if got := setup.DefaultPath(c.env); got != c.want {
			t.Errorf("path is %q, want %q", got, c.want)
		}
	}
}

// TestUnreadable: what is wrong with the file itself, and not with its words.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, path, want string
		line             int
	}{
		{"missing", filepath.Join(dir, "none.yaml"), "no such file", 0},
		{"folder", dir, "not a regular file", 0},
		{"below a file", filepath.Join(file("plain", "", 0o600), "x"), "cannot be looked at", 0},
		{"long", file("long.yaml", strings.Repeat("# long\n", 1<<20/7+2), 0o600), "longer than 1 MiB", 0},
		{"Latin-1", file("latin.yaml", "schedule: \"*/5 * * * *\"\n# caf\xe9\n", 0o600), "not UTF-8", 2},
		{"zero bytes", file("zero.yaml", "a: \x00\n", 0o600), "not YAML", 0},
		{"UTF-16", file("utf16.yaml", "\xff\xfea\x00:\x00 \x001\x00\n\x00", 0o600), "not UTF-8", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := setup.Load(c.path, env("HOME", "/home/sample"))
			var e *setup.Error
			if !errors.As(err, &e) || !strings.Contains(e.Problem, c.want) || e.File != c.path || e.Fix == "" || c.line > 0 && e.Line != c.line {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("permission", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("the superuser may read everything")
		}
		_, err := setup.Load(file("secret.yaml", "", 0o000), env("HOME", "/home/sample"))
		if err == nil || !strings.Contains(err.Error(), "make it readable") {
			t.Errorf("error is %v", err)
		}
	})
}

// TestTakenAsIs: odd but plain YAML that people write.
func TestTakenAsIs(t *testing.T) {
	for _, content := range []string{"", "\n# nothing but a comment\n", "{}", "---\nschedule: \"0 * * * *\"\n", "senses: {}", "senses: {health: {}}",
		"senses: {files: []}", "\ufeffjitter: 1s\n", "jitter: 1m30s\r\nlog:\r\n  level: debug\r\n", "senses: {health: {disk: {paths: []}}}"} {
		if _, err := load(t, content); err != nil {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// loadsAgain wants what is shown of a configuration to load to the same.
func loadsAgain(t *testing.T, want *setup.Config) {
	t.Helper()
	shown, err := setup.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, string(shown))
	if err != nil {
		t.Fatalf("what is shown does not load: %v\n%s", err, shown)
	}
	if diff := same(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMarshal: what is shown loads to the same configuration.
func TestMarshal(t *testing.T) {
	for _, content := range []string{"", uncommented(t)} {
		want, err := load(t, content)
		if err != nil {
			t.Fatal(err)
		}
		loadsAgain(t, want)
	}
}

func TestMarshalHidesSecrets(t *testing.T) {
	c := setup.Default()
	secret := strings.Join([]string{"gh", "p_", "q7Rk2ZpX9mT4vB8sL1cW6yHd3FgJ5nAe0UoQ"}, "")
	c.StateDir = "/srv/" + secret
	shown, err := setup.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(shown), secret) || !strings.Contains(string(shown), "[redacted:github]") {
		t.Errorf("shown: %s", shown)
	}
}

func TestLocation(t *testing.T) {
	c := setup.Default()
	c.Timezone = "Europe/Berlin"
	if zone, err := c.Location(env()); err != nil || zone.String() != "Europe/Berlin" {
		t.Errorf("zone is %v, %v", zone, err)
	}
	c.Timezone = setup.Local
	if zone, err := c.Location(env("TZ", "America/Lima")); err != nil || zone.String() != "America/Lima" {
		t.Errorf("zone is %v, %v", zone, err)
	}
	if zone, err := c.Location(env("TZ", "")); err != nil || zone != time.UTC {
		t.Errorf("zone is %v, %v", zone, err)
	}
	if _, err := c.Location(env("TZ", "Nowhere/Town")); err == nil {
		t.Error("an unknown TZ is taken")
	}
	if zone, err := c.Location(env()); err != nil || zone == nil {
		t.Errorf("zone is %v, %v", zone, err)
	}
}

func BenchmarkLoad(b *testing.B) {
	example := testutil.Read(b, examplePath)
	path := filepath.Join(b.TempDir(), "config.yaml")
	testutil.Write(b, path, commented.ReplaceAllString(string(example), "$1$2"))
	for b.Loop() {
		if _, err := setup.Load(path, env("HOME", "/home/sample")); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzLoad: no file panics the loader, and each is either a configuration that
// can be shown and loaded again, or errors with a problem and a fix.
func FuzzLoad(f *testing.F) {
	example := testutil.Read(f, examplePath)
	seeds := append(badConfigs(f), string(example), commented.ReplaceAllString(string(example), "$1$2"), "", "a: &a [*a]", "? [a]\n: b", "!!binary x: y", strings.Repeat("[", 500))
	for _, s := range seeds {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), "config.yaml")
	f.Fuzz(func(t *testing.T, content string) {
		testutil.Write(t, path, content)
		home := env("HOME", "/home/sample")
		c, err := setup.Load(path, home)
		if err != nil {
			var all setup.Errors
			if !errors.As(err, &all) || len(all) == 0 {
				t.Fatalf("error is %T", err)
			}
			for _, e := range all {
				if e.Code == "" || e.Problem == "" || e.Fix == "" || e.File == "" {
					t.Fatalf("%q: incomplete error %+v", content, e)
				}
			}
			return
		}
		shown, err := setup.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(shown), "[redacted:") {
			return
		}
		testutil.Write(t, path, shown)
		if _, err := setup.Load(path, home); err != nil {
			t.Fatalf("%q: what is shown does not load: %v\n%s", content, err, shown)
		}
	})
}
