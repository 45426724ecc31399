package screen

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// shownStyle draws the eye to the words of others.
func shownStyle(shown []subconscious.Trust) style {
	if slices.ContainsFunc(shown, func(trust subconscious.Trust) bool { return trust != "owner" && trust != "machine" }) {
		return yellow
	}
	return plain
}
