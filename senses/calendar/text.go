package calendar

import (
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

var escapes = lazy.Regexp(`(?s)\\.`)

// unescape undoes the escapes of an iCalendar TEXT value. It takes what
// programs really write: an escape it does not know stands for itself.
func unescape(value string) string {
	return escapes().ReplaceAllStringFunc(value, func(escape string) string {
		if escape == `\n` || escape == `\N` {
			return "\n"
		}
		return escape[1:]
	})
}

// line makes one printable line of at most limit characters out of a TEXT
// value.
func line(value string, limit int) string {
	return clip(strings.Join(strings.Fields(subconscious.Printable(unescape(subconscious.Head(value, 8*limit)))), " "), limit)
}

// paragraph is like line but keeps line breaks.
func paragraph(value string, limit int) string {
	lines := strings.Split(unescape(subconscious.Head(value, 8*limit)), "\n")
	kept := lines[:0]
	for _, l := range lines {
		if l = strings.Join(strings.Fields(subconscious.Printable(l)), " "); l != "" {
			kept = append(kept, l)
		}
	}
	return clip(strings.Join(kept, "\n"), limit)
}

// clip cuts text after limit characters and marks the cut. Secrets are taken
// out first: half of one is no longer known for what it is.
func clip(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	if text = redact.Text(text); utf8.RuneCountInString(text) <= limit {
		return text
	}
	n := 0
	for i := range text {
		if n == limit-1 {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
