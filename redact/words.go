package redact

import "strings"

// newWords returns an automaton over words in lower case, whatever the case of
// the ASCII letters in the texts that it is asked about.
func newWords(words ...string) *machine {
	anchors := make([]anchor, len(words))
	for i, word := range words {
		anchors[i].text = word
	}
	return newMachine(anchors)
}

// in reports whether any of the words is in s.
func (m *machine) in(s string) bool {
	state := uint16(0)
	for i := range len(s) {
		state = m.next[int(state)*m.width+int(m.class[s[i]])]
		if m.first[state] != 0 {
			return true
		}
	}
	return false
}

// ends reports whether s ends in any of the words.
func (m *machine) ends(s string) bool {
	state := uint16(0)
	for i := range len(s) {
		state = m.next[int(state)*m.width+int(m.class[s[i]])]
	}
	return m.first[state] != 0
}

// beginnings are strings by their first bytes.
type beginnings [256][]string

func newBeginnings(texts ...string) *beginnings {
	b := new(beginnings)
	for _, text := range texts {
		b[text[0]] = append(b[text[0]], text)
	}
	return b
}

// of reports whether s begins with any of them.
func (b *beginnings) of(s string) bool {
	if s == "" {
		return false
	}
	for _, text := range b[s[0]] {
		if strings.HasPrefix(s, text) {
			return true
		}
	}
	return false
}

// ofFolded reports whether s begins with any of them, which are in lower case,
// whatever the case of its ASCII letters.
func (b *beginnings) ofFolded(s string) bool { return b.lengthFolded(s) > 0 }

// lengthFolded returns the length of the first of them that s begins with, in
// the order in which they were given; 0 where it begins with none.
func (b *beginnings) lengthFolded(s string) int {
	if s == "" {
		return 0
	}
	for _, text := range b[lowerByte(s[0])] {
		if hasFold(s, text) {
			return len(text)
		}
	}
	return 0
}

// shortWord is the length up to which inFolded knows words.
const shortWord = 16

// inFolded reports whether a set of short words in lower case has s in any case
// of its ASCII letters.
func inFolded(set map[string]bool, s string) bool {
	var folded [shortWord]byte
	if len(s) > shortWord {
		return false
	}
	for i := range len(s) {
		folded[i] = lowerByte(s[i])
	}
	return set[string(folded[:len(s)])]
}

func lowerByte(c byte) byte {
	if isUpper[c] {
		c += 'a' - 'A'
	}
	return c
}
