package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/kaptinlin/jsonrepair"
)

// Bounds of what is looked through for JSON.
const (
	maxAnswerText = 256 << 10 // bytes
	maxDepth      = 64
	maxObjects    = 32
)

// What can be wrong with an answer, in words that a model understands.
var (
	errEmpty     = errors.New("it is empty")
	errThoughts  = errors.New("it has thoughts and no answer")
	errNoObject  = errors.New("there is no JSON object in it")
	errArray     = errors.New("it is a JSON array, not an object")
	errAmbiguous = errors.New("there is more than one JSON object in it, and they differ")
	errCut       = errors.New("its JSON ends in the middle")
	errBroken    = errors.New("its JSON cannot be read")
	errLarge     = fmt.Errorf("it is larger than %d KiB", maxAnswerText>>10)
	errDeep      = fmt.Errorf("its JSON is nested deeper than %d", maxDepth)
)

// Extract finds the one JSON object in what a model wrote: behind its thoughts,
// in a fence, between words. Small slips are repaired, where that adds and drops
// no letter and no digit: a comma too many, quotes of the wrong kind, closing
// brackets that are missing at the end. What remains in doubt is an error.
//
// The object comes back with sorted keys, each of them once.
func Extract(text string) (object json.RawMessage, repaired bool, err error) {
	if len(text) > maxAnswerText {
		return nil, false, errLarge
	}
	text = strings.ToValidUTF8(text, "�")
	if strings.TrimSpace(text) == "" {
		return nil, false, errEmpty
	}
	found, err := candidates(text)
	if err != nil {
		return nil, false, err
	}
	if object, err := onlyOne(found, strictObject); object != nil || err != nil {
		return object, false, err
	}
	object, err = onlyOne(found, repairedObject)
	if object == nil && err == nil {
		err = errBroken
		if last := found[len(found)-1]; last.open {
			err = errCut
		}
	}
	return object, err == nil, err
}

// onlyOne returns what read makes of the candidates, if it is the same for all
// that it can read; nil if it can read none.
func onlyOne(found []candidate, read func(candidate) json.RawMessage) (json.RawMessage, error) {
	var only json.RawMessage
	for _, c := range found {
		object := read(c)
		if object == nil {
			continue
		}
		if only != nil && !bytes.Equal(only, object) {
			return nil, errAmbiguous
		}
		only = object
	}
	return only, nil
}

// strictObject reads JSON as it stands, and writes it anew.
func strictObject(c candidate) json.RawMessage {
	if c.open {
		return nil
	}
	return asObject(c.text)
}

// asObject returns nil where text is no JSON object.
func asObject(text string) json.RawMessage {
	object, err := decoded([]byte(text))
	if err != nil || object == nil {
		return nil
	}
	return textOf(object)
}

// decoded reads one object, with its numbers as they are written.
func decoded(text []byte) (object map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err = decoder.Decode(&object); err == nil && decoder.More() {
		err = errBroken
	}
	return object, err
}

// textOf is what was decoded, or text, as JSON without escapes that only matter in
// a web page.
func textOf(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // which can always be written
	return bytes.TrimSpace(b.Bytes())
}

// candidate is a part of an answer that may be a JSON object.
type candidate struct {
	text string
	// open: its last brace is missing. whole: it ends behind a whole value, so
	// that nothing but closing brackets is missing.
	open, whole bool
}

// candidates finds what may be JSON objects in an answer: not in thoughts, not
// in one another. There is at least one, or an error.
func candidates(text string) ([]candidate, error) {
	var found []candidate
	thought := false
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == '<':
			skip, closing := thoughts(rest)
			if skip > 0 {
				thought = true
			}
			if closing { // what came before were thoughts, too
				found = nil
			}
			i += max(1, skip)
		case rest[0] == '[' && strings.HasPrefix(strings.TrimSpace(rest[1:min(len(rest), 64)]), "{"):
			return nil, errArray
		case rest[0] == '{' && looksLikeObject(rest):
			c, err := object(rest)
			if err != nil {
				return nil, err
			}
			if found = append(found, c); len(found) > maxObjects {
				return nil, errAmbiguous
			}
			i += len(c.text)
		default:
			i++
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case thought:
		return nil, errThoughts
	case strings.HasPrefix(strings.TrimSpace(text), "["):
		return nil, errArray
	}
	return nil, errNoObject
}

