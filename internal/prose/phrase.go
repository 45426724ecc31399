package prose

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
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

// step takes from least to most words that are some, or none where not, or have an ending
// and are none of them; up to maxGap of any kind, or, of 0 at most, the end.
type step struct {
	words       map[string]bool
	not         bool
	tails       []string
	accent      bool // of the ending
	least, most int
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

// first are the phrases that begin with a word, and under "" those that
// begin with an ending, or none of some words. The list is read when it is used first.
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
		switch one := p.steps[0]; {
		case one.least == 0:
			return nil, fmt.Errorf("prose: lang/%s:%d: a phrase begins with a word, or some of which it may be one: %s", line.file, line.number, strings.TrimSpace(line.text))
		case one.not || one.tails != nil:
			first[""] = append(first[""], p)
		default:
			for word := range one.words {
				first[word] = append(first[word], p)
			}
		}
	}
	return first, nil
}

// readStep reads one step. Sets of words are those of the same language or topic.
func readStep(about, field string) step {
	named := func(name string) map[string]bool { return set(about + "." + name).words() }
	words, some := strings.CutSuffix(field, "?")
	s := step{least: 1, most: 1}
	if some {
		s.least = 0
	}
	switch field[0] {
	case '.':
		return step{most: maxGap}
	case '$':
		return step{}
	case '[':
		s.not = field[1] == '!'
		s.words = named(strings.Trim(field, "[!]"))
	case '{':
		s.least, s.most, s.words = 0, maxSkipped, named(strings.Trim(field, "{}"))
	case '*':
		s.tails, s.accent = strings.Split(Fold(field[1:]), "/"), strings.HasSuffix(field, "é")
		if lists()[about+".not"] != nil {
			s.words = named("not")
		}
	default:
		s.words = wordsOf(strings.ReplaceAll(words, "/", " "))
	}
	return s
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
		for _, list := range [2][]phrase{some, endings} {
			for _, p := range list {
				if p.head && !leading {
					continue
				}
				if to, ok := match(p.steps, words, i); ok {
					return i, to, true
				}
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

// match returns the word behind the steps. A gap makes it look further, by no more than
// its own bound.
func match(steps []step, words []word, i int) (to int, ok bool) {
	for n, s := range steps {
		if s.most == 0 {
			return i, i == len(words)
		}
		if s.most == maxGap {
			for k := i; k <= min(i+maxGap, len(words)); k++ {
				if to, ok := match(steps[n+1:], words, k); ok {
					return to, true
				}
			}
			return 0, false
		}
		k := 0
		for ; k < s.most && i < len(words) && s.takes(words[i]); k++ {
			i++
		}
		if k < s.least {
			return 0, false
		}
	}
	return i, true
}

func (s step) takes(w word) bool {
	if s.tails == nil {
		return s.words[w.text] != s.not
	}
	return len(w.text) >= shortestEnding && !s.words[w.text] && (!s.accent || w.accent) &&
		(infinitive(w.text, s.tails...) || s.tails[0] == "~" && romanceInfinitive(w.text))
}

// infinitive reports whether a word has one of the endings, and more.
func infinitive(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(word, e) && len(word) > len(e) })
}

// romances are the infinitives of French, Spanish, Italian and Portuguese, with the
// pronouns that may hang on them: enviarlo.
var romances = lazy.Regexp(`^.{2,}re$|^.+[aei]r(?:(?:los|las|les|nos|lo|la|le|me|te|se){0,2}|gli|l[ie]|[mtc]i)$`)

func romanceInfinitive(verb string) bool {
	return len(verb) >= shortestEnding && romances().MatchString(verb)
}

// begins reports whether the words begin with one of the phrases.
func begins(words []word, in phrasebook) bool {
	from, _, ok := find(words, in)
	return ok && from == 0
}
