package prose

import (
	"math/bits"
	"sync"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// tongue is a language by the name that the lists call it.
type tongue string

var allTongues = [...]tongue{"english", "german", "french", "spanish", "italian", "portuguese"}

// list is a list of phrases of the language.
func (t tongue) list(name string) phrasebook { return phrasebook(string(t) + "." + name) }

// common are the small words by which the sentences of a language are known, with a bit
// for each.
var common = sync.OnceValue(func() map[string]uint8 {
	all := map[string]uint8{}
	for i, name := range allTongues {
		for word := range set("common." + name).words() {
			all[word] |= 1 << i
		}
	}
	return all
})

// tongues returns the languages in which a sentence may be written: those whose
// small words are most in it.
func tongues(words []word) []tongue {
	var count [len(allTongues)]int
	most, small := 0, common()
	for _, w := range words {
		for of := small[w.text]; of != 0; of &= of - 1 {
			i := bits.TrailingZeros8(of)
			count[i]++
			most = max(most, count[i])
		}
	}
	out := make([]tongue, 0, len(count))
	for i, n := range count {
		if n == most {
			out = append(out, allTongues[i])
		}
	}
	return out
}

// reckoned reports whether a date is that of something else ("your letter of 3
// March"), or from which on something is.
func reckoned(s string, m dates.Match) bool {
	if !since(s, m) {
		return false
	}
	first := split(m.Text)
	if len(first) > 1 && first[0].text == "du" {
		return !is(first[1].text, "germanDays")
	}
	return len(first) == 0 || wordBeforeDate(s, m) != "du" || !is(first[0].text, "germanDays")
}
