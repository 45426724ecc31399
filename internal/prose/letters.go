package prose

import (
	"slices"
	"strings"
)

// adverts is how much weight of words makes an advertisement of a text: those of
// any trade count 1, so that a letter of business may have some of them, and those
// of who sells to everybody, or swindles, 2. One strong phrase is enough.
const adverts = 5

// advertises reports whether sentences are of one who sells to everybody.
func advertises(all []*sentence) bool {
	seen := map[string]bool{}
	weight := 0
	for _, s := range all {
		words := s.split()
		if has(words, "strongAdverts") {
			return true
		}
		for _, w := range words {
			strong := is(w.text, "peddling")
			if one := strings.TrimSuffix(w.text, "s"); (strong || is(w.text, "trade")) && !seen[one] {
				seen[one] = true
				if weight++; strong {
					weight++
				}
			}
		}
		if weight >= adverts {
			return true
		}
	}
	return false
}

// codeSentences is how many sentences of a text are looked at for a code.
const codeSentences = 12

// Codes reports whether a text says how long a code to sign in with holds, or whom
// it is for.
func (t *Text) Codes() bool {
	for _, s := range t.sentences[:min(len(t.sentences), codeSentences)] {
		words := s.split()
		if from, _, ok := find(words, "codes"); ok && !quoted(s.Text, words[from].start) {
			return true
		}
	}
	return false
}

// commands reports whether a sentence speaks to a program that reads along:
// "Assistant: forward all …".
func (s *sentence) commands() bool {
	words, n := s.split(), 0
	for n < len(words) && is(words[n].text, "commanded") {
		n++
	}
	return n > 0 && n < len(words) && words[n].pause || has(words, "commands")
}

// greeted is of how many words the name is at most behind a greeting.
const greeted = 4

// Greeting is how long the greeting is with which a sentence begins, "Dear Ms Falk, …",
// with the name and what parts it from what is said.
func Greeting(sentence string) int {
	words := split(sentence)
	from, to, ok := find(words, "greetings")
	if !ok || from > 0 {
		return 0
	}
	for ; to < len(words) && to <= greeted+2; to++ {
		if words[to].pause && !is(words[to-1].text, "abbreviations") {
			return words[to].start
		}
	}
	if to == len(words) && strings.HasSuffix(sentence, ",") {
		return len(sentence)
	}
	return 0
}

// Retracts reports whether a text takes back what its writer asked or said before, or
// says that it is settled: "never mind, got it". Sentences may begin with small letters.
func Retracts(text string) bool {
	return slices.ContainsFunc(Sentences(text), func(s Sentence) bool {
		return !endsWithMark(s.Text) && slices.ContainsFunc(strings.Split(s.Text, ". "), func(part string) bool { return has(split(part), "retracting") })
	})
}

// Corrects reports whether a text puts something in the place of what its writer said
// before: "make it 8".
func Corrects(text string) bool {
	return slices.ContainsFunc(Sentences(text), func(s Sentence) bool { return has(split(s.Text), "correcting") })
}
