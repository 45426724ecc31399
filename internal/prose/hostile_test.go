package prose_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/prose"
)

// Each of these took time in the square of its length, or would if the grammar
// forgot its bounds: half a minute of 64 KiB of dots. That this test ends at all
// is what it asserts.
func TestEndlessMarksAreReadOnce(t *testing.T) {
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	for _, unit := range []string{".", ".)", "?!", "!\"", "..... ", "…", "a.", ". "} {
		for _, end := range []string{"", " a", " Could you send it?"} {
			for range 20 {
				text := strings.Repeat(unit, prose.MaxText/len(unit))
				text = text[:len(text)-len(end)] + end
				prose.Sentences(text)
				prose.Asks(text, now)
				prose.Limits(text, now)
				prose.Weigh("", text)
			}
		}
	}
}

// A row of marks ends a sentence as a single one does.
func TestRowsOfMarksEndSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"Really?! Yes.":           {"Really?!", "Yes."},
		"Well... it may be.":      {"Well... it may be."},
		"Wait... Then call.":      {"Wait...", "Then call."},
		"Call Dr. Sommer. Today.": {"Call Dr. Sommer.", "Today."},
		"Bread, milk etc... Go.":  {"Bread, milk etc...", "Go."},
		"(Yes.) No.":              {"(Yes.)", "No."},
		"So…  Good.":              {"So…", "Good."},
	} {
		var got []string
		for _, s := range prose.Sentences(text) {
			got = append(got, s.Text)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: %q, should be %q", text, got, want)
		}
	}
}
