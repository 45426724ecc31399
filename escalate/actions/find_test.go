package actions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// Find says of each action what the engine says of it.
func TestFindIsAsTheEngine(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"good": 0o755, "open": 0o757, "text": 0o644} {
		path := filepath.Join(dir, name)
		testutil.Write(t, path, "#!/bin/sh\n")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "calm")); err != nil {
		t.Fatal(err)
	}
	all := []actions.Action{
		{Name: "good", Description: "d", Command: []string{"good"}, Undo: []string{filepath.Join(dir, "good"), "back"}},
		{Name: "open", Description: "d", Command: []string{"open"}},
		{Name: "text", Description: "d", Command: []string{"text"}},
		{Name: "none", Description: "d", Command: []string{"/nowhere/none"}},
		{Name: "no-undo", Description: "d", Command: []string{"good"}, Undo: []string{"none"}},
		{Name: "disguised", Description: "d", Command: []string{"calm", "-c", "true"}},
	}
	engine, err := actions.New(actions.Options{DB: database(t, filepath.Join(dir, "mind.db")), Actions: all, Path: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	problems := engine.Problems()
	for _, found := range actions.Find(all, []string{dir}) {
		known := problems[found.Name]
		switch {
		case (known == nil) != (found.Problem == nil), known != nil && *known != *found.Problem:
			t.Errorf("%s: found %v, and the engine says %v", found.Name, found.Problem, known)
		case found.Problem == nil && !strings.HasPrefix(found.Program, dir):
			t.Errorf("%s is found at %s", found.Name, found.Program)
		}
	}
	if len(problems) != 5 {
		t.Errorf("the engine knows of %d problems: %v", len(problems), problems)
	}
	if first := actions.Find(all, []string{dir})[0]; first.Undo != filepath.Join(dir, "good") {
		t.Errorf("what undoes it is found at %q", first.Undo)
	}
	for _, found := range actions.Find([]actions.Action{{Name: "empty"}, {Name: "odd", Command: []string{"good", "{"}}}, nil) {
		if found.Problem == nil {
			t.Errorf("%s: nothing is wrong with it", found.Name)
		}
	}
}
