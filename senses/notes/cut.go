package notes

import (
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// cutText cuts text to at most limit bytes, at the end of a character.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return subconscious.Head(redact.Text(subconscious.Head(text, limit+beyondCut)), limit)
}

// beyondCut is how far beyond a cut a secret is looked for that the cut would
// go through: half of one is no longer known for what it is.
const beyondCut = 512
