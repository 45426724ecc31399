package redact

import "sync"

// machine is an Aho-Corasick automaton over the anchors, or over words (see
// finder), ASCII case folded. It is built once and never changes.
type machine struct {
	class   [256]uint8
	width   int
	next    []uint16 // state*width + class
	anchor  []int16  // by state: the longest anchor that ends here, where one does
	first   []uint16 // by state: itself where an anchor ends here, or else shorter
	shorter []uint16 // by state: the nearest suffix state with an anchor, or 0
	anchors []anchor
}

// check verifies an anchor whose bytes are text[from:to].
type check func(t *text, a *anchor, from, to int) (Span, bool)

// anchor is a string that may begin, or stand before, a secret.
type anchor struct {
	text  string // lower case
	kind  string
	check check
	// prefix, for keys that are known by how they begin.
	prefix prefix
	// level, for words that name what follows them.
	level level
	// cue, for words that tell what a number near them is.
	cue *lexeme
}

var compiled = sync.OnceValue(func() *machine { return newMachine(withCues(anchorTable())) })

// newMachine builds the automaton.
func newMachine(anchors []anchor) *machine {
	m := &machine{anchors: anchors, width: 1}
	for _, a := range anchors {
		for _, b := range []byte(a.text) {
			if m.class[b] == 0 {
				m.class[b] = uint8(m.width)
				m.width++
			}
		}
	}
	for b := 'a'; b <= 'z'; b++ {
		m.class[b-'a'+'A'] = m.class[b]
	}
	m.grow()
	for i, a := range anchors {
		state := uint16(0)
		for _, b := range []byte(a.text) {
			slot := int(state)*m.width + int(m.class[b])
			if m.next[slot] == 0 {
				next := m.grow() // which moves m.next
				m.next[slot] = next
			}
			state = m.next[slot]
		}
		m.anchor[state], m.first[state] = int16(i), state
	}
	m.link()
	return m
}

// grow adds a state and returns its number.
func (m *machine) grow() uint16 {
	m.next = append(m.next, make([]uint16, m.width)...)
	m.anchor, m.first, m.shorter = append(m.anchor, 0), append(m.first, 0), append(m.shorter, 0)
	return uint16(len(m.anchor) - 1)
}

// link turns the trie into an automaton, breadth first.
func (m *machine) link() {
	fail := make([]uint16, len(m.anchor))
	for queue := []uint16{0}; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		f := fail[state]
		m.shorter[state] = m.first[f]
		if m.first[state] == 0 {
			m.first[state] = m.first[f]
		}
		for c := range m.width {
			slot, to := int(state)*m.width+c, m.next[int(f)*m.width+c]
			s := m.next[slot]
			if s == 0 {
				m.next[slot] = to
				continue
			}
			if state != 0 {
				fail[s] = to
			}
			queue = append(queue, s)
		}
	}
}
