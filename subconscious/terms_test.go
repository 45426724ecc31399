package subconscious_test

import (
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestTermsOfRedactedText(t *testing.T) {
	for text, want := range map[string][]string{
		"rotate [redacted:github] before launch":    {"rotate", "launch"},
		"[redacted:url-secret][redacted:password]":  nil,
		"cut short [redacted:git… and then turbine": {"short", "turbine"},
		"redacted: the turbine":                     {"redacted", "turbine"},
	} {
		if got := subconscious.Terms(text); !slices.Equal(got, want) {
			t.Errorf("%q has the terms %q, not %q", text, got, want)
		}
	}
}
