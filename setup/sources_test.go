package setup_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
)

// example is one of docs/sources.md: its title, its configuration and its script.
var example = regexp.MustCompile("(?s)### ([^\n]+)\n.*?```yaml\n(.*?)```\n\n```sh\n(.*?)```")

// TestWorkedExamples runs every example of docs/sources.md, with other programs in
// place of those that ask somebody.
func TestWorkedExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A home server": "printer.lan does not answer", "A build": "roof does not build", "A weather service": "It freezes: -3°C",
		"Git repositories": "roof has commits that are not pushed", "A web page that changed": "The opening hours are others"}
	home, stubs := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		stubs + "/ping": "exit 1", stubs + "/git": "echo 3", home + "/code/roof/x": "",
		stubs + "/curl": `for last; do :; done; case $last in *wttr*) echo -3°C ;; *) echo "$last" ;; esac`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("BRANCH", "roof")
	t.Setenv("PATH", stubs+":"+os.Getenv("PATH"))
	found := example.FindAllStringSubmatch(string(page), -1)
	for _, e := range found {
		title, script, file := e[1], filepath.Join(t.TempDir(), "script"), filepath.Join(t.TempDir(), "config.yaml")
		for path, text := range map[string]string{script: e[3], file: e[2]} {
			if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		config, err := setup.Load(file, os.LookupEnv)
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		var s senses.Sense
		if len(config.Senses.Exec) == 1 {
			c := config.Senses.Exec[0]
			c.Command[0], c.Env = script, []string{"PATH"}
			s, err = source.NewExec(c, nil)
		} else {
			s, err = handedIn(t, config.Senses.Post[0], script)
		}
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		batch, err := s.Collect(t.Context(), time.Now(), nil)
		seen := batch.Changes
		for _, set := range batch.Sets {
			seen = append(seen, set.Items...)
		}
		if err != nil || batch.Degraded != "" || len(seen) == 0 || seen[len(seen)-1].Title != want[title] {
			t.Errorf("%s: %+v, %v", title, batch, err)
		}
	}
	if len(found) != len(want) {
		t.Errorf("there are %d examples, want %d", len(found), len(want))
	}
}

// handedIn is the sense of a source that was handed what the script says.
func handedIn(t *testing.T, c source.Config, script string) (senses.Sense, error) {
	db, err := store.Open(t.Context(), store.Options{Path: store.Memory}, source.Migrations()...)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = db.Close() })
	door := &source.Door{DB: db, Sources: []source.Config{c}, Now: time.Now}
	token, err := door.SetToken(t.Context(), c.ID, false)
	if err != nil {
		return nil, err
	}
	said, err := exec.Command(script).Output()
	if err != nil {
		return nil, err
	}
	if err := door.Take(t.Context(), c.ID, token, bytes.TrimSpace(said)); err != nil {
		return nil, err
	}
	return source.NewPost(c, door)
}
