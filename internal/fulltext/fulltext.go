// Package fulltext stands between texts and SQLite's FTS5: it makes plain text
// of what comes from outside, splits text into words that FTS5 indexes well in
// any script, and turns what somebody looks for into an expression that FTS5
// cannot misread.
//
// It stores nothing. Its callers are the packages that keep an index of their
// own (memory, chat).
package fulltext

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tokenizer is how every index over Split is declared: words without their
// accents, brought to their stems.
const Tokenizer = `tokenize = 'porter unicode61 remove_diacritics 2'`

const (
	// maxWords and maxWordBytes bound what is looked for.
	maxWords     = 32
	maxWordBytes = 64
	// maxQuery is how much of a query is read, in bytes.
	maxQuery = 4 << 10
)

// Plain returns text as valid UTF-8 in composed form, with line breaks as \n,
// every other white space as a blank, and no control or invisible characters
// but those that join letters and pictures. White space around it is cut off.
func Plain(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
		return strings.TrimSpace(text)
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	const joiner, nonJoiner = '\u200d', '\u200c'
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case r == joiner, r == nonJoiner:
			return r
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(norm.NFC.String(text))
}

// Kept returns a text as it is stored: plain, without secrets, of at most so many
// bytes. The error says in plain words why there is none.
func Kept(text string, redact func(string) string, most int) (string, error) {
	size := len(text)
	if size <= most {
		text = redact(Plain(text))
		size = len(text)
	}
	switch {
	case size > most:
		return "", fmt.Errorf("the text has %d bytes, and at most %d are kept; make it shorter", size, most)
	case size == 0:
		return "", errors.New("there is no text")
	}
	return text, nil
}

// Line is Plain on one line, without runs of blanks.
func Line(text string) string { return strings.Join(strings.Fields(Plain(text)), " ") }

// Split returns text as it is indexed: characters of scripts that put no blanks
// between words stand by themselves.
func Split(text string) string {
	if !strings.ContainsFunc(text, isUnspaced) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) * 3 / 2)
	for _, r := range text {
		if isUnspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Match returns the expression for MATCH that finds texts with any of the words
// in query, and ok false where there is no word in it. Words that say little
// are left out, unless there are no others. Operators and marks mean nothing.
func Match(query string) (expression string, ok bool) {
	var telling, all []string
	seen := map[string]bool{}
	for _, word := range words(query, maxQuery) {
		if seen[word] {
			continue
		}
		seen[word] = true
		all = append(all, word)
		if commonIn(word) == 0 {
			telling = append(telling, word)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	if len(telling) > maxWords {
		telling = telling[:maxWords]
	}
	if len(telling) == 0 {
		return "", false
	}
	return `"` + strings.Join(telling, `" OR "`) + `"`, true
}

// words are the words of query in lower case. Where a script puts no blanks
// between them, each pair of neighbours is one: "ab", "bc" of "abc".
func words(query string, most int) []string {
	query = query[:min(len(query), most)]
	var found []string
	for _, field := range strings.FieldsFunc(strings.ToLower(Plain(query)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		for field != "" {
			first, _ := utf8.DecodeRuneInString(field)
			unspaced := isUnspaced(first)
			end := strings.IndexFunc(field, func(r rune) bool { return isUnspaced(r) != unspaced })
			if end < 0 {
				end = len(field)
			}
			if unspaced {
				found = append(found, pairs(field[:end])...)
			} else if word := field[:end]; len(word) <= maxWordBytes && strings.ContainsFunc(word, isLetterOrNumber) {
				found = append(found, word)
			}
			field = field[end:]
		}
	}
	return found
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func pairs(run string) []string {
	runes := []rune(run)
	if len(runes) == 1 {
		return []string{run}
	}
	var found []string
	for i := range len(runes) - 1 {
		found = append(found, string(runes[i])+" "+string(runes[i+1]))
	}
	return found
}

// isUnspaced reports whether r is of a script that is written without blanks
// between words.
func isUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.IsLetter(r) &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

//go:embed common.txt
var common string

// stopWords are the commonest words of a few languages, which say nothing of
// what a text is about: a paragraph of the file each, with a bit in its order.
var stopWords = sync.OnceValue(func() map[string]uint8 {
	set := map[string]uint8{}
	for i, paragraph := range strings.Split(strings.TrimSpace(common), "\n\n") {
		for word := range strings.FieldsSeq(paragraph) {
			set[word] |= 1 << i
		}
	}
	return set
})

// commonIn has a bit for each language in which a word says little.
func commonIn(word string) uint8 { return stopWords()[word] }
