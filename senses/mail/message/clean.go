package message

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text safe and plain: valid UTF-8, one kind of line end, no control
// characters but newline and tab, no characters that are not seen or that turn
// the direction of writing, and one kind of space.
func clean(text string) string {
	if plain(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r == '\r':
			if i >= len(text) || text[i] != '\n' {
				out.WriteByte('\n')
			}
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			out.WriteByte('\n')
		case dropped(r):
		case unicode.Is(unicode.Zs, r):
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// plain tells whether there is nothing to clean.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// dropped tells which characters never reach a text: control characters, what
// has no width, what changes direction, what selects variants and what fills.
func dropped(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	case r < 0xA0:
		return true
	case r == 0xAD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0:
		return true
	case 0x180B <= r && r <= 0x180F, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F:
		return true
	case 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF, 0xFFF0 <= r && r <= 0xFFFB, r == 0xFFFE, r == 0xFFFF:
		return true
	case 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// tidy takes spaces off the ends of lines, but for the two dashes that begin a
// signature, and leaves at most one empty line between others.
func tidy(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	empty := 0
	for l := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimRight(l, " \t")
		if trimmed == "--" && l == "-- " {
			trimmed = l
		}
		if trimmed == "" {
			empty++
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n\n"[:min(1+empty, 2)])
		}
		empty = 0
		out.WriteString(trimmed)
	}
	return out.String()
}
