package screen

import (
	"slices"
)

// shownStyle draws the eye to the words of others.
func shownStyle(shown []string) style {
	if slices.ContainsFunc(shown, func(trust string) bool { return trust != "owner" && trust != "machine" }) {
		return yellow
	}
	return plain
}
