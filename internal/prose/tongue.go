package prose

import "github.com/subconsciousd/subconsciousd/internal/dates"

// tongueNames are what the lists call the languages.
var tongueNames = [...]string{"english", "german", "french", "spanish", "italian", "portuguese"}

const germanTongue = 1

// tongue is a language: the small words by which its sentences are known, and what is
// asked in it.
type tongue struct {
	common Set
	language
}

var allTongues = func() (all [len(tongueNames)]tongue) {
	for i, name := range tongueNames {
		all[i] = tongue{listed("common." + name), languageOf(name)}
	}
	return all
}()

// tongues returns the languages in which a sentence may be written: those whose
// small words are most in it.
func tongues(words []word) []int {
	var count [len(tongueNames)]int
	most := 0
	for _, w := range words {
		for i, t := range allTongues {
			if t.common.Has(w.text) {
				count[i]++
				most = max(most, count[i])
			}
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
