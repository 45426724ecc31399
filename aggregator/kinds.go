package aggregator

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// kindsOf are the kinds of findings that each thread makes, its first one
// being what a foreign kind is read as.
func kindsOf(thread subconscious.ThreadName) []subconscious.Kind {
	switch thread {
	case subconscious.Librarian:
		return []subconscious.Kind{subconscious.KindPattern, subconscious.KindConnection, subconscious.KindForgotten, subconscious.KindStale}
	case subconscious.Oracle:
		return []subconscious.Kind{subconscious.KindEvent, subconscious.KindPreparation, subconscious.KindRisk, subconscious.KindDeadline}
	case subconscious.Dreamer:
		return []subconscious.Kind{subconscious.KindIdea, subconscious.KindConnection, subconscious.KindQuestion, subconscious.KindChallenge}
	}
	return []subconscious.Kind{subconscious.KindObservation, subconscious.KindAnomaly}
}

func ownKind(thread subconscious.ThreadName, kind subconscious.Kind) subconscious.Kind {
	own := kindsOf(thread)
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
