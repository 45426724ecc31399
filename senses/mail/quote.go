package mail

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
)

const (
	// quoteSentences is how many sentences of a letter are looked at for the one
	// that says what it is about, and quoteBytes how much is quoted at most.
	quoteSentences = 24
	quoteBytes     = 160
)

// telling is the stretch of sentences of a letter that says most of what matters: the
// time, what changed or failed, what is asked, and what the subject speaks of; and the
// time that it names, zero for none.
func telling(subject, text string, at time.Time) (quote string, named time.Time) {
	about := strings.FieldsFunc(prose.Fold(subject), func(r rune) bool { return !prose.IsWordRune(r) })
	about = slices.DeleteFunc(about, func(word string) bool { return utf8.RuneCountInString(word) < 3 })
	sentences := prose.Sentences(text)
	sentences = sentences[:min(len(sentences), quoteSentences)]
	found, asks := ahead(text, at), prose.Asks(text, at)
	worth := make([]int, len(sentences))
	for i, s := range sentences {
		for _, m := range found {
			if m.Start >= s.Start && m.Start < s.End {
				worth[i] += 2
				if !m.DateOnly && m.Due.Sub(at) < 48*time.Hour {
					worth[i]++
				}
				break
			}
		}
		if slices.ContainsFunc(asks, func(a prose.Ask) bool { return a.Start == s.Start }) {
			worth[i] += 2
		}
		worth[i] += min(max(prose.Weigh("", s.Text)/20, 0), 6)
		said, common := strings.FieldsFunc(prose.Fold(s.Text), func(r rune) bool { return !prose.IsWordRune(r) }), 0
		for _, word := range about {
			if slices.Contains(said, word) {
				common++
			}
		}
		worth[i] += min(common, 2)
	}
	best, from, to := -1, 0, 0
	for i := range sentences {
		sum, long := 0, -1
		for n := i; n < len(sentences); n++ {
			if long += 1 + len(sentences[n].Text); n > i && long > quoteBytes {
				break
			}
			// Two words are a greeting, or thanks, unless they name something.
			if sum += worth[n]; sum > best && (sum > 0 || len(strings.Fields(sentences[n].Text)) > 2) {
				best, from, to = sum, i, n+1
			}
		}
	}
	// What follows explains, as far as there is room.
	for long := size(sentences[from:to]); to > from && to < len(sentences); to++ {
		if long += 1 + len(sentences[to].Text); long > quoteBytes || len(strings.Fields(sentences[to].Text)) < 3 {
			break
		}
	}
	for _, m := range found {
		if !m.DateOnly && m.Due.Sub(at) < 48*time.Hour && (named.IsZero() || m.Due.Before(named)) {
			named = m.Due
		}
	}
	var said []string
	for _, s := range sentences[from:to] {
		said = append(said, s.Text)
	}
	return around(strings.Join(said, " "), found), named
}

// size is how long sentences are together.
func size(sentences []prose.Sentence) (n int) {
	for _, s := range sentences {
		n += 1 + len(s.Text)
	}
	return n
}

// around leaves the beginning of a long quotation out where the time that it
// names would be cut off.
func around(quote string, found []dates.Match) string {
	for _, m := range found {
		at := strings.Index(quote, m.Text)
		if at < 0 || at+len(m.Text) < quoteBytes {
			continue
		}
		head := quote[:at+len(m.Text)-quoteBytes/2]
		if cut := strings.LastIndexAny(head, ",;:("); cut > 0 {
			return "… " + strings.TrimLeft(quote[cut:], " ,;:(")
		}
		break
	}
	return quote
}
