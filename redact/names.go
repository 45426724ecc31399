package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	nameWords    = 8 // of one name that are looked at
	nameGapBytes = 4 // between two words of a name
)

// nameTable holds names. It never changes.
type nameTable struct {
	// parts are the names and what they begin with, as foldName writes them.
	parts map[string]namePart
	// begins are the first letters of first words, in both cases; other tells
	// whether any is beyond ASCII.
	begins [utf8.RuneSelf]bool
	other  bool
}

// namePart is one name, or what some begin with.
type namePart struct {
	ends, goesOn bool
	// everyday: it is a word of every day too.
	everyday bool
}

func newNameTable(names []string) *nameTable {
	table := &nameTable{parts: map[string]namePart{}}
	for _, name := range names {
		table.add(name)
	}
	return table
}

func (t *nameTable) empty() bool { return len(t.parts) == 0 }

func (t *nameTable) add(name string) {
	words := strings.Fields(foldName(name))
	words = words[:min(len(words), nameWords)]
	for i, word := range words {
		key := strings.Join(words[:i+1], " ")
		part := t.parts[key]
		if i == 0 {
			t.begin(word)
		}
		if i < len(words)-1 {
			part.goesOn = true
		} else {
			part.ends, part.everyday = true, i == 0 && everydayNames.get().has(key)
		}
		t.parts[key] = part
	}
}

// begin remembers how a name begins.
func (t *nameTable) begin(word string) {
	if c := word[0]; c < utf8.RuneSelf {
		t.begins[c], t.begins[strings.ToUpper(word[:1])[0]] = true, true
	} else {
		t.other = true
	}
}

// mayBegin reports whether a name can begin with the word at text[start:].
func (t *nameTable) mayBegin(text string, start int) bool {
	if c := text[start]; c < utf8.RuneSelf {
		// A letter beyond ASCII may follow that marks this one.
		return t.begins[c] || t.other && start+1 < len(text) && text[start+1] >= utf8.RuneSelf
	}
	return t.other || t.begins['s'] // ß
}

// find finds the names in text[from:to], each as long as it can be.
func (t *nameTable) find(spans []Span, text string, from, to int) []Span {
	for i := from; ; {
		start, end := nextWord(text, i, to)
		if end == start {
			return spans
		}
		i = end
		if joinsWord(text, start, from) {
			continue
		}
		if start > 0 && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 && end > start+1 && t.parts[foldWord(text[start:end])] == (namePart{}) {
			start++ // the rest of an escape
		}
		if !t.mayBegin(text, start) {
			continue
		}
		if last := t.match(text, start, end, to); last > 0 {
			spans = append(spans, Span{start, last, maskName})
			i = last
		}
	}
}

// joinsWord reports whether the word at start goes on before from.
func joinsWord(text string, start, from int) bool {
	if start > from || start == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(text[:start])
	return isWordRune(r)
}

// match returns where the longest name ends that begins with the word at
// text[start:end]; 0 where none does.
func (t *nameTable) match(text string, start, end, to int) (last int) {
	for key, word := "", start; ; {
		key += foldWord(text[word:end])
		part := t.parts[key]
		if part.ends && !(part.everyday && !isCapital(text[start:end])) && !joinsNext(text, end) {
			last = end
		}
		if !part.goesOn {
			return last
		}
		at, after := nextWord(text, end, min(to, end+nameGapBytes+64))
		if after == at || !isNameGap(text[end:at]) {
			return last
		}
		key, word, end = key+" ", at, after
	}
}

// joinsNext reports whether a word that ends where it was made to goes on.
func joinsNext(text string, end int) bool {
	if end == len(text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[end:])
	before, _ := utf8.DecodeLastRuneInString(text[:end])
	return isWordRune(r) && !isUnspaced(r) && !isUnspaced(before)
}

// isNameGap reports whether the words of a name may have gap between them:
// white space or what prompts write for it, a hyphen, an apostrophe, a comma.
func isNameGap(gap string) bool {
	if gap == "" || len(gap) > nameGapBytes {
		return gap == ""
	}
	for _, r := range gap {
		if !unicode.IsSpace(r) && !strings.ContainsRune("^-.,'’‐‑", r) {
			return false
		}
	}
	return true
}

// nextWord returns the next word at or after i: a run of letters, marks and
// figures; in scripts that put no space between words, one letter.
func nextWord(text string, i, to int) (start, end int) {
	for ; i < to; i++ {
		if c := text[i]; c >= utf8.RuneSelf || isAlnum[c] || c == '_' {
			r, size := utf8.DecodeRuneInString(text[i:to])
			if isWordRune(r) {
				break
			}
			i += size - 1
		}
	}
	start = i
	for i < to {
		if c := text[i]; c < utf8.RuneSelf {
			if !isAlnum[c] && c != '_' {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:to])
		if isUnspaced(r) {
			if i == start {
				i += size
			}
			break
		}
		if !isWordRune(r) {
			break
		}
		i += size
	}
	return start, i
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum[r] || r == '_'
	}
	if r >= 0x4e00 && r <= 0x9fff {
		return true
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// isUnspaced reports whether r is of a script without spaces between words.
func isUnspaced(r rune) bool {
	if r < 0x0e00 || r >= 0x3400 && r <= 0x9fff {
		return r >= 0x3400
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// foldWord folds case and, beyond ASCII, the ways in which a letter with a mark
// is written.
func foldWord(word string) string {
	if r, size := utf8.DecodeRuneInString(word); size == len(word) && isUnspaced(r) {
		return word
	}
	if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(word)
	}
	return strings.ReplaceAll(norm.NFC.String(strings.ToLower(norm.NFC.String(word))), "ß", "ss")
}

// foldName returns the words of a name, folded, with single spaces.
func foldName(name string) string {
	var words []string
	for start, end := nextWord(name, 0, len(name)); end > start; start, end = nextWord(name, end, len(name)) {
		words = append(words, foldWord(name[start:end]))
	}
	return strings.Join(words, " ")
}

func isCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

// everydayNames are names that are words of every day too, or names of months.
var everydayNames = setOfWords("everydayNames")
