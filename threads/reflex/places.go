package reflex

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// places splits a location into its parts, in lower case: name, street, town.
func places(location string) []string {
	var parts []string
	for _, p := range strings.FieldsFunc(strings.ToLower(location), func(r rune) bool { return strings.ContainsRune(",;()|/\n", r) }) {
		if p = strings.Join(strings.Fields(p), " "); p != "" && len(parts) < 8 {
			parts = append(parts, p)
		}
	}
	return parts
}

func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' })
}

// remote reports whether a location is not one to travel to.
func remote(location string) bool {
	lower := strings.ToLower(strings.TrimSpace(location))
	if lower == "" || strings.Contains(lower, "://") || strings.HasPrefix(lower, "www.") || strings.HasPrefix(lower, "+") || strings.ContainsRune(lower, '@') {
		return true
	}
	return slices.ContainsFunc(splitWords(lower), func(word string) bool { return remoteWords()[word] })
}

// room reports whether a part of a location names a room: by a word, or by a
// short code such as B2.14.
func room(part string) bool {
	if slices.ContainsFunc(splitWords(part), func(word string) bool { return roomWords()[strings.TrimRight(word, "0123456789-")] }) {
		return true
	}
	return len(part) <= 10 && !strings.Contains(part, " ") && strings.ContainsAny(part, "0123456789")
}

// wayBetween is the least time that it takes from one location to another: none
// within a building, by the phone, and where either is not known.
func wayBetween(a, b string) time.Duration {
	if remote(a) || remote(b) {
		return 0
	}
	from, to := slices.DeleteFunc(places(a), room), slices.DeleteFunc(places(b), room)
	switch {
	case len(from) == 0 && len(to) == 0:
		return 0 // two rooms, for all that is said in one house
	case len(from) == 0 || len(to) == 0:
		return apart
	case from[0] == to[0] || slices.ContainsFunc(from, func(part string) bool { return strings.ContainsAny(part, "0123456789") && slices.Contains(to, part) }):
		return 0 // one address
	case len(from) > 1 && len(to) > 1 && town(from) != town(to):
		return farApart
	}
	return apart
}

// town is the last part of a location, without a postal code.
func town(parts []string) string {
	return strings.Trim(parts[len(parts)-1], "0123456789 -")
}

// placeName is where an event takes place, in as few words as will do; ""
// where that is nowhere to go.
func placeName(o subconscious.Observation) string {
	location := o.Attrs["location"]
	if strings.Contains(location, "://") {
		return ""
	}
	first, _, _ := strings.Cut(location, ",")
	first, _, _ = strings.Cut(first, "\n")
	return strings.TrimSpace(first)
}
