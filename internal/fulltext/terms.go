package fulltext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// stemmers bring the words of a language to their stems. The languages are in the
// order of common.txt.
var stemmers = [...]func(*snowballstem.Env) bool{
	english.Stem, german.Stem, french.Stem, spanish.Stem, italian.Stem, portuguese.Stem,
}

// maxText is how much of a text is read, in bytes, and maxTerms how many words of it are
// told apart.
const (
	maxText  = 64 << 10
	maxTerms = 4096
)

// Terms are the words of a text as an index holds them, in order: the stems of its
// language without accents, and without the words that say little. Where a script
// puts no blanks between words, each pair of neighbours is one, and each character.
func Terms(text string) []string {
	all := words(text, maxText)
	all = all[:min(len(all), maxTerms)]
	found, language := make([]string, 0, len(all)), languageOf(all)
	for i, w := range all {
		if commonIn(w)&(1<<language) != 0 {
			continue
		}
		found = append(found, stem(w, language))
		if first, second, pair := strings.Cut(w, " "); pair { // one character may be asked for
			found = append(found, first)
			if i+1 == len(all) || !strings.HasPrefix(all[i+1], second+" ") {
				found = append(found, second)
			}
		}
	}
	return found
}

// Asked are the words of a question, each with the terms that it may stand for in
// an index: its stems in the question's language and, where that shares words with
// others, in those. Words that say little are left out, unless there are no others.
func Asked(question string) [][]string {
	all := words(question, maxQuery)
	all = all[:min(len(all), maxWords*4)]
	telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return commonIn(w) != 0 })
	if len(telling) == 0 {
		telling = all
	}
	var asked [][]string
	seen := map[string]bool{}
	for _, w := range telling {
		var forms []string
		for language := range stemmers {
			if s := stem(w, language); !slices.Contains(forms, s) {
				forms = append(forms, s)
			}
		}
		if !seen[forms[0]] && len(asked) < maxWords {
			seen[forms[0]] = true
			asked = append(asked, forms)
		}
	}
	return asked
}

// languageOf is the language whose small words are most among the words: its number in
// stemmers. Without any it is English.
func languageOf(words []string) int {
	var count [len(stemmers)]int
	for _, w := range words {
		for of, i := commonIn(w), 0; of != 0; of, i = of>>1, i+1 {
			count[i] += int(of & 1)
		}
	}
	best := 0
	for i, n := range count {
		if n > count[best] {
			best = i
		}
	}
	return best
}

// stem is a word's stem without accents. What has a digit in it stays as it is.
func stem(word string, language int) string {
	if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) || r >= 0x0250 }) {
		return fold(word)
	}
	env := snowballstem.NewEnv(word)
	stemmers[language](env)
	return fold(env.Current())
}

func fold(word string) string {
	if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return word
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return dates.FoldRune(r)
	}, word)
}
