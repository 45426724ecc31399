package prose

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// maxLimits is how many limits of one text are returned.
const maxLimits = 8

// Limit is a day until when something has to be done or paid, or on which
// something ends unless the reader acts.
type Limit struct {
	// Words are the sentence on one line; it stands at text[Start:End].
	Words      string
	Start, End int
	Date       dates.Match // its offsets are in Words
}

// Limits returns the limits that a text of an office or a machine sets its
// reader, in order and at most 8: "payment due 30 November", "Frist: 30.11.", "your
// domain expires on …". The end of an offer, the day of an event or of a delivery
// is none; nor is what the writer undertakes. Dates are counted from now, which is
// when the text was written.
func (t *Text) Limits() (all []Limit) {
	for _, s := range withLabels(t.sentences) {
		if len(all) == maxLimits {
			break
		}
		if date, ok := limitOf(s, t.now); ok {
			all = append(all, Limit{Words: s.Text, Start: s.Start, End: s.End, Date: date})
		}
	}
	if len(all) > 0 && t.Advertises() {
		return nil
	}
	return all
}

// maxHeading is how long a line may be that is the label of the next one.
const maxHeading = 40

// withLabels joins a label that stands on a line of its own with the sentence
// behind it: "Zahlbar bis:" and "30.11.2026".
func withLabels(all []*sentence) []*sentence {
	out := all[:0:0]
	for i := 0; i < len(all); i++ {
		s := all[i]
		if i+1 < len(all) && len(s.Text) <= maxHeading && strings.HasSuffix(s.Text, ":") && len(all[i+1].Text) <= maxHeading {
			next := all[i+1]
			s = &sentence{Sentence: Sentence{s.Text + " " + next.Text, s.Line, next.Last, s.Start, next.End}}
			i++
		}
		out = append(out, s)
	}
	return out
}

// limitOf returns the limit that a sentence sets.
func limitOf(in *sentence, now time.Time) (dates.Match, bool) {
	s, words, found := in.Text, in.split(), in.dates(now)
	if len(found) == 0 || Shouts(s) || strings.HasSuffix(s, "?") || len(words) < 2 || has(words, "noLimits") || has(words, "offers") || anyOf(words, "selling") {
		return dates.Match{}, false
	}
	for _, m := range found {
		if !m.Day || reckoned(s, m) && !m.Deadline && !owed(s, m) {
			continue
		}
		before, after := around(words, m)
		if is(firstOf(m), "spanWords") && begins(after, "ofEvent") { // "within 14 days of …"
			continue
		}
		if has(before, "dueBefore") || m.Deadline && (has(words, "mustDo") || has(words, "dueWords")) ||
			has(words, "expires") && anyOf(words, "lasting") && !anyOf(words, "fleeting") || begins(after, "dueAfter") {
			return m, true
		}
	}
	return dates.Match{}, false
}

// owed reports whether the word before a date is the French "dû", which without
// its accent is another.
func owed(s string, m dates.Match) bool {
	return strings.HasPrefix(m.Text, "dû ") || strings.HasSuffix(strings.TrimRight(s[:m.Start], " "), "dû")
}

// around returns the words before a date and those behind it.
func around(words []word, m dates.Match) (before, after []word) {
	i := 0
	for i < len(words) && words[i].start < m.Start {
		i++
	}
	j := i
	for j < len(words) && words[j].start < m.End {
		j++
	}
	// A label ("Frist:") belongs to its date, and so does "by".
	k := i
	for k < j && !strings.ContainsAny(words[k].text, "0123456789") && is(words[k].text, "dueLabels") {
		k++
	}
	return words[:k], words[j:]
}

func firstOf(m dates.Match) string { return text(split(m.Text), 0) }
