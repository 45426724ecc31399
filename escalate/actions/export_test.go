package actions

import (
	"encoding/json"
	"testing"
)

// Without is an engine that lacks one guard, to show what that guard is for.
func Without(t testing.TB, e *Engine, guard string) *Engine {
	t.Helper()
	weak := &Engine{Options: e.Options, guards: allGuards(), running: map[string]*running{}}
	switch guard {
	case "text":
		weak.guards.text = func(string, bool) string { return "" }
	case "option":
		weak.guards.option = func(argument, map[string]value, string) error { return nil }
	case "path":
		weak.guards.path = func(root, path string) (string, error) { return root + "/" + path, nil }
	case "descends":
		weak.guards.descends = func(int) bool { return false }
	case "stored":
		weak.guards.stored = func([]string, string, Bound) bool { return true }
	default:
		kept := []approvalGuard{}
		for _, g := range weak.guards.approve {
			if g.name != guard {
				kept = append(kept, g)
			}
		}
		if len(kept) == len(weak.guards.approve) {
			t.Fatalf("there is no guard %q", guard)
		}
		weak.guards.approve = kept
	}
	if err := weak.SetActions(e.Actions); err != nil {
		t.Fatal(err)
	}
	return weak
}

// Guards are the names of all that Without takes.
func Guards() []string {
	names := []string{"text", "option", "path", "stored", "descends"}
	for _, g := range allGuards().approve {
		names = append(names, g.name)
	}
	return names
}

// Decode is decode.
func Decode(raw json.RawMessage) (map[string]any, error) { return decode(raw) }

// Captured writes pieces to a capture, and returns what is kept of them.
func Captured(most int, redact func(string) string, pieces ...string) (string, int64) {
	c := &capture{most: most + overlap}
	for _, piece := range pieces {
		_, _ = c.Write([]byte(piece))
	}
	return c.text(most, redact)
}

// ShellLine is what is wrong with a vector whose program is that one when links
// are followed.
func ShellLine(vector []string, program string) string {
	parsed, err := parseVector(vector)
	if err != nil {
		return err.Error()
	}
	return shellLine(vector, parsed, baseName(program))
}

// Problems says by name which configured actions cannot be run, and why.
func (e *Engine) Problems() map[string]*Error {
	problems := map[string]*Error{}
	for _, name := range e.order {
		if p := e.known[name]; p.problem != nil {
			problems[name] = p.problem
		}
	}
	return problems
}
