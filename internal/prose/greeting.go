package prose

import "strings"

// greeted is of how many words the name is at most behind a greeting.
const greeted = 4

// Greeting is how long the greeting is with which a sentence begins, "Dear Ms Falk, …",
// with the name and what parts it from what is said.
func Greeting(sentence string) int {
	words := split(sentence)
	from, to, ok := greetings.find(words)
	if !ok || from > 0 {
		return 0
	}
	for ; to < len(words) && to <= greeted+2; to++ {
		if words[to].pause && !abbreviations.Has(words[to-1].text) {
			return words[to].start
		}
	}
	if to == len(words) && strings.HasSuffix(sentence, ",") {
		return len(sentence)
	}
	return 0
}

var greetings = phrases("greetings")
