package prose

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

const (
	// MaxText is how many bytes of a text are read.
	MaxText = 64 << 10
	// maxSentences and maxLines are how many sentences and lines of a text are
	// looked at.
	maxSentences = 2000
	maxLines     = 3000
)

// Text is a text whose sentences are read once, whatever is asked of them.
type Text struct {
	// Asks returns what the text asks; see the function of that name.
	Asks func() []Ask
	// Advertises reports whether it is one of those who sell to everybody, by its words
	// alone.
	Advertises func() bool
	now        time.Time
	sentences  []*sentence
}

// sentence is one of a text, with what was read in it.
type sentence struct {
	Sentence
	words []word
	found []dates.Match
	dated bool // found was looked for
}

// Of reads a text; the dates in it are counted from now, which is when it was written.
func Of(text string, now time.Time) *Text {
	all := Sentences(text)
	sentences := make([]*sentence, len(all))
	for i, s := range all {
		sentences[i] = &sentence{Sentence: s}
	}
	return of(sentences, now)
}

func of(sentences []*sentence, now time.Time) *Text {
	t := &Text{now: now, sentences: sentences}
	t.Asks, t.Advertises = sync.OnceValue(t.readAsks), sync.OnceValue(func() bool { return advertises(sentences) })
	return t
}

// Under is the text with a line above it.
func (t *Text) Under(subject string) *Text {
	return of(slices.Concat(Of(subject, t.now).sentences, t.sentences), t.now)
}

// Spoken are the sentences of the text, but those that speak to a program that reads
// along, and what stands behind one in the same lines.
func (t *Text) Spoken() (all []Sentence) {
	commanded := -1
	for _, s := range t.sentences {
		if s.commands() || commanded >= 0 && s.Line <= commanded+1 {
			commanded = s.Last
		} else {
			all = append(all, s.Sentence)
		}
	}
	return all
}

// Commands reports whether a sentence of the text speaks to a program that reads along.
func (t *Text) Commands() bool { return slices.ContainsFunc(t.sentences, (*sentence).commands) }

func (s *sentence) split() []word {
	if s.words == nil {
		s.words = split(s.Text)
	}
	return s.words
}

// dates are those in a sentence, counted from now.
func (s *sentence) dates(now time.Time) []dates.Match {
	if !s.dated {
		s.found, s.dated = dates.Find(s.Text, now), true
	}
	return s.found
}

// Sentences splits a text into the sentences of who wrote it. What it quotes
// (lines that begin with ">") is left out, and a signature ends it. Start and End
// are offsets in text. An empty line, a bullet and a rule of dashes part
// sentences; so does a line that is short enough to have ended by itself.
func Sentences(text string) []Sentence {
	text = head(text, MaxText)
	var out []Sentence
	var block []string
	var places []struct{ number, start int } // of its lines
	flush := func() {
		for _, s := range splitLines(block, nil, maxSentences-len(out)) {
			first, last := places[s.Line], places[s.Last]
			out = append(out, Sentence{head(s.Text, MaxSentence), first.number, last.number, first.start + s.Start, last.start + s.End})
		}
		block, places = block[:0], places[:0]
	}
	number, at := -1, 0
	for line := range strings.Lines(text) {
		number++
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		if number == maxLines || len(out) >= maxSentences || isEnd(line, trimmed) {
			break
		}
		bullet := bulletLength(trimmed)
		if trimmed == "" || isQuotation(trimmed) || isRule(trimmed) || bullet > 0 {
			if flush(); bullet == 0 {
				continue
			}
		}
		lead := strings.Index(line, trimmed) + bullet
		block, places = append(block, trimmed[bullet:]), append(places, struct{ number, start int }{number, start + lead})
	}
	flush()
	return out
}

// head returns at most the first limit bytes, at a character.
func head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// isEnd reports whether a line ends what the writer wrote: the mark of a
// signature, or of a message that is quoted whole.
func isEnd(line, trimmed string) bool {
	mark := strings.TrimRight(line, "\r\n")
	return mark == "-- " || mark == "--" || strings.HasPrefix(trimmed, "-----Original") || strings.HasPrefix(trimmed, "----- Original") ||
		strings.HasPrefix(trimmed, "-----Ursprüngliche")
}

// isQuotation reports whether a line was written by somebody else.
func isQuotation(trimmed string) bool {
	if strings.HasPrefix(trimmed, "|") {
		return true
	}
	initials := 0 // "TP> "
	for initials < len(trimmed) && initials < maxInitials && (trimmed[initials]|0x20 >= 'a' && trimmed[initials]|0x20 <= 'z') {
		initials++
	}
	return strings.HasPrefix(trimmed[initials:], ">")
}

// maxInitials is how long a name before a mark of quotation may be.
const maxInitials = 12

// isRule reports whether a line is a mere rule: "-----", "=====", "* * *".
func isRule(trimmed string) bool {
	return len(trimmed) >= 3 && strings.Trim(trimmed, "-=_*~# ") == ""
}

// bulletLength returns how long the mark of an item is with which a line begins.
func bulletLength(trimmed string) int {
	for _, mark := range []string{"- ", "* ", "• ", "– ", "+ "} {
		if strings.HasPrefix(trimmed, mark) {
			return len(mark)
		}
	}
	n := 0
	for n < len(trimmed) && n < 2 && trimmed[n] >= '0' && trimmed[n] <= '9' {
		n++
	}
	if n == 0 || n+1 >= len(trimmed) || trimmed[n] != '.' && trimmed[n] != ')' || trimmed[n+1] != ' ' {
		return 0
	}
	if found := dates.Find(head(trimmed, 24), anyTime); len(found) > 0 && found[0].Start == 0 {
		return 0 // "3. März, 10 Uhr"
	}
	return n + 2
}
