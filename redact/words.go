package redact

import (
	"embed"
	"strings"
	"sync"
	"sync/atomic"
)

//go:embed words/*.txt
var files embed.FS

// lists are the lists of words by their names: "== NAME" begins one, "# " a comment,
// and "+" is a blank in a word.
var lists = sync.OnceValue(func() map[string][]string {
	all, name := map[string][]string{}, ""
	folder, _ := files.ReadDir("words") // what is embedded is there
	for _, file := range folder {
		data, _ := files.ReadFile("words/" + file.Name())
		for line := range strings.Lines(string(data)) {
			if next, ok := strings.CutPrefix(line, "== "); ok {
				name = strings.TrimSpace(next)
				continue
			}
			if strings.HasPrefix(line, "# ") {
				continue
			}
			for word := range strings.FieldsSeq(line) {
				all[name] = append(all[name], strings.ReplaceAll(word, "+", " "))
			}
		}
	}
	return all
})

// list returns the words of a list.
func list(name string) []string {
	words, ok := lists()[name]
	if !ok {
		panic("redact: no list is named " + name)
	}
	return words
}

// made is what is made of lists of words when it is used first. (sync.OnceValue
// takes longer where it is asked for each word.)
type made[T any] struct {
	value atomic.Pointer[T]
	names []string
	make  func(words []string) *T
}

func (m *made[T]) get() *T {
	if value := m.value.Load(); value != nil {
		return value
	}
	return m.first()
}

func (m *made[T]) first() *T {
	var words []string
	for _, name := range m.names {
		words = append(words, list(name)...)
	}
	m.value.Store(m.make(words)) // another goroutine makes the same
	return m.value.Load()
}

func beginningsIn(names ...string) *made[beginnings] {
	return &made[beginnings]{names: names, make: newBeginnings}
}

func finder(names ...string) *made[machine] { return &made[machine]{names: names, make: newFinder} }

func setOfWords(names ...string) *made[wordSet] {
	return &made[wordSet]{names: names, make: newWordSet}
}

// beginnings are words by their first byte, ASCII case folded, in the order of their
// list.
type beginnings [128][]string

func newBeginnings(words []string) *beginnings {
	b := new(beginnings)
	for _, word := range words {
		of := b.with(word)
		*of = append(*of, word)
	}
	return b
}

// with returns those that may begin as s does, which is not empty.
func (b *beginnings) with(s string) *[]string { return &b[(s[0]|' ')&0x7f] }

// of reports whether s begins with any of them.
func (b *beginnings) of(s string) bool {
	if s == "" {
		return false
	}
	for _, word := range *b.with(s) {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return false
}

// folded returns the length of the first of them, which are in lower case, that s
// begins with in any case of its ASCII letters; 0 where it begins with none.
func (b *beginnings) folded(s string) int {
	if s == "" {
		return 0
	}
	for _, word := range *b.with(s) {
		if hasFold(s, word) {
			return len(word)
		}
	}
	return 0
}

// newFinder returns an automaton over words in lower case, whatever the case of the
// ASCII letters in the texts that it is asked about.
func newFinder(words []string) *machine {
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

// wordSet is a set of words.
type wordSet map[string]bool

func newWordSet(words []string) *wordSet {
	set := wordSet{}
	for _, word := range words {
		set[word] = true
	}
	return &set
}

func (s *wordSet) has(word string) bool { return (*s)[word] }

// shortWord is the length up to which hasFolded knows words.
const shortWord = 16

// hasFolded reports whether a set of short words in lower case has a word in any
// case of its ASCII letters.
func (s *wordSet) hasFolded(word string) bool {
	var folded [shortWord]byte
	if len(word) > shortWord {
		return false
	}
	for i := range len(word) {
		folded[i] = lowerByte(word[i])
	}
	return (*s)[string(folded[:len(word)])]
}

// hasFold reports whether s begins with prefix, which is in lower case, in any
// case of its ASCII letters. (strings.EqualFold takes longer.)
func hasFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lowerByte(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= ' '
	}
	return c
}

func head(s string, n int) string { return s[:min(n, len(s))] }
