package redact

import (
	"strings"
	"testing"
	"unicode"
)

// TestWordsAreFoundAsStringsFindsThem compares the automata with package strings.
func TestWordsAreFoundAsStringsFindsThem(t *testing.T) {
	words := []string{"key", "k", "keys", "es-k", "für ihr", "ke_", "xxxx", "ücks"}
	texts := []string{"", "k", "KEY", "a monkey.", "MONKEYS", "ses-", "yes-k", "xxx", "aXxxX", "Für Ihr", "für IHR Konto", "FÜR", "zurücks", "kkke_kke", "es-xkx"}
	automaton, begins := newFinder(words), newBeginnings(words)
	for _, s := range texts {
		var in, ends, of, ofFolded bool
		folded := strings.Map(func(r rune) rune {
			if r < 0x80 {
				return unicode.ToLower(r)
			}
			return r
		}, s)
		for _, word := range words {
			in = in || strings.Contains(folded, word)
			ends = ends || strings.HasSuffix(folded, word)
			of = of || strings.HasPrefix(s, word)
			ofFolded = ofFolded || strings.HasPrefix(folded, word)
		}
		if automaton.in(s) != in || automaton.ends(s) != ends || begins.of(s) != of || (begins.folded(s) > 0) != ofFolded {
			t.Errorf("%q: in %t, ends %t, of %t, of folded %t; want %t, %t, %t, %t", s,
				automaton.in(s), automaton.ends(s), begins.of(s), (begins.folded(s) > 0), in, ends, of, ofFolded)
		}
	}
}

// TestSetsHoldWordsThatAreLookedUp: hasFolded knows short words alone.
func TestSetsHoldWordsThatAreLookedUp(t *testing.T) {
	for name, set := range map[string]*wordSet{"secretTails": secretTails.get(), "valueTypes": valueTypes.get(), "notSecrets": notSecrets.get(),
		"typeNames": typeNames.get(), "examplePasswords": examplePasswords.get()} {
		for word := range *set {
			if len(word) > shortWord || !set.hasFolded(strings.ToUpper(word)) && !strings.Contains(word, "ñ") || !set.hasFolded(word) {
				t.Errorf("%s: %q is not found", name, word)
			}
		}
	}
}

// TestAnchorsAreDistinct holds the automaton to one anchor a text: of two the
// first would never be asked. Those of services have what the table says.
func TestAnchorsAreDistinct(t *testing.T) {
	seen := map[string]anchor{}
	for _, a := range anchorTable() {
		if other, twice := seen[a.text]; twice {
			t.Errorf("%q stands for %s and for %s", a.text, other.kind, a.kind)
		}
		seen[a.text] = a
		if p := a.prefix; p.text != "" && (p.after == nil || p.min == 0) {
			t.Errorf("%s of %s: the table is malformed: %+v", p.text, a.kind, p)
		}
	}
}
