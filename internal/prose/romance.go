package prose

import (
	"slices"
	"strings"
)

// frenchPronoun may stand before an infinitive.
var frenchPronoun = SetOf(`le la les l lui leur me m te t vous nous y en s se`)

// infinitive reports whether a verb has one of the endings.
func infinitive(verb string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(verb, e) && len(verb) > len(e) })
}

var (
	spanishNever = SetOf(`seré estaré tendré habré sabré podré querré`)
	spanishMark  = SetOf(`el los las del para con lo mi al una mañana hoy antes por yo`)
	// spanishPast are verbs whose past looks like another one's future.
	spanishPast = listed("spanishPast")
	spanishNo   = listed("spanish.never")
	pronouns    = listed("spanish.between")
)

// spanishFuture reads "enviaré …", "lo mandaré …".
func spanishFuture(words []word) (reading, bool) {
	for i := range words {
		j := i
		for j < len(words)-1 && pronouns.Has(words[j].text) {
			j++
		}
		w := words[j]
		future := w.accent && (infinitive(w.text, "are", "ere", "ire", "dre", "bre", "rre") || w.text == "hare") && !spanishPast.Has(w.text) && !spanishNever.Has(w.text)
		if future && opens(words, i) {
			return reading{form: Vow, word: i}, anyOf(words, spanishMark) && !anyOf(words, spanishNo) && !conditional(words)
		}
	}
	return reading{}, false
}

// romanceInfinitive knows the endings of French, Spanish, Italian and Portuguese.
func romanceInfinitive(verb string) bool {
	return len(verb) >= shortestEnding && (spanishInfinitive(verb) || infinitive(verb, "re", "rlo", "rla", "rgli", "rli", "rle", "rmi", "rti", "rci"))
}

// spanishInfinitive knows the pronouns that may hang on a verb: enviarlo.
func spanishInfinitive(verb string) bool {
	for range 2 {
		for _, p := range []string{"los", "las", "les", "nos", "lo", "la", "le", "me", "te", "se"} {
			if v, ok := strings.CutSuffix(verb, p); ok && len(v) > 3 && infinitive(v, "ar", "er", "ir") { // and no Carla
				verb = v
				break
			}
		}
	}
	return infinitive(verb, "ar", "er", "ir")
}
