package letters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWordsAreLearnt: the weights that are shipped are those of the lists that are
// shipped, to the byte.
func TestWordsAreLearnt(t *testing.T) {
	all, err := readSaid("said")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		return // learning takes seconds
	}
	shipped, err := os.ReadFile("../../internal/prose/weights.txt")
	if err != nil || trainWords(all) != string(shipped) {
		t.Errorf("internal/prose/weights.txt is not what `subconsciousd eval letters eval/letters/said --words` writes (%v)", err)
	}
}

// TestOneThingIsTrained: lists and days are not one path.
func TestOneThingIsTrained(t *testing.T) {
	if err := (&options{words: "w.txt", train: "l.txt"}).Check("said"); err == nil {
		t.Error("--train beside --words is passed over")
	}
}

// TestReadSaid: a line that is none names itself.
func TestReadSaid(t *testing.T) {
	folder := t.TempDir()
	if _, err := readSaid(folder); err == nil || !strings.Contains(err.Error(), "no lists of letters") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "en.txt"), []byte("now known | Van | won't start\nsoon known | Van | tomorrow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readSaid(folder); err == nil || !strings.Contains(err.Error(), "en.txt, line 2") {
		t.Errorf("a wrong label: %v", err)
	}
}
