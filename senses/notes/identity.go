package notes

import (
	"strings"
	"unicode"
)

// normal returns the words by which a promise is known: lower case, and every
// run of other characters one space. Markers of lists and tasks go with them.
func normal(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
