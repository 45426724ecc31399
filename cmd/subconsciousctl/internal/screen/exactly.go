package screen

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

// exactly writes a text so that no two texts look alike that are not: as it is
// where every letter of it can be seen, and else quoted, with escapes.
func exactly(text string) string {
	if isPlainWord(text) {
		return text
	}
	if strings.ContainsFunc(text, unlike) {
		return strconv.QuoteToASCII(text)
	}
	return strconv.Quote(text)
}

// isPlainWord reports whether text can be shown as it is: nothing hidden in it,
// no quote at its beginning, no space at an end, none after another.
func isPlainWord(text string) bool {
	if text == "" || text[0] == '"' || !utf8.ValidString(text) || strings.TrimSpace(text) != text || strings.Contains(text, "  ") {
		return false
	}
	return !strings.ContainsFunc(text, hides)
}

// hides reports whether a rune cannot be seen, or changes others.
func hides(r rune) bool { return !unicode.IsPrint(r) || unlike(r) }

// unlike reports whether a rune that counts as printable is not seen as one of
// its own: it is drawn over the one before it, or not at all.
func unlike(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) || unseen.Is(r) }

// value writes a JSON value in one line: a string as what it holds, all else as
// it stands.
func value(raw json.RawMessage) string {
	var text string
	if bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &text) == nil {
		return exactly(text)
	}
	return exactly(string(raw))
}

// oneLine is an argument vector in a line, to be recognised by.
func oneLine(argv []string) string {
	words := make([]string, len(argv))
	for i, argument := range argv {
		words[i] = exactly(argument)
		if strings.Contains(words[i], " ") && words[i][0] != '"' {
			words[i] = strconv.Quote(argument)
		}
	}
	return strings.Join(words, " ")
}

var plainForShell = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// ShellLine is an argument vector as a shell reads it.
func ShellLine(argv ...string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = word
		if !plainForShell.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
