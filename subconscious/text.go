package subconscious

import (
	"strings"
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
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}

// stopWords never connect two observations. They are the commonest words of four
// letters and more of the languages that reflex thinking reads, and the words
// that senses themselves write.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		about after again also always another because been before being below between both cannot could does doing done
		down during each every file files first from have having here into just last later least less like long made make
		many more most much must need never next note notes nothing only other over please same send should since some
		soon still such than that their them then there these they thing things this those through time today todo
		tomorrow under until upon very want well were what when where which while will with within without would year
		your yours monday tuesday wednesday thursday friday saturday sunday january february march april june july august
		september october november december week month hour hours minute minutes created changed deleted renamed saved
		meeting call report event calendar full used free readme
		aber alle allem allen aller alles auch beim bitte dann dass dein deine dem denn diese diesem diesen dieser dieses
		doch durch eine einem einen einer eines haben hatte heute hier ihre immer jetzt kann kein keine mehr mein meine
		morgen muss nach nicht noch oder ohne schon sehr sein seine sich sind soll über unter viel vom wann wenn werden
		wird wurde zwischen montag dienstag mittwoch donnerstag freitag samstag sonntag
		alors aussi avec avant cette comme dans depuis deux elle encore entre être fait leur mais même nous pour plus
		quand sans sera sont sous tout toute tous très vers votre vous lundi mardi mercredi jeudi vendredi samedi dimanche
		algo antes como cuando desde donde ella ellos entre esta este esto hace hasta hay luego mañana más mucho muy
		nada para pero porque puede sobre también tiene todo todos lunes martes miércoles jueves viernes sábado domingo`) {
		set[word] = true
	}
	return set
}()

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
	text = withoutMarks(text)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}) {
		word = strings.Trim(word, "-")
		n := utf8.RuneCountInString(word)
		if n < 4 || n > 40 || seen[word] || stopWords[word] {
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
