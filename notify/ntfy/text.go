package ntfy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/redact"
)

// clip cuts text at a character so that it has at most limit bytes.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	cut := max(0, limit-len(mark))
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + mark
}

// line makes one bounded line of what a server said, without what looks like
// a secret.
func line(text string, limit int) string {
	text = clip(strings.ToValidUTF8(text, ""), 4*limit)
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	return clip(redact.Text(text), limit)
}
