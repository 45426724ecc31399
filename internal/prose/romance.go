package prose

import (
	"slices"
	"strings"
)

// infinitive reports whether a verb has one of the endings.
func infinitive(verb string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(verb, e) && len(verb) > len(e) })
}

// spanishFuture reads "enviaré …", "lo mandaré …".
func spanishFuture(words []word) (reading, bool) {
	for i := range words {
		j := i
		for j < len(words)-1 && is(words[j].text, "spanish.between") {
			j++
		}
		w := words[j]
		future := w.accent && (infinitive(w.text, "are", "ere", "ire", "dre", "bre", "rre") || w.text == "hare") && !is(w.text, "spanishPast") && !is(w.text, "spanishNever")
		if future && opens(words, i) {
			return reading{form: Vow, word: i}, anyOf(words, "spanishMark") && !anyOf(words, "spanish.never") && !conditional(words)
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
