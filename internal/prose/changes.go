package prose

// changesSentences is how many sentences of a text are looked at for a change.
const changesSentences = 6

// Changes reports whether a text says, in its first sentences, that something
// that was agreed is off, moved or put off: "I can't make it", "fällt aus", "est
// reporté", "no puedo ir". Call it on a subject as well.
func Changes(text string) bool {
	all := Sentences(text)
	for _, s := range all[:min(len(all), changesSentences)] {
		words := split(s.Text)
		if from, _, ok := changing.find(words); ok && !quoted(s.Text, words[from].start) {
			return !Advertises(text)
		}
	}
	return false
}

// changing words and phrases say that what was agreed is not so any more.
var changing = phrases("changing")
