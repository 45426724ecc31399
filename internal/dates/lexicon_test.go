package dates

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestLexicon reads the files of lang, and says of one that is wrong where.
func TestLexicon(t *testing.T) {
	words, err := readLexicon(lang)
	if err != nil || len(words) < 900 {
		t.Fatalf("%d words, %v", len(words), err)
	}
	for text, want := range map[string]string{
		"today: heute\n\ntodya: hoje\n": `lang/xx.txt:3: "todya" is no role`,
		"# words\nheute morgen\n":       `lang/xx.txt:2: no role and no colon`,
	} {
		if _, err := readLexicon(fstest.MapFS{"lang/xx.txt": {Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
