package setup_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/setup"
)

// env is an environment that holds nothing but what it is given.
func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// same compares configurations, their unexported quantities included.
func same(a, b *setup.Config) string {
	return cmp.Diff(a, b, cmp.AllowUnexported(health.Percent{}, health.Celsius{}))
}

func TestWithoutFile(t *testing.T) {
	got, err := setup.Load("", env("HOME", "/home/sample"))
	if err != nil {
		t.Fatal(err)
	}
	want := setup.Default()
	want.StateDir = "/home/sample/.local/state/subconscious"
	if diff := same(want, got); diff != "" {
		t.Error(diff)
	}
	if !got.Senses.Health.Enabled || len(got.Senses.Files)+len(got.Senses.Notes)+len(got.Senses.Calendar) > 0 {
		t.Errorf("senses are %+v, want the machine's health alone", got.Senses)
	}
}

func TestHomeUnset(t *testing.T) {
	_, err := setup.Load("", env())
	var e *setup.Error
	if !errors.As(err, &e) || e.Code != setup.CodeHome || e.Key != "state_dir" || e.Fix == "" {
		t.Fatalf("error is %v, want one about HOME with a fix", err)
	}
	got, err := setup.Load("", env("SUBCONSCIOUS_STATE_DIR", "/srv/mind"))
	if err != nil {
		t.Fatal(err)
	}
	if got.StateDir != "/srv/mind" {
		t.Errorf("state_dir is %q", got.StateDir)
	}
}
