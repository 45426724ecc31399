package prose

// matterSentences is how many sentences of a text are looked at for what it is
// about.
const matterSentences = 12

// matters are what a text can be about, beside what it asks and sets.
var matters = []struct {
	name    string
	phrases phrasebook
}{
	{"changes", changing}, {"loss", phrases("losing")}, {"calls", phrases("calling")}, {"retracts", phrases("retracting")}, {"informs", phrases("informing")}, {"money", phrases("paying")}, {"codes", phrases("codes")},
}

// Matters names what a text speaks of in its first sentences: "changes" (what was
// agreed is off, moved or put off), "loss" (something failed, is missing or will
// be lost), "calls" (the person is to call), "retracts" (it is settled), "informs" (nothing is wanted), "money" and
// "codes" (how long a code to sign in with holds, and for whom).
// Each is a feature among others: a language without words for it loses the
// feature alone.
func Matters(text string) (found []string) {
	all := Sentences(text)
	all = all[:min(len(all), matterSentences)]
	each := make([][]word, len(all))
	for i, s := range all {
		each[i] = split(s.Text)
	}
	for _, m := range matters {
		for i, words := range each {
			if from, _, ok := m.phrases.find(words); ok && !quoted(all[i].Text, words[from].start) {
				found = append(found, m.name)
				break
			}
		}
	}
	return found
}
