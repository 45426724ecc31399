package prose

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

const (
	// weighedBytes is how much of a text is weighed.
	weighedBytes = 700
	// stem is how many letters of a word tell it from others: what follows are its
	// endings.
	stem = 6
)

// weightsText is what `subconsciousd eval letters --words` writes.
//
//go:embed weights.txt
var weightsText string

// weight is what a word speaks for a mail, in hundredths, and the line that says so.
type weight struct{ line, hundredths int }

var weights = sync.OnceValue(func() map[string]weight {
	all, err := readWeights(weightsText)
	if err != nil {
		panic("weights.txt: " + err.Error())
	}
	return all
})

// readWeights reads lines of hundredths and a word, or two in a row.
func readWeights(text string) (map[string]weight, error) {
	all, lines := map[string]weight{}, 0
	for line := range strings.Lines(text) {
		number, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("%q does not begin with a number", strings.TrimSpace(line))
		}
		lines++
		all[words] = weight{lines, n}
	}
	return all, nil
}

// weighedLeast is how many words of weight a text is taken to have at least, so
// that one of two words does not count for all that it could say.
const weighedLeast = 6

// Weigh is by how much the words of a mail speak for it that the person wants to
// know of it at once, about -200 to 200, and below 0 against it: their sum over the
// cube root of how many there are, so that much that is said counts, and a long
// letter does not win by its length. The weights were learnt from letters in
// six languages; words of another have none.
func Weigh(subject, text string) int {
	all, sum, found := weights(), 0, make([]weight, 0, weighedBytes)
	eachWeighed(subject, text, func(w []byte) {
		if weight, known := all[string(w)]; known {
			found = append(found, weight)
		}
	})
	slices.SortFunc(found, func(a, b weight) int { return a.line - b.line })
	found = slices.Compact(found) // each counts once
	for _, w := range found {
		sum += w.hundredths
	}
	return int(math.Round(float64(2*sum) / (3 * math.Cbrt(float64(max(len(found), weighedLeast))))))
}

// answering is what a mail program puts before a subject.
var answering = regexp.MustCompile(`(?i)^\s*(?:(?:re|aw|fwd?|wg|tr|rif|res|enc|sv|r)\s*:\s*)+`)

// Weighed are the words of a mail that are weighed, and each two in a row; each
// once, in their order.
func Weighed(subject, text string) (all []string) {
	seen := map[string]bool{}
	eachWeighed(subject, text, func(w []byte) {
		if !seen[string(w)] {
			seen[string(w)] = true
			all = append(all, string(w))
		}
	})
	return all
}

func eachWeighed(subject, text string, yield func(w []byte)) {
	if strings.Contains(subject, ":") {
		subject = answering.ReplaceAllString(subject, "")
	}
	text = subject + "\n" + text[:min(len(text), weighedBytes)]
	text = text[:min(len(text), weighedBytes)]
	pair := make([]byte, 0, 64) // the last word, and this one
	for text != "" {
		n, from := 1, len(pair)
		switch r, size := utf8.DecodeRuneInString(text); {
		case unicode.IsDigit(r):
			var sign byte
			sign, n = number(text)
			pair = append(pair, ' ', sign)
		case unicode.IsLetter(r):
			n = wordBytes(text)
			pair = appendStem(append(pair, ' '), text[:n])
		case r == '!' || r == '?':
			pair = append(pair, ' ', text[0])
		default:
			n = size
		}
		if text = text[n:]; len(pair) > from {
			yield(pair[from+1:])
			if from > 0 {
				yield(pair[1:])
			}
			pair = append(pair[:0], pair[from:]...)
		}
	}
}

// appendStem appends the letters of a word that tell it from others.
func appendStem(to []byte, word string) []byte {
	n := 0
	for _, r := range word {
		if r != '\'' && r != '’' && !unicode.Is(unicode.Mn, r) && n < stem {
			to, n = utf8.AppendRune(to, dates.FoldRune(r)), n+1
		}
	}
	return to
}

// clock is what follows the hour in a time of day.
var clock = regexp.MustCompile(`^(?:[:.h]\d\d|(?i: ?(?:am|pm|uhr|h)))(?:\W|$)`)

// number is '0' for any number and '@' for a time of day, and how long it is.
func number(text string) (sign byte, n int) {
	n = len(text) - len(strings.TrimLeftFunc(text, unicode.IsDigit))
	if n > 2 {
		return '0', n
	}
	if rest := clock.FindString(text[n:]); rest != "" {
		return '@', n + len(rest)
	}
	return '0', n
}

// wordBytes is how long the word is with which a text begins: "won't" is one, "l'eau"
// are two.
func wordBytes(text string) int {
	letters := func(s string) int {
		return len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }))
	}
	n := letters(text)
	if _, size := utf8.DecodeRuneInString(text[n:]); strings.HasPrefix(text[n:], "'") || strings.HasPrefix(text[n:], "’") {
		if m := letters(text[n+size:]); m > 0 && m <= 2 {
			return n + size + m
		}
	}
	return n
}
