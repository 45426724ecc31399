package senses

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Bounds of a search: words that are looked for, and changes that are read.
const (
	searchWords = 12
	searchRead  = 500
)

// Found is a change that a search found.
type Found struct {
	Observation subconscious.Observation
	// Words are those of the text that it holds.
	Words []string
	// Why it is not recorded, where a sense passed it over.
	Why string
}

// Search returns the recorded changes since a time that hold words of the text,
// those with the most words first, then the newest; each observation once, and beside them what was passed over. Short
// words count where there are no others, and abbreviations always.
func (l *Ledger) Search(ctx context.Context, text string, since time.Time, limit int, passed ...Found) ([]Found, error) {
	words := wordsOf(text)
	if len(words) == 0 {
		return nil, nil
	}
	args := []any{since.Unix()}
	var like []string
	for _, word := range words {
		like = append(like, `observation LIKE ? ESCAPE '\'`)
		args = append(args, pattern(word))
	}
	args = append(args, searchRead)
	all, err := store.All(ctx, l.db, store.JSONValue[subconscious.Observation],
		"SELECT observation FROM ledger_changes WHERE recorded >= ? AND ("+strings.Join(like, " OR ")+") ORDER BY seq DESC LIMIT ?", args...)
	if err != nil {
		return nil, fmt.Errorf("search the observations: %w", err)
	}
	best := map[subconscious.Ref]Found{}
	for _, o := range all {
		if words := held(o, words); len(words) > len(best[o.Ref()].Words) {
			best[o.Ref()] = Found{Observation: o, Words: words}
		}
	}
	for _, p := range passed {
		if p.Words = held(p.Observation, words); len(p.Words) > 0 && best[p.Observation.Ref()].Words == nil {
			best[p.Observation.Ref()] = p
		}
	}
	found := slices.SortedFunc(maps.Values(best), func(a, b Found) int {
		return cmp.Or(cmp.Compare(len(b.Words), len(a.Words)), cmp.Compare(b.Observation.Seq, a.Observation.Seq))
	})
	return found[:min(len(found), limit)], nil
}

// pattern finds a word in what is recorded. The database folds only the capitals
// of ASCII, and JSON escapes some characters: for those any character matches,
// and held checks again.
func pattern(word string) string {
	var like strings.Builder
	for _, r := range word {
		switch {
		case r == '"' || r == '<' || r == '>' || r == '&':
			like.WriteByte('%')
		case r >= utf8.RuneSelf:
			like.WriteByte('_')
		case strings.ContainsRune(`\%_`, r):
			like.WriteByte('\\')
			fallthrough
		default:
			like.WriteRune(r)
		}
	}
	return "%" + like.String() + "%"
}

// wordsOf are the words of a text that are looked for, each once.
func wordsOf(text string) []string {
	words := subconscious.Terms(text)
	var short []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n,;:!?()\"“”", r) }) {
		word = strings.Trim(word, ".")
		lower := strings.ToLower(word)
		switch {
		case utf8.RuneCountInString(word) < 2 || slices.Contains(words, lower):
		case len(word) >= 3 && strings.ContainsAny(word, "0123456789/.-_"), lower != word && word == strings.ToUpper(word):
			words = append(words, lower) // 4711, /var, backup.service, VAT
		default:
			short = append(short, lower)
		}
	}
	if len(words) == 0 {
		words = short
	}
	return words[:min(len(words), searchWords)]
}

// held are the words that an observation holds.
func held(o subconscious.Observation, words []string) []string {
	text := strings.ToLower(strings.Join(append([]string{o.ID, o.Title, o.Text}, o.Links...), " "))
	var all []string
	for _, word := range words {
		if strings.Contains(text, word) {
			all = append(all, word)
		}
	}
	return all
}
