package models

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// A keyring without the key is asked less and less often, a variable as often
// as before.
func TestMissingKeysAreLookedForLessOften(t *testing.T) {
	for _, c := range []struct {
		provider Provider
		want     []time.Duration
	}{
		{Provider{Key: secret.Ref{Env: "NONE"}}, []time.Duration{missAgain, missAgain, missAgain}},
		{Provider{Key: secret.Ref{Keyring: "a/b"}}, []time.Duration{missAgain, 2 * missAgain, 4 * missAgain}},
	} {
		a := account{provider: c.provider}
		for i, want := range c.want {
			a.misses = i + 1
			if got := a.pause(); got != want {
				t.Errorf("%+v after %d misses: %s, want %s", c.provider, a.misses, got, want)
			}
		}
	}
	if a := (account{provider: Provider{Key: secret.Ref{Keyring: "a/b"}}, misses: 1000}); a.pause() != keyringAgain {
		t.Errorf("after 1000 misses: %s", a.pause())
	}
}
