package memory

import (
	"path"
	"slices"
	"strings"
)

// singles are the topics that hold one value at a time, as patterns of path.Match;
// what is said of any other collects.
var singles = strings.Fields(`name home home.* employer job birthday phone email language timezone partner diet
	*.name *.home *.address *.employer *.birthday *.phone *.email *.partner project/* project/*/*`)

// single reports whether a topic holds one value, so that a later record supersedes
// the one before.
func single(topic string) bool {
	return topic != "" && slices.ContainsFunc(singles, func(pattern string) bool {
		ok, _ := path.Match(pattern, topic) // the patterns are whole
		return ok
	})
}
