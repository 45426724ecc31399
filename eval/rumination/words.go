package rumination

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// alikeFrom is the share of a text's weight from which another text says the
// same.
const alikeFrom = 0.6

// vocabulary weighs the stems of all texts that were said so far: a stem that is
// in every text weighs little, a rare one much.
type vocabulary struct {
	stems   map[string]int
	phrases map[string]*phrase
	texts   int
	in      []int // by stem: in how many texts
	weights []float64
	stale   bool
}

// phrase is a text by its stems.
type phrase struct {
	text  string
	stems []int // distinct, ascending
}

func newVocabulary() *vocabulary {
	return &vocabulary{stems: map[string]int{}, phrases: map[string]*phrase{}}
}

// learn counts a text that was said, and returns it as a phrase. Texts that are
// the same are one phrase.
func (v *vocabulary) learn(text string) *phrase {
	p, known := v.phrases[text]
	if !known {
		p = &phrase{text: text}
		for _, stem := range stems(text) {
			number, ok := v.stems[stem]
			if !ok {
				number = len(v.in)
				v.stems[stem], v.in = number, append(v.in, 0)
			}
			p.stems = append(p.stems, number)
		}
		slices.Sort(p.stems)
		p.stems = slices.Compact(p.stems)
		v.phrases[text] = p
	}
	v.texts++
	for _, stem := range p.stems {
		v.in[stem]++
	}
	v.stale = true
	return p
}

// alike is the share of the weight of p that other has in common with it.
func (v *vocabulary) alike(p, other *phrase) float64 {
	if p == other {
		return 1
	}
	v.weigh()
	var shared, all float64
	i := 0
	for _, stem := range p.stems {
		for i < len(other.stems) && other.stems[i] < stem {
			i++
		}
		all += v.weights[stem]
		if i < len(other.stems) && other.stems[i] == stem {
			shared += v.weights[stem]
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

// weigh brings the weights up to date: the logarithm of how rare a stem is.
func (v *vocabulary) weigh() {
	if !v.stale {
		return
	}
	v.stale, v.weights = false, v.weights[:0]
	for _, n := range v.in {
		v.weights = append(v.weights, math.Log(1+float64(v.texts)/float64(n)))
	}
}

// stems are the words of a text without their commonest endings.
func stems(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		for _, ending := range [...]string{"ing", "ed", "ly", "es", "s"} {
			if short, ok := strings.CutSuffix(word, ending); ok && len(short) >= 3 {
				words[i] = short
				break
			}
		}
	}
	return words
}

// phrase is a text without counting it.
func (v *vocabulary) phrase(text string) *phrase {
	if p, known := v.phrases[text]; known {
		return p
	}
	return v.learn(text)
}
