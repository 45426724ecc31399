package screen

import (
	"regexp"
	"strings"
	"testing"
)

// TestTemplatesNameWhatIsThere: what a template calls by name is a phrase, lines
// or a table that there is.
func TestTemplatesNameWhatIsThere(t *testing.T) {
	words, err := files.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`\b(say|inside \d+|template|words|mark|coloured|commonest) "([^"]+)"`)
	checked := 0
	for name := range sources() {
		for _, call := range calls.FindAllStringSubmatch(open(View{}, name).templates.Lookup(name).Root.String(), -1) {
			checked++
			there := sources()[call[2]] != ""
			if strings.Contains("words mark coloured commonest", call[1]) {
				there = strings.Contains(string(words), "\n# "+call[2]+"\n")
			}
			if !there {
				t.Errorf("%s: there is no %q", name, call[2])
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d calls were found", checked)
	}
}

func BenchmarkReadStatus(b *testing.B) {
	for b.Loop() {
		open(View{}, "Status")
	}
}
