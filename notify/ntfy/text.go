package ntfy

import (
	"strings"
	"unicode"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// line makes one bounded line of what a server said, without what looks like
// a secret.
func line(text string, limit int) string {
	text = subconscious.Clip(strings.ToValidUTF8(text, ""), 4*limit)
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	return subconscious.Clip(redact.Text(text), limit)
}
