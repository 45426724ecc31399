package api

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// MaxPage and DefaultPage are how many of anything but ticks a page has.
	MaxPage     = 100
	DefaultPage = 20
	// MaxWords is the longest text that is searched for, in bytes.
	MaxWords = 500
)

// onlyOnce refuses parameters that are not among names, and those that are
// there twice.
func onlyOnce(query url.Values, names ...string) error {
	for key, values := range query {
		if !slices.Contains(names, key) || len(values) != 1 {
			return badRequest("use "+listed(names)+", each once", "the query has %q, or has it more than once", clip(key))
		}
	}
	return nil
}

// listed is names as a sentence lists them.
func listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// yesQuery reads a parameter that is true or false; without it, false.
func yesQuery(query url.Values, name string) (bool, error) {
	switch text := query.Get(name); text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, badRequest("use true or false", "%s: %q is neither true nor false", name, clip(text))
	}
}

// limitQuery reads limit; what is over MaxPage is brought down to it.
func limitQuery(query url.Values) (int, error) {
	if !query.Has("limit") {
		return DefaultPage, nil
	}
	n, err := number(query.Get("limit"))
	if err != nil {
		return 0, badRequest("use a whole number above 0", "limit: %w", err)
	}
	return int(min(n, MaxPage)), nil
}

// markQuery reads before, a page's mark.
func markQuery(query url.Values) (string, error) {
	mark := query.Get("before")
	if mark != "" && !isID(mark) {
		return "", badRequest("take it from the page before, as it stands there", "before: %q is not a page's mark", clip(mark))
	}
	return mark, nil
}

// wordsQuery reads words, one line of plain text.
func wordsQuery(query url.Values) (string, error) {
	words := query.Get("words")
	switch {
	case len(words) > MaxWords:
		return "", badRequest("search for fewer words", "words: %d bytes, and at most %d are taken", len(words), MaxWords)
	case !utf8.ValidString(words):
		return "", badRequest("send UTF-8", "words: it is not valid UTF-8")
	}
	return strings.TrimSpace(subconscious.Printable(words)), nil
}

// isID reports whether text is 1 to 96 bytes of letters, digits and "-_.", and
// begins with a letter or a digit.
func isID(text string) bool {
	return text != "" && len(text) <= maxID && utf8.ValidString(text) && !strings.ContainsAny(text[:1], "-_.") &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return r != '-' && r != '_' && r != '.' && !unicode.IsDigit(r) && !unicode.IsLetter(r)
		})
}

// plainText checks a text of people and drops what a screen would obey and not
// show; its lines stay.
func plainText(field, text string, most int) (string, error) {
	switch {
	case len(text) > most:
		return "", badRequest("make it shorter", "%s: %d bytes, and at most %d are taken", field, len(text), most)
	case !utf8.ValidString(text):
		return "", badRequest("send UTF-8", "%s: it is not valid UTF-8", field)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(subconscious.Printable(line), " ")
	}
	text = strings.TrimSpace(strings.Join(lines, "\n"))
	if text == "" {
		return "", badRequest("write a few words", "%s: it is empty", field)
	}
	return text, nil
}
