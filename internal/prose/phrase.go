package prose

import (
	"fmt"
	"strings"
	"sync"
)

// A phrase is a row of words as it is written in the lists of this package:
//
//	can/could you {soft} [doing]
//
// "a/b" is one of these words, "[doing]" one of the set of that name, "[!not]" none of that set, "{soft}"
// any of that set, as many of them as there are up to maxSkipped, "word?" a word
// that may be left out, "*er/ir" one of four letters and more that ends so and is none of the set "not", "*~" an infinitive, "..." up to maxGap words of any kind, "^" the beginning of
// a clause, and "$" the end of the sentence. A line that begins with "#" says of
// what the ones behind it are.
type phrase struct {
	steps []step
	head  bool // the phrase begins a clause
}

type stepKind uint8

const (
	oneOf stepKind = iota
	maybe
	skip
	gap
	end
	ending
	except
)

type step struct {
	kind  stepKind
	words map[string]bool
	tails []string
}

const (
	maxGap     = 6
	maxSkipped = 3
	// shortestEnding is how long a word must be to be known by its ending.
	shortestEnding = 4
)

// phrasebook is a list of phrases in lang, by its name: one a line, the first step of
// each of words.
type phrasebook string

// phrasebooks are those that were used, by name.
var phrasebooks sync.Map

// first are the phrases that begin with a word, and under "" those of a clause that
// begin with an ending. The list is read when it is used first.
func (b phrasebook) first() map[string][]phrase {
	all, known := phrasebooks.Load(b)
	if !known {
		first, err := readPhrases(string(b), list(string(b)))
		if err != nil {
			panic(err) // a test reads them all
		}
		all, _ = phrasebooks.LoadOrStore(b, first)
	}
	return all.(map[string][]phrase)
}

func readPhrases(name string, lines []listLine) (map[string][]phrase, error) {
	first := map[string][]phrase{}
	about, _, _ := strings.Cut(name, ".")
	for _, line := range lines {
		p := phrase{}
		for _, field := range strings.Fields(line.text) {
			if field == "^" {
				p.head = true
				continue
			}
			if set := strings.Trim(field, "[!]{}"); set != field && lists()[about+"."+set] == nil {
				return nil, fmt.Errorf("prose: lang/%s:%d: there is no list %s.%s", line.file, line.number, about, set)
			}
			p.steps = append(p.steps, readStep(about, field))
		}
		if len(p.steps) == 0 {
			continue
		}
		switch p.steps[0].kind {
		case ending:
			if p.head {
				first[""] = append(first[""], p)
				continue
			}
			fallthrough
		case maybe, skip, gap, end, except:
			return nil, fmt.Errorf("prose: lang/%s:%d: a phrase begins with a word, or some of which it may be one: %s", line.file, line.number, strings.TrimSpace(line.text))
		}
		for word := range p.steps[0].words {
			first[word] = append(first[word], p)
		}
	}
	return first, nil
}

// readStep reads one step. Sets of words are those of the same language or topic.
func readStep(about, field string) step {
	named := func(name string) map[string]bool { return set(about + "." + name).words() }
	switch {
	case field == "...":
		return step{kind: gap}
	case field == "$":
		return step{kind: end}
	case strings.HasPrefix(field, "[!"):
		return step{kind: except, words: named(strings.Trim(field, "[!]"))}
	case strings.HasPrefix(field, "["):
		return step{kind: oneOf, words: named(strings.Trim(field, "[]"))}
	case strings.HasPrefix(field, "*"):
		s := step{kind: ending, tails: strings.Split(field[1:], "/")}
		if lists()[about+".not"] != nil {
			s.words = named("not")
		}
		return s
	case strings.HasPrefix(field, "{"):
		return step{kind: skip, words: named(strings.Trim(field, "{}"))}
	case strings.HasSuffix(field, "?"):
		return step{kind: maybe, words: wordsOf(strings.ReplaceAll(strings.TrimSuffix(field, "?"), "/", " "))}
	}
	return step{kind: oneOf, words: wordsOf(strings.ReplaceAll(field, "/", " "))}
}

// find returns the first word from which on one of the phrases stands, and the
// one behind it.
func find(words []word, in phrasebook) (from, to int, ok bool) {
	first := in.first()
	endings := first[""]
	for i, w := range words {
		some := first[w.text]
		if len(some) == 0 && len(endings) == 0 {
			continue
		}
		leading := leads(words, i)
		for _, p := range some {
			if p.head && !leading {
				continue
			}
			if to, ok := match(p.steps, words, i); ok {
				return i, to, true
			}
		}
		for n := 0; leading && n < len(endings); n++ {
			if to, ok := match(endings[n].steps, words, i); ok {
				return i, to, true
			}
		}
	}
	return 0, 0, false
}

// leads reports whether word i begins a clause that is no second half of another:
// what follows "and" has the subject of what is before it.
func leads(words []word, i int) bool {
	return opens(words, i) && (i == 0 || words[i].pause || !is(words[i-1].text, "joining"))
}

// has reports whether one of the phrases is among the words.
func has(words []word, in phrasebook) bool {
	_, _, ok := find(words, in)
	return ok
}

// match returns the word behind the steps. A gap and a word that may be left out
// make it look further, by no more than their own bounds.
func match(steps []step, words []word, i int) (to int, ok bool) {
	for n, s := range steps {
		switch s.kind {
		case oneOf:
			if i >= len(words) || !s.words[words[i].text] {
				return 0, false
			}
			i++
		case except:
			if i >= len(words) || s.words[words[i].text] {
				return 0, false
			}
			i++
		case ending:
			if i >= len(words) || len(words[i].text) < shortestEnding || s.words[words[i].text] || !hasEnding(words[i].text, s.tails) {
				return 0, false
			}
			i++
		case maybe:
			if i < len(words) && s.words[words[i].text] {
				i++
			}
		case skip:
			for k := 0; k < maxSkipped && i < len(words) && s.words[words[i].text]; k++ {
				i++
			}
		case gap:
			for k := 0; k <= maxGap && i+k <= len(words); k++ {
				if to, ok := match(steps[n+1:], words, i+k); ok {
					return to, true
				}
			}
			return 0, false
		case end:
			return i, i == len(words)
		}
	}
	return i, true
}

func hasEnding(word string, tails []string) bool {
	return infinitive(word, tails...) || tails[0] == "~" && romanceInfinitive(word)
}

// begins reports whether the words begin with one of the phrases.
func begins(words []word, in phrasebook) bool {
	from, _, ok := find(words, in)
	return ok && from == 0
}
