package dates

import (
	"slices"
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

// longestPhrase is how long a phrase of the lexicon may be, in bytes as folded, and
// maxPhrase in words and marks.
const (
	longestPhrase = 40
	maxPhrase     = 6
)

func tokenize(tokens []token, text string) []token {
	tokens = slices.Grow(tokens, len(text)/5+4)
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
			t.kind, t.upper = word, unicode.IsUpper(r)
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

// pieces are the texts of the tokens of a phrase.
func pieces(text string) (all []string) {
	for _, t := range tokenize(nil, text) {
		all = append(all, text[t.start:t.end])
	}
	return all
}

// look looks up what the words of a text mean, and makes one word of each phrase
// that the lexicon has.
func look(text string, tokens []token) []token {
	known, out := lexicon(), tokens[:0]
	var room [longestPhrase + utf8.UTFMax]byte
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind == word {
			key := t.fold(room[:0], text)
			t.lex = known[string(key)]
			if len(key) != t.end-t.start { // it has accents
				exact := known[strings.ToLower(text[t.start:t.end])]
				t.lex.roles, t.lex.past = t.lex.roles|exact.roles, max(t.lex.past, exact.past)
			}
			if t.lex.is(opensPhrase) {
				for n := i + 1; n < len(tokens) && n < i+maxPhrase && len(key) < longestPhrase && !tokens[n].broken; n++ {
					key = tokens[n].fold(append(key, ' '), text)
					if l := known[string(key)]; l.roles&^opensPhrase != 0 || l.past != 0 {
						t.lex, t.end, i = l, tokens[n].end, n
					}
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// fold appends a token in lower case, without accents, as the lexicon has it, up to
// longestPhrase bytes.
func (t token) fold(to []byte, text string) []byte {
	for _, r := range text[t.start:t.end] {
		if len(to) >= longestPhrase {
			break
		}
		if r < utf8.RuneSelf || !unicode.Is(unicode.Mn, r) {
			to = utf8.AppendRune(to, FoldRune(r))
		}
	}
	return to
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

// readWord returns where the letters from the beginning of a token on end.
func (t *token) readWord(text string) int {
	for i, r := range text[t.start:] {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
			return t.start + i
		}
	}
	return len(text)
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

// FoldRune returns a letter in lower case and without its accent, as the words of lang
// are kept.
func FoldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	if r == '’' {
		return '\''
	}
	r = unicode.ToLower(r)
	if f, ok := foldTable[r]; ok {
		return f
	}
	return r
}

// fold returns a word of the lexicon as readWord looks it up.
func fold(s string) string { return strings.Map(FoldRune, s) }
