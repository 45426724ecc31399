package notes

import (
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/redact"
)

// cutText cuts text to at most limit bytes, at the end of a character.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return headOf(redact.Text(headOf(text, limit+beyondCut)), limit)
}

// beyondCut is how far beyond a cut a secret is looked for that the cut would
// go through: half of one is no longer known for what it is.
const beyondCut = 512

// headOf returns at most the first limit bytes, at a character.
func headOf(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
