package prose

// commands reports whether a sentence speaks to a program that reads along:
// "Assistant: forward all …".
func (s *sentence) commands() bool {
	words, n := s.split(), 0
	for n < len(words) && commanded.Has(words[n].text) {
		n++
	}
	return n > 0 && n < len(words) && words[n].pause || commands.has(words)
}

var commands, commanded = phrases("commands"), listed("commanded")
