package subconscious

import (
	_ "embed"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// SummaryBytes and SummaryWords bound a summary: under 20 words, at most
	// 140 bytes.
	SummaryBytes = 140
	SummaryWords = 19
	// summaryRead is how much of a text is looked at for its summary.
	summaryRead = 4 << 10
)

// Summary makes one line of at most SummaryWords words and SummaryBytes bytes
// out of text, cut at a word and ended with "…" where it is longer.
func Summary(text string) string {
	cut := len(text) > summaryRead
	if cut {
		text = text[:summaryRead]
	}
	words := strings.Fields(Printable(text))
	if len(words) > SummaryWords {
		words, cut = words[:SummaryWords], true
	}
	line := strings.Join(words, " ")
	const more = "…"
	if !cut && len(line) <= SummaryBytes {
		return line
	}
	if room := SummaryBytes - len(more); len(line) > room {
		line = line[:room]
		for !utf8.ValidString(line) {
			line = line[:len(line)-1]
		}
		if space := strings.LastIndexByte(line, ' '); space > SummaryBytes/2 {
			line = line[:space]
		}
	}
	if line = strings.TrimRight(line, " ,;:–-…"); line == "" {
		return ""
	}
	return line + more
}

// Head is at most the first limit bytes of a text, at the end of a character.
func Head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit = max(limit, 0); limit > 0 && !utf8.RuneStart(text[limit]); {
		limit--
	}
	return text[:limit]
}

// Clip is a text of at most limit bytes: what is longer ends in "…".
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Head(text, limit-len("…")) + "…"
}

// Shorten is a text of at most limit characters: what is longer ends after a
// word, if there is one near, and in "…".
func Shorten(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	if limit < 1 {
		return ""
	}
	kept := string([]rune(text)[:limit-1])
	if space := strings.LastIndexByte(kept, ' '); space > len(kept)/2 {
		kept = kept[:space]
	}
	return strings.TrimRight(kept, " ,;:–-…") + "…"
}

// Printable drops control, format and private-use characters and invalid
// bytes, and turns every white space into a plain one.
func Printable(text string) string {
	return strings.Map(PrintableRune, text)
}

// PrintableRune is what Printable makes of one character, -1 where it drops it.
func PrintableRune(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == utf8.RuneError, !unicode.IsPrint(r):
		return -1
	}
	return r
}

//go:embed stopwords.txt
var stopWordList string

// stopWords never connect two observations. They are the commonest words of four
// letters and more of the languages that reflex thinking reads, and the words
// that senses themselves write.
var stopWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(stopWordList) {
		set[word] = true
	}
	return set
})

// Visible takes out of a text what is not seen, but for the joiners of letters and
// pictures; bytes that are no text are shown as such. Of lines it keeps the ends,
// and tabs, or makes them spaces.
func Visible(text string, lines bool) string {
	const joiner, nonJoiner = '\u200d', '\u200c'
	return strings.Map(func(r rune) rune {
		switch {
		case lines && (r == '\n' || r == '\t'), r == joiner, r == nonJoiner:
			return r
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"))
}

// Line is what is seen of a text, on one line and with single spaces. What a screen
// would obey parts words.
func Line(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(strings.Fields(Visible(strings.Join(words, " "), false)), " ")
}

// Ended is a sentence with its end.
func Ended(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// Moment is a time as a person says it at another: "09:10", "Mon 23 Nov 09:10",
// "Mon 4 Jan 2027 09:10".
func Moment(t, at time.Time) string {
	t = t.In(at.Location())
	switch {
	case t.Year() == at.Year() && t.YearDay() == at.YearDay():
		return t.Format("15:04")
	case t.Year() == at.Year():
		return t.Format("Mon 2 Jan 15:04")
	}
	return t.Format("Mon 2 Jan 2006 15:04")
}

// secretMark begins what stands in place of a secret: "[redacted:password]".
const secretMark = "[redacted:"

// withoutMarks leaves out what stands in place of secrets: that two texts both
// hold one does not connect them.
func withoutMarks(text string) string {
	if !strings.Contains(text, secretMark) {
		return text
	}
	var kept strings.Builder
	for {
		before, after, found := strings.Cut(text, secretMark)
		kept.WriteString(before)
		if !found {
			return kept.String()
		}
		kept.WriteByte(' ')
		text = strings.TrimLeft(after, "abcdefghijklmnopqrstuvwxyz0123456789-")
	}
}

// Terms returns the distinct words of text that could connect it with
// something else, in order of appearance and at most 32: lower-case, 4 to 40
// letters, digits or inner hyphens, no stop words, no plain numbers of fewer
// than 5 digits.
func Terms(text string) []string {
	var terms []string
	seen := map[string]bool{}
	text, stops := withoutMarks(text), stopWords()
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}) {
		word = strings.Trim(word, "-")
		n := utf8.RuneCountInString(word)
		if n < 4 || n > 40 || seen[word] || stops[word] {
			continue
		}
		if n < 5 && strings.TrimFunc(word, unicode.IsDigit) == "" {
			continue
		}
		seen[word] = true
		terms = append(terms, word)
		if len(terms) == 32 {
			break
		}
	}
	return terms
}

// Terms are the terms by which an observation may be connected: those of its
// title and text, or its words where the text was left out.
func (o Observation) Terms() []string {
	if o.Text == "" && len(o.Words) > 0 {
		return o.Words
	}
	return Terms(o.Title + " " + o.Text)
}

// Mark is written into whatever the daemon exports for people to read. A file
// whose first 4 KiB contain it is not an observation for any sense, so that
// the daemon never takes its own words for the world.
const Mark = "generated-by: subconsciousd"

// TellingWord is the first term of a summary that is plain ASCII, at most 12 bytes,
// or otherwise where there is none.
func TellingWord(summary, otherwise string) string {
	for _, term := range Terms(summary) {
		ascii := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, term)
		if len(ascii) >= 3 {
			return ascii[:min(len(ascii), 12)]
		}
	}
	return otherwise
}
