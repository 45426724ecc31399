package prose

import (
	"os"
	"path/filepath"
	"regexp"
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
	// Whatever the code names is there.
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range regexp.MustCompile(`\b(?:is|anyOf|has|find|begins)\(.*?, "([\w.]+)"\)`).FindAllSubmatch(source, -1) {
			if name := string(use[1]); lists()[name] == nil {
				t.Errorf("%s asks for the list %s, and there is none", file, name)
			}
		}
	}
	for text, want := range map[string]string{"word? more": "lang/a.txt:7: a phrase begins", "some [nothing]": "lang/a.txt:7: there is no list english.nothing"} {
		if _, err := readPhrases("english.x", []listLine{{text, "a.txt", 7}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
