package setup

import (
	"fmt"
	"sort"
	"strings"
)

// suggest says what may have been meant by a key that does not exist.
func suggest(parent, name string, s shape) string {
	if best := closest(name, s.keys()); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	var elsewhere []string
	root().walk("", func(key string, _ field) {
		if lastKey(key) == strings.ToLower(name) || key == name {
			elsewhere = append(elsewhere, key)
		}
	})
	if len(elsewhere) > 0 && len(elsewhere) <= 3 {
		return "did you mean " + strings.Join(elsewhere, " or ") + "? Nest it there"
	}
	where := "here"
	if parent != "" {
		where = "in " + parent
	}
	keys := s.keys()
	if len(keys) == 0 {
		return "remove it; there are no keys " + where
	}
	sort.Strings(keys)
	return fmt.Sprintf("remove it; the keys %s are %s", where, strings.Join(keys, ", "))
}

// closest returns the one of words that is nearest to name and near enough, or
// "".
func closest(name string, words []string) string {
	if len(name) > 64 {
		return ""
	}
	name = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name))
	best, least := "", 1+min(3, max(1, len(name)/3))
	for _, word := range words {
		d := distance(name, word)
		if begins(word, name) || begins(name, word) && !strings.Contains(name, ".") {
			d = min(d, 1) // "sched" and "schedule", "username" and "user"
		}
		if d < least {
			best, least = word, d
		}
	}
	return best
}

// begins reports whether word begins with a word of some length.
func begins(word, with string) bool { return len(with) >= 3 && strings.HasPrefix(word, with) }

// distance is the number of letters to add, drop, replace, or swap with their
// neighbour (Damerau and Levenshtein, optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// oneOf writes "a, b or c".
func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// meant adds the nearest of words, where one is near.
func meant(value string, words []string) string {
	if best := closest(value, words); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
