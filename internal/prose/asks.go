package prose

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// maxAsks is how many asks of one text are returned.
const maxAsks = 16

// shortMessage is how many sentences a message has at most whose questions are all
// put to its reader.
const shortMessage = 10

// AskForm is how something is asked.
type AskForm string

const (
	Request  AskForm = "request"  // could you send …, please confirm …
	Question AskForm = "question" // when can you come?
)

// Ask is a sentence in which the writer of a message asks something of its
// reader.
type Ask struct {
	Form AskForm
	// Words are the sentence on one line; it stands at text[Start:End].
	Words      string
	Start, End int
	// Date is the day or time that it names, where Dated: of several the one
	// until when something has to be done (Deadline), else the first.
	Date  dates.Match
	Dated bool
}

// Asks returns what the writer of a text asks of its reader, in order and at most
// 16 times. Dates are counted from now. A text that advertises asks nothing,
// whatever its words; nor does what is quoted, thinks aloud, asks everybody, or
// is said of courtesy ("let me know if you have any questions").
func Asks(text string, now time.Time) []Ask { return Of(text, now).Asks() }

func (t *Text) readAsks() (asks []Ask) {
	for _, s := range t.sentences {
		form, ok := readAsk(s.Text, s.split(), len(t.sentences) <= shortMessage)
		if !ok {
			continue
		}
		a := Ask{Form: form, Words: s.Text, Start: s.Start, End: s.End}
		own := slices.DeleteFunc(slices.Clone(s.dates(t.now)), func(m dates.Match) bool { return reckoned(s.Text, m) })
		a.Date, a.Dated = BestDate(own)
		if asks = append(asks, a); len(asks) == maxAsks {
			break
		}
	}
	if len(asks) > 0 && t.Advertises() {
		return nil
	}
	return asks
}

// What the asks of a language are known by are lists of phrases behind its name. Those of
// "requests" ask for something to be done. Those of "polite" have the form of a question
// that may have lost its mark, and are read at the head of a clause; those of "marked" are
// one with its mark alone. "questions" are put to the reader, and end with a mark; "open"
// ones name no reader: they are put to one in a short message, and to nobody in a long one.
// "formulas" ask nothing, whatever else their sentence says; "idle" questions await no
// answer.

// readAsk says whether a sentence asks something of who reads it.
func readAsk(s string, words []word, short bool) (AskForm, bool) {
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || strings.ContainsRune("\"“„«`‘'", first) || strings.Count(s, `"`)%2 == 1 || Shouts(s) {
		return "", false
	}
	if len(words) < 2 || has(words, "marketing") || titled(s, words) {
		return "", false
	}
	mark := endsWithMark(s)
	for _, t := range allTongues {
		from, _, ok := find(words, t.list("formulas"))
		if !ok {
			continue
		}
		if words = beforeSecond(words, from); len(words) < 2 {
			return "", false
		}
		mark = false
	}
	for _, t := range tongues(words) {
		if form, at, ok := t.ask(words, mark, short); ok && !quoted(s, words[at].start) {
			return form, true
		}
	}
	return "", false
}

// beforeSecond returns the words of the clause before a formula that another is
// joined to: "please review it and | let me know if you have any questions".
func beforeSecond(words []word, formula int) []word {
	i := formula - 1
	for i >= 0 && is(words[i].text, "courtesy") {
		i--
	}
	if i < 0 || !is(words[i].text, "joining") {
		return nil
	}
	return words[:i]
}

func (t tongue) ask(words []word, mark, short bool) (AskForm, int, bool) {
	if from, _, ok := find(words, t.list("polite")); ok && !has(words, t.list("idle")) && !(words[from].text == "would" && anyOf(words, "supposing")) && (mark && !is(text(words, from-1), "wordsOfAsking") || opens(words, from)) {
		return Request, from, true
	}
	if from, _, ok := find(words, t.list("marked")); ok && mark && !is(text(words, from-1), "wordsOfAsking") && !has(words, t.list("idle")) {
		return Request, from, true
	}
	if from, _, ok := find(words, t.list("requests")); ok && (opens(words, from) || !reported(words, reading{word: from})) {
		return Request, from, true
	}
	if !mark || has(words, t.list("idle")) {
		return "", 0, false
	}
	from, _, ok := find(words, t.list("questions"))
	if !ok && short {
		from, _, ok = find(words, t.list("open"))
	}
	return Question, from, ok
}

// endsWithMark reports whether a sentence is a question by its mark.
func endsWithMark(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return r != '?' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "???")
}

// Shouts reports whether a sentence is written as spam is: in capitals, or with
// rows of exclamation marks or money.
func Shouts(s string) bool {
	if strings.Contains(s, "!!") || strings.Contains(s, "$$") {
		return true
	}
	upper, letters := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	return letters >= 12 && upper*3 > letters*2
}

// titled reports whether a sentence is written as an English headline is: Every
// Word With A Capital, the small ones too.
func titled(s string, words []word) bool {
	long, upper, small := 0, 0, false
	for i, w := range words {
		r, _ := utf8.DecodeRuneInString(s[w.start:])
		switch capital := unicode.IsUpper(r); {
		case i > 0 && capital && w.text != "i" && is(w.text, "headlined"):
			small = true
		case w.end-w.start >= 4:
			long++
			if capital {
				upper++
			}
		}
	}
	return small && long >= 2 && upper == long
}
