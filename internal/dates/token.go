package dates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a run of digits, or one other character. White space is
// between tokens.
type token struct {
	start, end int
	kind       tokenKind
	// lex is what the word can mean; the zero value for every other word.
	lex lexeme
	// number is the value of up to 4 digits, -1 for longer runs; digits is
	// how many there are.
	number int
	digits int
	char   rune // of a mark
	upper  bool // the word begins with a capital
	spaced bool // white space, or the beginning, precedes it
	broken bool // that white space holds an end of line, or it is the beginning
}

type tokenKind uint8

const (
	word tokenKind = iota
	number
	mark
	none // beyond the end
)

// longestWord is the longest word of the lexicon, in bytes as folded.
const longestWord = 20

func tokenize(text string) []token {
	tokens := make([]token, 0, len(text)/5+4)
	spaced, broken := true, true
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		t := token{start: i, char: r, spaced: spaced, broken: broken}
		switch {
		case unicode.IsSpace(r):
			spaced = true
			broken = broken || r == '\n'
			i += n
			continue
		case r >= '0' && r <= '9':
			t.kind = number
			i = t.readNumber(text)
		case unicode.IsLetter(r):
			t.kind = word
			i = t.readWord(text)
		default:
			t.kind = mark
			i += n
		}
		t.end = i
		tokens = append(tokens, t)
		spaced, broken = false, false
	}
	return tokens
}

func (t *token) readNumber(text string) int {
	i := t.start
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		if t.digits++; t.digits <= 4 {
			t.number = t.number*10 + int(text[i]-'0')
		}
		i++
	}
	if t.digits > 4 {
		t.number = -1
	}
	return i
}

// readWord reads letters, folds them (lower case, without accents) and looks
// the word up.
func (t *token) readWord(text string) int {
	var folded [longestWord]byte
	n, i := 0, t.start
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		if i == t.start {
			t.upper = unicode.IsUpper(r)
		}
		i += size
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		r = foldRune(r)
		if n < len(folded) && r < utf8.RuneSelf {
			folded[n] = byte(r)
			n++
		} else {
			n = len(folded) + 1
		}
	}
	if n <= len(folded) {
		t.lex = lexicon()[string(folded[:n])]
	}
	return i
}

const (
	accented = "àáâäãåèéêëìíîïòóôöõùúûüçñýÿ"
	plain    = "aaaaaaeeeeiiiiooooouuuucnyy"
)

var foldTable = func() map[rune]rune {
	table := map[rune]rune{}
	i := 0
	for _, r := range accented {
		table[r] = rune(plain[i])
		i++
	}
	return table
}()

func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	r = unicode.ToLower(r)
	if f, ok := foldTable[r]; ok {
		return f
	}
	return r
}

// fold returns a word of the lexicon as readWord looks it up.
func fold(s string) string { return strings.Map(foldRune, s) }
