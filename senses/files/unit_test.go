package files

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

func writeFast(name string) error { return os.WriteFile(name, []byte("1"), 0o644) }

func TestValidate(t *testing.T) {
	good := Config{ID: "work", Path: "/srv/work", Ignore: []string{"*.log", "!keep.log", "/build/"}}
	if err := good.Validate(); err != nil {
		t.Errorf("good: %v", err)
	}
	for key, spoil := range map[string]func(*Config){
		"id: ":     func(c *Config) { c.ID = "My Work" },
		"path: ":   func(c *Config) { c.Path = "work" },
		"ignore: ": func(c *Config) { c.Ignore = []string{"a", " "} },
		"trust: ":  func(c *Config) { c.Trust = "friend" },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Validate(); err == nil || !strings.HasPrefix(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := New(bad, Options{}); err == nil {
			t.Errorf("%s: New took it", key)
		}
	}
	for _, pattern := range []string{"a\nb", "[[:nonsense:]]"} {
		bad := good
		bad.Ignore = []string{pattern}
		if err := bad.Validate(); err == nil {
			t.Errorf("%q passed", pattern)
		}
	}
}

// The rules are those of git, which is asked for its own opinion.
func TestIgnoreRulesAreThoseOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is needed")
		}
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	files := map[string]string{
		".gitignore": strings.Join([]string{
			"# a comment", "", "*.log", "!keep.log", "/top.txt", "build/", "doc/*.pdf", "**/deep/x", "a/**/z", "sp\\ ace", "trail   ",
			"\\#hash", "\\!bang", "[!a]bc", "q?.md", "!keep/", "out/**", "!out/in/", "star*star", "crlf\r", "[ab]/c", "foo/bar/",
		}, "\n"),
		"sub/.gitignore":  "!*.log\n/only\n*.tmpl\n",
		"only/.gitignore": "*\n!*/\n!*.go\n!.gitignore\n",
	}
	paths := []string{
		"a.log", "keep.log", "sub/b.log", "x/keep.log", "top.txt", "sub/top.txt", "build/x", "sub/build/x", "buildx", "doc/a.pdf", "doc/in/a.pdf",
		"deep/x", "m/deep/x", "a/z", "a/b/z", "a/b/c/z", "a/q/z/y", "sp ace", "trail", "#hash", "!bang", "abc", "xbc", "q1.md", "q12.md",
		"keep/x.log", "keep/x.txt", "out/a", "out/in/a", "out/in/b/c", "starXstar", "crlf", "a/c", "b/c", "c/c", "foo/bar/x", "n/foo/bar/x",
		"sub/only", "sub/in/only", "sub/x.tmpl", "x.tmpl", "only/a.go", "only/a.txt", "only/in/b.go", "only/in/deeper/c.go", "only/in/deeper/c.txt",
		"[x", "ü.log", "sub/ü.txt", "only/foo/foo/a.go",
	}
	for _, name := range paths {
		files[name] = "x"
	}
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(input string, args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Stdin = strings.NewReader(input)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("", "init", "-q")
	ignored := strings.Split(run(strings.Join(paths, "\x00"), "check-ignore", "-z", "--no-index", "--stdin"), "\x00")
	if len(ignored) < 10 {
		t.Fatalf("git ignores only %d", len(ignored))
	}
	r := newRules(nil, nil, func(folder string) []byte {
		data, err := os.ReadFile(filepath.Join(root, folder, gitignoreName))
		if err != nil {
			return nil
		}
		return data
	})
	for _, name := range paths {
		if want, got := slices.Contains(ignored, name), r.ignoredFile(name); want != got {
			t.Errorf("%s: git ignores it: %v, we: %v", name, want, got)
		}
	}
}

func TestPrecedenceOfRules(t *testing.T) {
	r := newRules([]string{"!wanted.part", "secret/", "!.git/"}, []string{"state"}, func(folder string) []byte {
		if folder == "." {
			return []byte("*.o\n!secret/\n!x.swp\n")
		}
		return nil
	})
	for name, want := range map[string]bool{
		"wanted.part": false, "other.part": true, "secret/a": true, "a.o": true, "x.swp": true, ".git/config": true,
		"state/mind.db": true, "state2/mind.db": false, "node_modules/a/b.js": true, "a/__pycache__/b.pyc": true,
		"4913": true, "seduced": false, "sedation": false, "sedA1b2C3": true, "a~": true, ".#a": true, "#a#": true, "#": false, "plain.txt": false,
	} {
		if got := r.ignoredFile(name); got != want {
			t.Errorf("%s: ignored %v, not %v", name, got, want)
		}
	}
}

