package prose

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// maxWords is how many words of a sentence the grammar looks at.
const maxWords = 80

// word is one word of a sentence, split at apostrophes: "I'll" is two.
type word struct {
	text       string // lower case, without accents
	start, end int    // in the sentence
	accent     bool   // it ends in é, as the Spanish future does
	pause      bool   // punctuation stands before it
}

func split(sentence string) []word {
	words := make([]word, 0, min(len(sentence)/5+2, maxWords))
	pause := false
	for i := 0; i < len(sentence) && len(words) < maxWords; {
		r, n := utf8.DecodeRuneInString(sentence[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			pause = pause || strings.ContainsRune(",;:.!?()–—\"“”„«»", r)
			i += n
			continue
		}
		w := word{start: i, pause: pause}
		var last rune
		for i < len(sentence) {
			r, n := utf8.DecodeRuneInString(sentence[i:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
				break
			}
			last = r
			i += n
		}
		w.end = i
		w.text = Fold(sentence[w.start:w.end])
		w.accent = last == 'é' || last == 'É' || last == '\u0301'
		words = append(words, w)
		pause = false
	}
	return words
}

// Fold returns a word in lower case and without accents.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return dates.FoldRune(r)
	}, text)
}

// set is a list of words in lang, by its name.
type set string

// sets are the lists that were used, by name.
var sets sync.Map

// words are those of the list, as Fold returns them. It is read when it is used first.
func (s set) words() map[string]bool {
	all, known := sets.Load(s)
	if !known {
		var text strings.Builder
		for _, l := range list(string(s)) {
			text.WriteString(l.text)
		}
		all, _ = sets.LoadOrStore(s, wordsOf(text.String()))
	}
	return all.(map[string]bool)
}

// is reports whether a word is in a list.
func is(word string, in set) bool { return in.words()[word] }

// Is reports whether a word is in a list of lang, however it is written.
func Is(word, list string) bool { return is(Fold(word), set(list)) }

// anyOf reports whether one of the words is in a list.
func anyOf(words []word, in set) bool {
	all := in.words()
	return slices.ContainsFunc(words, func(w word) bool { return all[w.text] })
}

// listLine is a line of a file in lang.
type listLine struct {
	text, file string
	number     int
}

func list(name string) []listLine {
	all, ok := lists()[name]
	if !ok {
		panic("prose: no list is named " + name)
	}
	return all
}

// wordsOf are the words of a text, parted by white space, as Fold returns them.
func wordsOf(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[Fold(word)] = true
	}
	return s
}

//go:embed lang/*.txt
var lang embed.FS

// lists are the lists of words and phrases in lang by their names: "== NAME" begins
// one, or goes on with it in another file, and what begins with "#" says of what those
// behind it are.
var lists = sync.OnceValue(func() map[string][]listLine {
	all := map[string][]listLine{}
	files, _ := lang.ReadDir("lang") // an embedded folder is there
	for _, file := range files {
		text, _ := lang.ReadFile("lang/" + file.Name())
		name, number := "", 0
		for line := range strings.Lines(string(text)) {
			number++
			if section, ok := strings.CutPrefix(line, "== "); ok {
				name = strings.TrimSpace(section)
				all[name] = all[name][:len(all[name]):len(all[name])]
			} else if !strings.HasPrefix(line, "#") {
				all[name] = append(all[name], listLine{line, file.Name(), number})
			}
		}
	}
	return all
})

// startsWith reports whether the words begin with the phrase.
func startsWith(words []word, phrase ...string) bool {
	return len(phrase) <= len(words) && slices.EqualFunc(words[:len(phrase)], phrase, func(w word, p string) bool { return w.text == p })
}

func text(words []word, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i].text
}
