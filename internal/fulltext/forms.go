package fulltext

import (
	"slices"
	"strings"
)

// Forms are the terms that a word may stand for in an index: its stems in each
// language. There are none of a word that says little in one of them.
func Forms(word string) (forms []string) {
	word = strings.ToLower(word)
	if len(word) > maxWordBytes || commonIn(word) != 0 {
		return nil
	}
	for language := range stemmers {
		if s := stem(word, language); !slices.Contains(forms, s) {
			forms = append(forms, s)
		}
	}
	return forms
}
