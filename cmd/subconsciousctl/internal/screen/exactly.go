package screen

import (
	"bytes"
	"encoding/json"
	"slices"
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

// exactLine writes first, and after it a text that is broken where the line is
// full, and nowhere else; no space of it is lost.
func (p *page) exactLine(first, text string) {
	deep := cells(first)
	columns := max(p.Width-deep, 8)
	for {
		head := cut(text, columns)
		p.text.WriteString(first + head + "\n")
		if text = text[len(head):]; text == "" {
			return
		}
		first = strings.Repeat(" ", deep)
	}
}

// vector writes the arguments of a program one a line, with their numbers.
func (p *page) vector(argv []string) {
	for i, argument := range argv {
		p.exactLine("  "+padLeft(strconv.Itoa(i+1), 3)+"  ", exactly(argument))
	}
}

func padLeft(text string, columns int) string {
	return strings.Repeat(" ", max(0, columns-len(text))) + text
}

// arguments writes the members of a JSON object one a line.
func (p *page) arguments(raw json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		p.exactLine("  ", exactly(string(raw)))
		return
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if first := "  " + exactly(name) + " = "; cells(first) <= p.Width/2 {
			p.exactLine(first, value(members[name]))
			continue
		}
		p.exactLine("  ", exactly(name)+" =")
		p.exactLine("    ", value(members[name]))
	}
	if len(names) == 0 {
		p.line("  (no arguments)")
	}
}

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
