package models

import "strings"

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
