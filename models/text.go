package models

import (
	"strings"
	"unicode/utf8"
)

// maxWords bounds the text of an error that is made here, in bytes.
const maxWords = 500

// clip cuts text at a character so that it has at most limit bytes, and marks
// that it did.
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

// line makes one line of text, and clips it.
func line(text string, limit int) string {
	return clip(strings.Join(strings.Fields(strings.ToValidUTF8(clip(text, 4*limit), "�")), " "), limit)
}
