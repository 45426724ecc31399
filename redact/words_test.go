package redact

import (
	"strings"
	"testing"
)

// TestWordsAreFoundAsStringsFindsThem compares the automata with package strings.
func TestWordsAreFoundAsStringsFindsThem(t *testing.T) {
	words := []string{"key", "k", "keys", "es-k", "für ihr", "ke_", "xxxx", "ücks"}
	texts := []string{"", "k", "KEY", "a monkey.", "MONKEYS", "ses-", "yes-k", "xxx", "aXxxX", "Für Ihr", "für IHR Konto", "FÜR", "zurücks", "kkke_kke", "es-xkx"}
	automaton, begins := newWords(words...), newBeginnings(words...)
	for _, s := range texts {
		var in, ends, of, ofFolded bool
		folded := foldASCII(s)
		for _, word := range words {
			in = in || strings.Contains(folded, word)
			ends = ends || strings.HasSuffix(folded, word)
			of = of || strings.HasPrefix(s, word)
			ofFolded = ofFolded || strings.HasPrefix(folded, word)
		}
		if automaton.in(s) != in || automaton.ends(s) != ends || begins.of(s) != of || begins.ofFolded(s) != ofFolded {
			t.Errorf("%q: in %t, ends %t, of %t, of folded %t; want %t, %t, %t, %t", s,
				automaton.in(s), automaton.ends(s), begins.of(s), begins.ofFolded(s), in, ends, of, ofFolded)
		}
	}
}

// TestSetsHoldWordsThatAreLookedUp: inFolded knows short words alone.
func TestSetsHoldWordsThatAreLookedUp(t *testing.T) {
	for name, set := range map[string]map[string]bool{"secretTails": secretTails, "valueTypes": valueTypes, "notSecrets": notSecrets,
		"typeNames": typeNames, "examplePasswords": examplePasswords} {
		for word := range set {
			if len(word) > shortWord || !inFolded(set, strings.ToUpper(word)) && !strings.Contains(word, "ñ") || !inFolded(set, word) {
				t.Errorf("%s: %q is not found", name, word)
			}
		}
	}
}
