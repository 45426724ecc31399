package message

import (
	_ "embed"
	"encoding/base64"
	"slices"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/subconscious"
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
		return encodedWord{charset: charset, bytes: []byte(unquotePrintable(strings.ReplaceAll(text, "_", " "))), length: length}, true
	case 'b':
		return encodedWord{charset: charset, bytes: decodeBase64(text), length: length}, true
	}
	return encodedWord{}, false
}

// decodeBase64 decodes what it can: bytes that are not of the alphabet are passed
// over, pieces that were encoded one by one are joined, and a cut end is used as
// far as it goes.
func decodeBase64(text string) []byte {
	text = strings.Map(func(r rune) rune {
		if r == '=' || r == '+' || r == '/' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, text)
	out := make([]byte, 0, len(text)/4*3+3)
	for piece := range strings.SplitSeq(text, "=") {
		if len(piece)%4 == 1 {
			piece = piece[:len(piece)-1]
		}
		out, _ = base64.RawStdEncoding.AppendDecode(out, []byte(piece)) // nothing is left that it could refuse
	}
	return out
}

// line makes a decoded value one clean line of at most most bytes, which keeps nothing
// of the message.
func line(value string, most int) string {
	value = strings.Join(strings.Fields(clean(value)), " ")
	return strings.Clone(subconscious.Head(value, most))
}

// hasOne tells whether one of the phrases is in text, and beginsWithOne whether it
// begins with one.
func hasOne(text string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

func beginsWithOne(text string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.HasPrefix(text, phrase) })
}

// phraseFile has what is said in mail of itself, in sections ("# footer"), one
// phrase a line, in lower case. A "·" at an end stands for a space.
//
//go:embed phrases.txt
var phraseFile string

var phraseSections = sync.OnceValue(func() map[string][]string {
	sections := map[string][]string{}
	name := ""
	for l := range strings.Lines(phraseFile) {
		l = strings.TrimSuffix(l, "\n")
		if heading, ok := strings.CutPrefix(l, "# "); ok {
			name = heading
		} else if l != "" {
			sections[name] = append(sections[name], strings.ReplaceAll(l, "·", " "))
		}
	}
	return sections
})

// phrases are those of a section.
func phrases(section string) []string { return phraseSections()[section] }
