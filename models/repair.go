package models

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kaptinlin/jsonrepair"
)

// maxRepair bounds, in bytes, what is given to the library, whose time grows
// with the square: 16 KiB of the worst take 0.1 s, 64 KiB 1.5 s.
const maxRepair = 16 << 10

// repairedObject repairs JSON, where that is possible without guessing: the
// slips that are common here, the others by the library.
func repairedObject(c candidate) json.RawMessage {
	if c.open && !c.whole {
		return nil
	}
	text := tidy(c.text)
	if object := asObject(text); object != nil {
		return object
	}
	if len(text) > maxRepair {
		return nil
	}
	repaired, err := repair(text)
	if err != nil || wordsOf(repaired) != wordsOf(text) {
		return nil
	}
	return asObject(repaired)
}

// tidy escapes line breaks in strings, drops commas before a closing bracket,
// and adds the closing brackets that are missing at the end.
func tidy(text string) string {
	text = strings.TrimRight(text, " \t\r\n`")
	out := make([]byte, 0, len(text)+16)
	var closers []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			if end := stringEnd(text[i:]); end > 0 {
				out = appendString(out, text[i:i+end])
				i += end - 1
				continue
			}
		case '{', '[':
			closers = append(closers, c+2) // in ASCII, each bracket's other half
		case '}', ']':
			out = dropComma(out)
			if n := len(closers); n > 0 && closers[n-1] == c {
				closers = closers[:n-1]
			}
		}
		out = append(out, text[i])
	}
	if len(closers) > 0 {
		out = dropComma(out)
	}
	slices.Reverse(closers)
	return string(append(out, closers...))
}

// appendString appends a string with its line breaks and the like escaped.
func appendString(out []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < ' ' {
			out = fmt.Appendf(out, "\\u%04x", c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// dropComma takes a comma, and the space behind it, from the end.
func dropComma(out []byte) []byte {
	trimmed := strings.TrimRight(string(out[max(0, len(out)-64):]), " \t\r\n")
	if cut := len(out) - min(len(out), 64) + len(trimmed) - 1; strings.HasSuffix(trimmed, ",") {
		return out[:cut]
	}
	return out
}

// repair contains what the library may do with a text that nobody foresaw.
func repair(text string) (repaired string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("repair: %v", fault)
		}
	}()
	return jsonrepair.Repair(text)
}

// wordsOf is all that carries meaning in JSON: letters, digits and the signs of
// numbers. A repair that changes it has guessed. Python's words for null, true
// and false are the same as JSON's.
func wordsOf(text string) string {
	text = python.Replace(text)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '.' {
			return r
		}
		return -1
	}, text)
}

var python = strings.NewReplacer("None", "null", "True", "true", "False", "false")