func TestRows(t *testing.T) {
	for _, s := range []stat{{}, {1, 2, 3}, {1 << 50, -5, 1<<64 - 1}} {
		for _, marked := range []bool{true, false} {
			got, m, err := decodeStat(encodeStat(s, marked))
			if err != nil || got != s || m != marked {
				t.Errorf("%v: %v %v %v", s, got, m, err)
			}
		}
	}
	for _, name := range []string{"a/b", "ü", "\xff/x", "\x01a", ""} {
		key := rowKey(name)
		if got, err := pathOfKey(key); err != nil || got != name || !utf8.ValidString(key) {
			t.Errorf("%q: %q %q %v", name, key, got, err)
		}
	}
}

func TestMalformedRowsAreTakenUpSilently(t *testing.T) {
	w := newWorld(t, false)
	w.write("a", "1")
	w.write("b", "1")
	w.start()
	w.tick()
	w.stop()
	w.kept.All["a"] = []byte("\xff")
	w.write("b", "22")
	w.start()
	w.tells("changed b")
}

func FuzzRow(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeStat(stat{5, 6, 7}, true))
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, value []byte) {
		s, marked, err := decodeStat(value)
		if err != nil {
			return
		}
		again, m, err := decodeStat(encodeStat(s, marked))
		if err != nil || again != s || m != marked {
			t.Errorf("%x: %v then %v, %v", value, s, again, err)
		}
	})
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.log\n!keep.log\n", "a/b.log")
	f.Add("a/**/b\n[!x]*\n\\", "a/c/b")
	f.Add("!!\n!#\n/\n**\n", "x")
	f.Fuzz(func(t *testing.T, text, name string) {
		if name == "" || strings.HasPrefix(name, "/") || len(name) > 200 || len(text) > 2000 {
			return
		}
		r := newRules(nil, nil, func(string) []byte { return []byte(text) })
		if a, b := r.ignoredFile(name), r.ignoredFile(name); a != b {
			t.Errorf("%q %q: %v then %v", text, name, a, b)
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add("a/b.txt", 20)
	f.Add(strings.Repeat("ü\xff\n", 200), 100)
	f.Fuzz(func(t *testing.T, name string, limit int) {
		if limit < 10 || limit > 1000 {
			return
		}
		for _, s := range []string{shown(name, limit), identity(name), attr(name), excerpt([]byte(name))} {
			if !utf8.ValidString(s) {
				t.Errorf("%q became %q", name, s)
			}
		}
		if got := shown(name, limit); len(got) > limit {
			t.Errorf("%q: %d bytes, not %d", name, len(got), limit)
		}
		if got := identity(name); len(got) > maxIDBytes {
			t.Errorf("identity of %d bytes", len(got))
		}
	})
}

func TestLongNames(t *testing.T) {
	d := &describer{id: "work", root: "/r", trust: func(...string) subconscious.Trust { return subconscious.Outsider }, head: func(string, int) ([]byte, error) { return nil, os.ErrNotExist }, marked: map[string]bool{}}
	a := strings.Repeat("long/", 300) + "a.txt"
	b := strings.Repeat("long/", 300) + "b.txt"
	one, _ := d.single(action{verb: created, path: a})
	two, _ := d.single(action{verb: renamed, path: b, from: a})
	if one.ID == two.ID || len(one.ID) > maxIDBytes {
		t.Error("long paths must stay apart and bounded")
	}
	if len(two.Title) > 200 || !strings.HasSuffix(one.Title, "a.txt was created") {
		t.Errorf("%q %q", one.Title, two.Title)
	}
}

// TestTooMuchForOneLook: what cannot be looked at one by one in the time there
// is must not be tried again and again.
func TestTooMuchForOneCollect(t *testing.T) {
	w := newWorld(t, true)
	w.write("a.txt", "1")
	w.start()
	w.tick()
	w.write("a.txt", "22")
	w.await()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.sense.Collect(ended, time.Unix(1_800_000_000, 0), w.kept.Cursor); err == nil {
		t.Fatal("a collect without time succeeded")
	}
	if !w.sense.Rescan {
		t.Error("the next collect is as long")
	}
	if told := said(w.tick()); len(told) != 1 || told[0] != "changed a.txt" {
		t.Errorf("told of %v", told)
	}
}
