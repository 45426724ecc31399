package folder

import (
	"strings"
	"unicode"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// BeyondCut is how many bytes beyond a cut a secret is looked for that the cut
// would go through: half of one is no longer known for what it is.
const BeyondCut = 512

// Head cuts text to at most limit bytes, at a character and through no secret.
func Head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return subconscious.Head(redact.Text(subconscious.Head(text, limit+BeyondCut)), limit)
}

// Words are those by which a promise is known: in lower case, and every run of
// other characters one space.
func Words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	}), " ")
}
