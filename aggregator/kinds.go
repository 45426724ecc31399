package aggregator

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// ownKind reads a kind that is foreign to the thread as the thread's first.
func ownKind(thread subconscious.ThreadName, kind subconscious.Kind) subconscious.Kind {
	own := subconscious.KindsOf(thread)
	if slices.Contains(own, kind) {
		return kind
	}
	return own[0]
}

// listOf is the list that a finding belongs to. A connection is the
// librarian's pattern and the dreamer's hunch.
func listOf(thread subconscious.ThreadName, kind subconscious.Kind) subconscious.List {
	switch kind {
	case subconscious.KindPattern:
		return subconscious.Patterns
	case subconscious.KindConnection:
		if thread == subconscious.Librarian {
			return subconscious.Patterns
		}
		return subconscious.Hunches
	case subconscious.KindIdea, subconscious.KindQuestion, subconscious.KindChallenge:
		return subconscious.Hunches
	}
	return subconscious.ActiveThreads
}
