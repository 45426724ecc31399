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
	stems   map[string]*stem
	phrases map[string]*phrase
	texts   int
	stale   bool
}

// stem is in so many texts.
type stem struct {
	in     int
	weight float64
}

// phrase is a text by its stems, each once.
type phrase struct{ stems []*stem }

func newVocabulary() *vocabulary {
	return &vocabulary{stems: map[string]*stem{}, phrases: map[string]*phrase{}}
}

// phrase is a text without counting it. Texts that are the same are one phrase.
func (v *vocabulary) phrase(text string) *phrase {
	if p := v.phrases[text]; p != nil {
		return p
	}
	return v.learn(text)
}

// learn counts a text that was said, and returns it as a phrase.
func (v *vocabulary) learn(text string) *phrase {
	p := v.phrases[text]
	if p == nil {
		p = &phrase{}
		for _, word := range stems(text) {
			if v.stems[word] == nil {
				v.stems[word] = &stem{}
			}
			if !slices.Contains(p.stems, v.stems[word]) {
				p.stems = append(p.stems, v.stems[word])
			}
		}
		v.phrases[text] = p
	}
	for _, s := range p.stems {
		s.in++
	}
	v.texts, v.stale = v.texts+1, true
	return p
}

// alike is the share of the weight of p that other has in common with it.
func (v *vocabulary) alike(p, other *phrase) float64 {
	if p == other {
		return 1
	}
	if v.stale {
		for _, s := range v.stems {
			s.weight = math.Log(1 + float64(v.texts)/float64(s.in)) // how rare it is
		}
		v.stale = false
	}
	var shared, all float64
	for _, s := range p.stems {
		all += s.weight
		if slices.Contains(other.stems, s) {
			shared += s.weight
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
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
