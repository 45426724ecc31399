// Package fulltext stands between texts and SQLite's FTS5: it makes plain text
// of what comes from outside, splits text into words that FTS5 indexes well in
// any script, and turns what somebody looks for into an expression that FTS5
// cannot misread.
//
// It stores nothing. Its callers are the packages that keep an index of their
// own (memory, chat).
package fulltext

import (
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
	for _, word := range words(query) {
		if seen[word] {
			continue
		}
		seen[word] = true
		all = append(all, word)
		if !stopWords()[word] {
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
func words(query string) []string {
	if len(query) > maxQuery {
		query = query[:maxQuery]
	}
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

// stopWords are the commonest words of a few languages, which say nothing of
// what a text is about.
var stopWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		a about after all also am an and any are as at be been before being but by can could did do does doing for from
		had has have he her here him his how i if in into is it its just me more most my no nor not of on once only or
		other our out over own she should so some such than that the their them then there these they this those through
		to too under until up very was we were what when where which while who whom why will with would you your
		aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer es für hat ich
		ihr im in ist ja mit nach nicht noch nur oder sie sich sind so über um und uns vom von vor war was wer wie wir
		wird zu zum zur
		au aux avec ce ces dans de des du elle en est et il ils je la le les leur lui mais ne nous on ou où par pas pour
		que qui sa se ses son sont sur un une vous
		al como con del desde el ella en entre era es esta este fue ha hay la las le lo los más me mi muy no nos o para
		pero por que se si sin sobre su sus también un una y ya yo`) {
		set[word] = true
	}
	return set
})
