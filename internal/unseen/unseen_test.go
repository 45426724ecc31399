package unseen_test

import (
	"testing"
	"unicode"

	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

// What unicode.IsPrint lets through and Unicode has ignored where it is drawn is
// unseen.
func TestIs(t *testing.T) {
	ignored := func(r rune) bool {
		return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	for r := range rune(unicode.MaxRune) + 1 {
		if blank := r == 0x2800 || r == 0x1d159; unicode.IsPrint(r) && unseen.Is(r) != (ignored(r) || blank) {
			t.Errorf("U+%04X is unseen: %v", r, unseen.Is(r))
		}
	}
}
