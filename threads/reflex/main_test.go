package reflex_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/subconsciousd/subconsciousd/threads/score"
)

// TestMain judges letters by weights that do not change when others are trained.
func TestMain(m *testing.M) {
	text, err := os.ReadFile("testdata/letters.txt")
	if err == nil {
		err = score.Letters.Read(string(text))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
