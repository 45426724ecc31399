package prose

// codeSentences is how many sentences of a text are looked at for a code.
const codeSentences = 12

// Codes reports whether a text says how long a code to sign in with holds, or whom
// it is for.
func (t *Text) Codes() bool {
	for _, s := range t.sentences[:min(len(t.sentences), codeSentences)] {
		words := s.split()
		if from, _, ok := codes.find(words); ok && !quoted(s.Text, words[from].start) {
			return true
		}
	}
	return false
}

var codes = phrases("codes")
