// Package unseen knows characters that are letters, marks or symbols, and are
// not drawn, or look like a space. Whoever shows a text to be approved, or takes
// one, asks it beside unicode.IsPrint, which holds them for printable. What both
// programs print goes through its Writer, so that nothing from outside is obeyed
// by a terminal. It stores nothing.
package unseen

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Is reports whether a character that unicode.IsPrint lets through cannot be
// seen: fillers of Hangul, vowels of Khmer that have no form, the joiner of
// graphemes, selectors of variations, the empty pattern of Braille, the empty
// head of a note. The source is the property Default_Ignorable_Code_Point of
// Unicode, with the two that are drawn as nothing at all.
func Is(r rune) bool {
	return r == 0x034f || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f ||
		r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x17b4 || r == 0x17b5 || r == 0x2800 || r == 0x1d159
}

// Shown returns text in which whatever a terminal would obey or not draw stands
// as an escape of JSON ("\u001b"), so that JSON stays what it is. Line breaks and
// tabs stay, and so do the sequences in keep; bytes that are no text become the
// character for that.
func Shown(text string, keep ...string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if sequence := kept(text[i:], keep); sequence != "" {
			b.WriteString(sequence)
			i += len(sequence)
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == '\n', r == '\t', unicode.IsPrint(r), unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func kept(text string, keep []string) string {
	for _, sequence := range keep {
		if strings.HasPrefix(text, sequence) {
			return sequence
		}
	}
	return ""
}

// Writer writes what it is given as Shown makes it. Each write is whole text.
type Writer struct {
	To   io.Writer
	Keep []string
}

var _ io.Writer = Writer{}

// Write implements io.Writer.
func (w Writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.To, Shown(string(text), w.Keep...)); err != nil {
		return 0, err
	}
	return len(text), nil
}
