package prose

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxSentence is how much of a sentence is looked at, in bytes.
	MaxSentence = 1000
	// wrapped is the length from which on a line may have been broken by an
	// editor, so that a capital on the next one begins no new sentence.
	wrapped = 50
	// soft is the length from which on no editor has broken it.
	soft = 100
)

// Sentence is a piece of a block of lines.
type Sentence struct {
	// Text is the sentence on one line. It may be longer than MaxSentence where
	// one line is.
	Text string
	// Line and Last are the lines with which it begins and ends, from 0.
	Line, Last int
	// Start is where it begins in line Line, and End where it ends in line Last.
	Start, End int
}

// Lines splits the lines of a note. Each is a thing of its own, but where it plainly
// goes on: it ends in a comma or a word that leads on, or an editor has broken it. plain
// takes what is not language off a line, and may be nil.
func Lines(lines []string, plain func(string) string) (out []Sentence) {
	first := 0
	for i := range lines {
		if i+1 < len(lines) && goesOn(lines[first], lines[i], lines[i+1]) {
			continue
		}
		for _, s := range splitLines(lines[first:i+1], plain, math.MaxInt) {
			s.Line += first
			s.Last += first
			out = append(out, s)
		}
		first = i + 1
	}
	return out
}

// goesOn reports whether a thing that begins in one line and has reached another goes
// on in the next. Where an editor may have broken it, it does behind an article, and in
// lower case if the thing began with a capital, but for "topic: …".
func goesOn(first, line, next string) bool {
	if wordBefore(line) || len(line) < wrapped || len(line) > soft {
		return wordBefore(line)
	}
	capital, _ := utf8.DecodeRuneInString(first)
	r, _ := utf8.DecodeRuneInString(next)
	before, words := split(line[len(line)-wrapped/2:]), split(head(next, wrapped))
	topic := len(words) > 0 && strings.Contains(next[:words[min(len(words)-1, maxTopic)].start], ":")
	return unicode.IsUpper(capital) && unicode.IsLower(r) && !topic && unicode.IsLetter(lastRune(line)) || len(before) > 0 && is(before[len(before)-1].text, "articles")
}

// splitLines returns at most limit sentences.
func splitLines(lines []string, plain func(string) string, limit int) []Sentence {
	var out []Sentence
	var open strings.Builder
	var s Sentence
	flush := func() {
		if s.Text = strings.TrimSpace(open.String()); s.Text != "" {
			out = append(out, s)
		}
		open.Reset()
	}
	for n, line := range lines {
		if len(out) >= limit {
			break
		}
		if plain != nil {
			line = plain(line)
		}
		if open.Len() > 0 && (startsAnew(lines[n-1], line) || open.Len() > MaxSentence) {
			flush()
		}
		for from := 0; from < len(line) && len(out) < limit; {
			rest := line[from:]
			end := sentenceEnd(rest)
			piece := strings.TrimSpace(rest[:end])
			lead := strings.Index(rest, piece)
			if open.Len() == 0 {
				s = Sentence{Line: n, Start: from + lead}
			} else {
				open.WriteByte(' ')
			}
			open.WriteString(piece)
			s.Last, s.End = n, from+lead+len(piece)
			if end < len(rest) || endsSentence(rest) {
				flush()
			}
			line = strings.TrimRightFunc(line, unicode.IsSpace)
			from = min(from+end, len(line))
			from += len(line[from:]) - len(strings.TrimLeftFunc(line[from:], unicode.IsSpace))
		}
	}
	if len(out) < limit {
		flush()
	}
	return out
}

func startsAnew(before, line string) bool {
	line = strings.TrimSpace(line)
	if _, _, ok := Label(line); ok {
		return true
	}
	r, _ := utf8.DecodeRuneInString(line)
	if begun, ok := Read(line); ok && begun.reading.word == 0 && unicode.IsUpper(r) && !wordBefore(before) {
		return true
	}
	return len(before) < wrapped && !unicode.IsLower(r) && !strings.HasSuffix(strings.TrimSpace(before), ",")
}

// wordBefore reports whether a line ends in a word that a sentence goes on
// after: "… and", "…, dass".
func wordBefore(line string) bool {
	words := split(line[max(0, len(line)-maxWords):])
	if len(words) == 0 || strings.HasSuffix(strings.TrimSpace(line), ",") {
		return true
	}
	last := words[len(words)-1].text
	return is(last, "linking") || is(last, "reporting") || is(last, "conditions")
}

func endsSentence(line string) bool {
	trimmed := strings.TrimRight(line, " \t\"'”’)")
	return trimmed != "" && strings.ContainsRune("!?…", lastRune(trimmed)) || strings.HasSuffix(trimmed, ".") && !isAbbreviation(trimmed[:len(trimmed)-1])
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// sentenceEnd returns where the first sentence of a line ends. A row of marks is
// gone through once, however long it is.
func sentenceEnd(line string) int {
	end, rest := 0, "" // of the last row of marks, and what follows it
	for i, r := range line {
		if r != '.' && r != '!' && r != '?' && r != '…' {
			continue
		}
		if i >= end {
			end = i + utf8.RuneLen(r)
			for end < len(line) && strings.IndexByte(".!?\"')", line[end]) >= 0 {
				end++
			}
			rest = strings.TrimLeft(line[end:], " \t")
		}
		if rest == "" || len(rest) == len(line[end:]) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(rest)
		if r == '.' && (isAbbreviation(line[:i]) && !isI(rest) || unicode.IsLower(next)) {
			continue
		}
		return end
	}
	return len(line)
}

// isI reports whether a text begins with the English "I", before which a dot ends
// a sentence, also behind a number.
func isI(text string) bool {
	return strings.HasPrefix(text, "I ") || strings.HasPrefix(text, "I'") || strings.HasPrefix(text, "I’")
}

// isAbbreviation reports whether a dot behind text ends no sentence: after a
// single letter, a known abbreviation or a number of one or two digits, but for
// the minutes of a time.
func isAbbreviation(text string) bool {
	i := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	last, before := text[i+1:], ' '
	if i >= 0 {
		r, n := utf8.DecodeRuneInString(text[i:])
		last, before = text[i+n:], r
	}
	if last == "" {
		return false
	}
	if strings.TrimLeft(last, "0123456789") == "" {
		return len(last) <= 2 && before != ':'
	}
	return utf8.RuneCountInString(last) == 1 && last != "I" || is(Fold(last), "abbreviations")
}
