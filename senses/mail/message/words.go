package message

import (
	"strings"
	"unicode/utf8"
)

// decodeWords decodes the encoded words (RFC 2047) of a header value. Words side
// by side in one charset are decoded as one, for many writers cut them in the
// middle of a character. What is no encoded word stays as it is; 8-bit text that
// is not UTF-8 is read as Windows-1252.
func decodeWords(value string) string {
	if !strings.Contains(value, "=?") {
		return toUTF8(value, "")
	}
	var out strings.Builder
	var pending []byte // bytes of words side by side, not yet decoded
	var charset string
	flush := func() {
		if len(pending) > 0 {
			out.WriteString(toUTF8(string(pending), charset))
			pending = pending[:0]
		}
	}
	for value != "" {
		start := strings.Index(value, "=?")
		if start < 0 {
			break
		}
		word, ok := readWord(value[start:])
		if !ok {
			flush()
			out.WriteString(toUTF8(value[:start+2], ""))
			value = value[start+2:]
			continue
		}
		between := value[:start]
		if strings.TrimSpace(between) != "" || len(pending) == 0 || !strings.EqualFold(charset, word.charset) {
			joined := len(pending) > 0 && strings.TrimSpace(between) == ""
			flush()
			if !joined {
				out.WriteString(toUTF8(between, ""))
			}
			charset = word.charset
		}
		pending = append(pending, word.bytes...)
		value = value[start+word.length:]
	}
	flush()
	out.WriteString(toUTF8(value, ""))
	return out.String()
}

type encodedWord struct {
	charset string
	bytes   []byte
	length  int // in the value
}

// readWord reads "=?charset?q?text?=" at the beginning of s. A word that the end
// of the value cut off is read as far as it goes.
func readWord(s string) (encodedWord, bool) {
	const longestCharset = 40
	rest, ok := strings.CutPrefix(s, "=?")
	if !ok {
		return encodedWord{}, false
	}
	q := strings.IndexByte(rest[:min(len(rest), longestCharset)], '?')
	if q <= 0 || len(rest) < q+3 || rest[q+2] != '?' {
		return encodedWord{}, false
	}
	charset, kind := rest[:q], rest[q+1]|0x20
	charset, _, _ = strings.Cut(charset, "*") // a language, RFC 2231
	text := rest[q+3:]
	length := len(s)
	if end := strings.Index(text, "?="); end >= 0 {
		length = len(s) - len(text) + end + 2
		text = text[:end]
	} else if strings.ContainsAny(text, " \t") {
		return encodedWord{}, false
	}
	switch kind {
	case 'q':
		return encodedWord{charset: charset, bytes: unquoteWord(text), length: length}, true
	case 'b':
		return encodedWord{charset: charset, bytes: decodeBase64(text), length: length}, true
	}
	return encodedWord{}, false
}

func unquoteWord(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '_':
			out = append(out, ' ')
		case c == '=' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			out = append(out, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		default:
			out = append(out, c)
		}
	}
	return out
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// decodeBase64 decodes what it can: bytes that are not of the alphabet are passed
// over, pieces that were encoded one by one are joined, and a cut end is used as
// far as it goes.
func decodeBase64(text string) []byte {
	out := make([]byte, 0, len(text)/4*3+3)
	var group uint32
	n := 0
	flush := func() {
		// Two characters make one byte, three make two.
		for i := 0; i < n-1; i++ {
			out = append(out, byte(group<<(24-6*n+8)>>(24-8*i)))
		}
		group, n = 0, 0
	}
	for i := 0; i < len(text); i++ {
		v, ok := base64Value(text[i])
		switch {
		case ok:
			group, n = group<<6|v, n+1
			if n == 4 {
				flush()
			}
		case text[i] == '=':
			flush()
		}
	}
	flush()
	return out
}

func base64Value(c byte) (uint32, bool) {
	switch {
	case 'A' <= c && c <= 'Z':
		return uint32(c - 'A'), true
	case 'a' <= c && c <= 'z':
		return uint32(c-'a') + 26, true
	case '0' <= c && c <= '9':
		return uint32(c-'0') + 52, true
	case c == '+':
		return 62, true
	case c == '/':
		return 63, true
	}
	return 0, false
}

// line makes a decoded value one clean line of at most most bytes.
func line(value string, most int) string {
	value = strings.Join(strings.Fields(clean(value)), " ")
	return truncate(value, most)
}

// truncate cuts s to at most most bytes, at the edge of a character.
func truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
