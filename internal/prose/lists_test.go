package prose

import (
	"strings"
	"testing"
)

// TestLists reads every list of lang as phrases, and says of one that is wrong where.
func TestLists(t *testing.T) {
	if len(lists()) < 50 {
		t.Fatalf("%d lists", len(lists()))
	}
	for name, lines := range lists() {
		if _, err := readPhrases(name, lines); err != nil {
			t.Error(err)
		}
	}
	for text, want := range map[string]string{"word? more": "lang/a.txt:7: a phrase begins", "some [nothing]": "lang/a.txt:7: there is no list english.nothing"} {
		if _, err := readPhrases("english.x", []listLine{{text, "a.txt", 7}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
