package archtest

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed rules.txt
var written string

// table is what rules.txt says. It panics where that is malformed.
type table struct {
	rules []Rule
	sets  map[string][]string
}

var read = sync.OnceValue(func() table {
	t := table{sets: map[string][]string{}}
	var rule Rule
	for number, line := range strings.Split(written, "\n") {
		key, rest, _ := strings.Cut(line, " ")
		words := t.expand(strings.Fields(rest))
		switch key {
		case "", "#":
		case "set":
			t.sets[words[0]] = append(t.sets[words[0]], words[1:]...)
		case "for":
			rule.Packages = append(rule.Packages, words...)
		case "may":
			rule.May = append(rule.May, words...)
		case "tests":
			rule.Tests = append(rule.Tests, words...)
		case "is":
			for _, word := range words {
				is := map[string]*bool{"standard-only": &rule.StandardOnly, "test-only": &rule.TestOnly, "pure": &rule.Pure}[word]
				if is == nil {
					panic(fmt.Sprintf("rules.txt:%d: %q is nothing that a package can be", number+1, word))
				}
				*is = true
			}
		case "because": // it ends the rule
			rule.Reason = rest
			t.rules, rule = append(t.rules, rule), Rule{}
		default:
			panic(fmt.Sprintf("rules.txt:%d: %q begins no line of a rule", number+1, key))
		}
	}
	return t
})

// expand writes out the sets among words.
func (t table) expand(words []string) (all []string) {
	for _, word := range words {
		if set, is := strings.CutPrefix(word, "+"); is {
			all = append(all, t.sets[set]...)
		} else {
			all = append(all, word)
		}
	}
	return all
}

// Rules are those of the house, in their order.
func Rules() []Rule { return read().rules }

// AnyTest are the packages that every test may import.
func AnyTest() []string { return read().sets["every-test"] }
