package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes one line of a text, and takes out what is no text, which ends
// the connection to some channels. What joins letters and pictures stays.
func Printable(text string) string {
	const joiner, nonJoiner = '\u200d', '\u200c'
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == joiner || r == nonJoiner:
			return r
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}
