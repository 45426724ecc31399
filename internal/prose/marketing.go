package prose

import "strings"

// adverts is how much weight of words makes an advertisement of a text: those of
// any trade count 1, so that a letter of business may have some of them, and those
// of who sells to everybody, or swindles, 2. One strong phrase is enough.
const adverts = 5

var (
	// marketing in a sentence makes it one that is meant for nobody.
	marketing     = phrases("marketing")
	strongAdverts = phrases("strongAdverts")
	// trade are words of those who sell.
	trade = listed("trade")
	// peddling words are of those who sell to everybody, or swindle.
	peddling = listed("peddling")
)

// advertises reports whether sentences are of one who sells to everybody.
func advertises(all []*sentence) bool {
	seen := map[string]bool{}
	weight := 0
	for _, s := range all {
		words := s.split()
		if strongAdverts.has(words) {
			return true
		}
		for _, w := range words {
			strong := peddling.Has(w.text)
			if one := strings.TrimSuffix(w.text, "s"); (strong || trade.Has(w.text)) && !seen[one] {
				seen[one] = true
				if weight++; strong {
					weight++
				}
			}
		}
		if weight >= adverts {
			return true
		}
	}
	return false
}
