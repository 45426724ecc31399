package prose

import (
	"math/bits"
	"sync"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// tongueNames are what the lists call the languages.
var tongueNames = [...]string{"english", "german", "french", "spanish", "italian", "portuguese"}

const germanTongue = 1

// allTongues are what is asked in each language.
var allTongues = func() (all [len(tongueNames)]language) {
	for i, name := range tongueNames {
		all[i] = languageOf(name)
	}
	return all
}()

// common are the small words by which the sentences of a language are known, with a bit
// for each.
var common = sync.OnceValue(func() map[string]uint8 {
	all := map[string]uint8{}
	for i, name := range tongueNames {
		for word := range listed("common." + name)() {
			all[word] |= 1 << i
		}
	}
	return all
})

// tongues returns the languages in which a sentence may be written: those whose
// small words are most in it.
func tongues(words []word) []int {
	var count [len(tongueNames)]int
	most, small := 0, common()
	for _, w := range words {
		for of := small[w.text]; of != 0; of &= of - 1 {
			i := bits.TrailingZeros8(of)
			count[i]++
			most = max(most, count[i])
		}
	}
	out := make([]int, 0, len(count))
	for i, n := range count {
		if n == most {
			out = append(out, i)
		}
	}
	return out
}

// germanDays begin a date behind the German "du", which is the "of the" of a
// French one.
var germanDays = listed("germanDays")

// reckoned reports whether a date is that of something else ("your letter of 3
// March"), or from which on something is.
func reckoned(s string, m dates.Match) bool {
	if !since(s, m) {
		return false
	}
	first := split(m.Text)
	if len(first) > 1 && first[0].text == "du" {
		return !germanDays.Has(first[1].text)
	}
	return len(first) == 0 || wordBeforeDate(s, m) != "du" || !germanDays.Has(first[0].text)
}