// The tags that models put around their thoughts.
var thinkTags = [...]string{"think", "thinking", "thought", "reasoning"}

// thoughts returns how many bytes of text, which begins with '<', are a block
// of thoughts: all of them where it is never closed. A closing tag alone closes
// thoughts that began before the answer did.
func thoughts(text string) (skip int, closing bool) {
	for _, tag := range thinkTags {
		if hasPrefixFold(text, "</"+tag+">") {
			return len(tag) + 3, true
		}
		if !hasPrefixFold(text, "<"+tag+">") {
			continue
		}
		end := indexFold(text, "</"+tag+">")
		if end < 0 {
			return len(text), false
		}
		return end + len(tag) + 3, false
	}
	return 0, false
}

func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// indexFold finds an ASCII tag, whatever its case.
func indexFold(text, tag string) int {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], tag[0])
		if i < 0 {
			return -1
		}
		if from += i; hasPrefixFold(text[from:], tag) {
			return from
		}
		from++
	}
}

// looksLikeObject tells JSON from braces in prose: behind the brace there is a
// key, or its end.
func looksLikeObject(text string) bool {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	if rest == "" {
		return false
	}
	switch rest[0] {
	case '"', '\'', '}':
		return true
	}
	word := strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
	return len(word) < len(rest) && strings.HasPrefix(strings.TrimLeft(word, " \t"), ":")
}

// object takes the object with which text begins, up to the brace that closes
// it, or to the end.
func object(text string) (candidate, error) {
	depth, braces := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end := stringEnd(text[i:])
			if end < 0 {
				return candidate{text: text, open: true}, nil
			}
			i += end - 1
		case '{', '[':
			if text[i] == '{' {
				braces++
			}
			if depth++; depth > maxDepth {
				return candidate{}, errDeep
			}
		case ']':
			depth = max(braces, depth-1)
		case '}':
			if braces--; braces == 0 {
				return candidate{text: text[:i+1]}, nil
			}
			depth = max(braces, depth-1)
		}
	}
	return candidate{text: text, open: true, whole: endsWhole(text)}, nil
}

// stringEnd returns the length of the string with which text begins, -1 where
// it has no end.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// endsWhole reports whether a cut text ends behind a value that cannot go on.
// Whether a string at its end is a key shows when it is repaired: a value would
// have to be made up for it.
func endsWhole(text string) bool {
	text = strings.TrimRight(text, " \t\r\n,`")
	for _, end := range [...]string{`"`, "}", "]", "true", "false", "null"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// maxRepair bounds, in bytes, what is given to the library, whose time grows
// with the square: 16 KiB of the worst take 0.1 s, 64 KiB 1.5 s.
const maxRepair = 16 << 10

// repairedObject repairs JSON, where that is possible without guessing.
func repairedObject(c candidate) json.RawMessage {
	text := strings.TrimRight(c.text, " \t\r\n`")
	if c.open && !c.whole || len(text) > maxRepair {
		return nil
	}
	repaired, err := repair(text)
	if err != nil || wordsOf(repaired) != wordsOf(text) {
		return nil
	}
	return asObject(repaired)
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
// and false are the same as JSON's, and a line break is the same as its escape.
func wordsOf(text string) string {
	text = sameWords.Replace(text)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '.' {
			return r
		}
		return -1
	}, text)
}

var sameWords = strings.NewReplacer("None", "null", "True", "true", "False", "false", `\n`, "", `\r`, "", `\t`, "")
