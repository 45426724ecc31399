package prose

import "strings"

// urgentSentences is how many sentences of a text may say that it is urgent.
const urgentSentences = 3

// Urgent reports whether a text says of itself, in its first three sentences,
// that it will not wait: "urgent", "asap", "eilt", "dès que possible", "by end of
// day". Call it on a subject as well. What shouts or advertises is not urgent,
// whatever it says.
func Urgent(text string) bool {
	all := Sentences(text)
	said := false
	for _, s := range all[:min(len(all), urgentSentences)] {
		words := split(s.Text)
		if from, _, ok := pressing.find(words); ok && !relaxed.has(words) && !shouts(s.Text) && !quoted(s.Text, words[from].start) && !inAddress(s.Text, words[from].start) {
			said = true
			break
		}
	}
	return said && !Advertises(text)
}

var (
	// pressing words and phrases cannot wait.
	pressing = phrases("pressing")
	// relaxed takes that back, or says it of what the writer does.
	relaxed = phrases("relaxed")
)

// inAddress reports whether the word at pos is part of an address.
func inAddress(s string, pos int) bool {
	return pos > 0 && strings.IndexByte("@./", s[pos-1]) >= 0
}
