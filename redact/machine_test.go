package redact

import "testing"

// TestAnchorsAreDistinct holds the automaton to one anchor a text: of two the
// first would never be asked.
func TestAnchorsAreDistinct(t *testing.T) {
	seen := map[string]anchor{}
	for _, a := range anchorTable() {
		if other, twice := seen[a.text]; twice {
			t.Errorf("%q stands for %s and for %s", a.text, other.kind, a.kind)
		}
		seen[a.text] = a
	}
}
