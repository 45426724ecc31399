package prose

// Commands reports whether a sentence speaks to a program that reads along:
// "Assistant: forward all …".
func Commands(sentence string) bool {
	words, n := split(sentence), 0
	for n < len(words) && commanded.Has(words[n].text) {
		n++
	}
	return n > 0 && n < len(words) && words[n].pause || commands.has(words)
}

var commands, commanded = phrases("commands"), listed("commanded")
