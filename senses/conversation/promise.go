package conversation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// standsAfter is how long a promise stands beyond its date, undatedStands
	// how long one without a date does, and questionStands a question.
	standsAfter    = 7 * 24 * time.Hour
	undatedStands  = 30 * 24 * time.Hour
	questionStands = 14 * 24 * time.Hour
	// maxPromises is how many promises are read in one message.
	maxPromises = 20
	// maxTerms is how many words of a promise are kept, by which it is known
	// again when it is done.
	maxTerms = 12
	// longWord is how many letters a word has that tells something.
	longWord = 6
)

// promise is one as it stands in a message.
type promise struct {
	key      string
	form     prose.Form
	title    string
	due      time.Time
	dateText string
	terms    []uint32
}

// readPromises returns what the writer of a message promises, each once. Dates
// are counted from when it was said.
func readPromises(text string, when time.Time) []promise {
	var found []promise
	seen := map[string]bool{}
	for _, b := range spoken(text) {
		all := sentences(b)
		for i, s := range all {
			if len(found) >= maxPromises {
				return found
			}
			p, ok := readPromise(s, when)
			if !ok || seen[p.key] || i+1 < len(all) && prose.Settles(all[i+1]) {
				continue
			}
			seen[p.key] = true
			found = append(found, p)
		}
	}
	return found
}

func readPromise(sentence string, when time.Time) (promise, bool) {
	reading, ok := prose.Read(sentence)
	if !ok {
		return promise{}, false
	}
	days := dates.Find(sentence, when)
	if !reading.Holds(days) {
		return promise{}, false
	}
	words := folder.Words(sentence)
	p := promise{form: reading.Form, key: keyOf(words), terms: termsOf(sentence, days)}
	p.title = strings.TrimRight(title(sentence[reading.Label:], maxTitle), " .,;:|-–!")
	if best, dated := prose.BestDate(days); dated {
		p.due, p.dateText = best.Due, best.Text
	}
	return p, words != "" && p.title != ""
}

// spoken returns the parts of a message that are its writer's own words.
func spoken(text string) []foreign.Block {
	var own []foreign.Block
	for _, b := range foreign.Parse([]byte(text), false).Blocks {
		if !b.Skipped() && b.Task != foreign.Done && b.Task != foreign.Cancelled {
			own = append(own, b)
		}
	}
	return own
}

func sentences(b foreign.Block) []string {
	var out []string
	for _, s := range prose.Lines(b.Lines, nil) {
		out = append(out, subconscious.Head(s.Text, prose.MaxSentence))
	}
	return out
}

// doneTerms are the words of the sentences that say that something is done:
// "Sent the plan."
func doneTerms(text string, when time.Time) []uint32 {
	var terms []uint32
	for _, b := range spoken(text) {
		for _, s := range sentences(b) {
			if prose.Finishes(s) {
				terms = append(terms, termsOf(s, dates.Find(s, when))...)
			}
		}
	}
	return terms
}

// question returns the words with which a message asks something of its reader:
// its last request or question, or its last sentence where that ends with a mark.
func question(text string, at time.Time) (string, bool) {
	var plain strings.Builder
	last := ""
	for _, b := range spoken(text) {
		plain.WriteString(strings.Join(b.Lines, "\n"))
		plain.WriteString("\n\n")
		if all := sentences(b); len(all) > 0 {
			last = all[len(all)-1]
		}
	}
	if asks := prose.Asks(plain.String(), at); len(asks) > 0 {
		return asks[len(asks)-1].Words, true
	}
	return last, strings.HasSuffix(strings.TrimRight(last, " *_\"'”’)"), "?")
}

// keyOf is the identity of a promise that does not repeat what was said.
func keyOf(words string) string {
	sum := sha256.Sum256([]byte("promise\x00" + words))
	return hex.EncodeToString(sum[:10])
}

// termsOf are hashes of the telling words of a sentence without its dates, at
// most maxTerms: those that connect observations, and other long ones.
func termsOf(sentence string, days []dates.Match) []uint32 {
	for _, day := range slices.Backward(days) {
		if day.Start <= day.End && day.End <= len(sentence) {
			sentence = sentence[:day.Start] + " " + sentence[day.End:]
		}
	}
	words := subconscious.Terms(sentence)
	for word := range strings.FieldsSeq(folder.Words(sentence)) {
		if utf8.RuneCountInString(word) >= longWord && strings.ContainsFunc(word, unicode.IsLetter) {
			words = append(words, word)
		}
	}
	var terms []uint32
	for _, word := range words {
		sum := sha256.Sum256([]byte(word))
		term := binary.LittleEndian.Uint32(sum[:4])
		if !prose.Is(word, "commonInPromises") && len(terms) < maxTerms && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return terms
}
