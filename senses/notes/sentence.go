package notes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/redact"
)

const (
	// maxSentence is how much of a sentence is looked at, in bytes.
	maxSentence = 1000
	// wrapped is the length from which on a line may have been broken by an
	// editor, so that a capital on the next one begins no new sentence.
	wrapped = 50
)

// sentence is a piece of a block.
type sentence struct {
	text       string
	line, last int // of the block's lines
}

// sentences splits the lines of a block. Two lines are one sentence where the
// first is as long as an editor makes it, or the next goes on in lower case.
func sentences(lines []string) []sentence {
	var out []sentence
	var open strings.Builder
	from, last := 0, 0
	flush := func() {
		if s := strings.TrimSpace(open.String()); s != "" {
			out = append(out, sentence{text: s, line: from, last: last})
		}
		open.Reset()
	}
	for n, line := range lines {
		line = plainText(line)
		if open.Len() > 0 && (startsAnew(lines[n-1], line) || open.Len() > maxSentence) {
			flush()
		}
		for line != "" {
			if open.Len() == 0 {
				from = n
			} else if open.Len() > 0 {
				open.WriteByte(' ')
			}
			last = n
			end := sentenceEnd(line)
			open.WriteString(strings.TrimSpace(line[:end]))
			if ended := end < len(line) || endsSentence(line); ended {
				flush()
			}
			line = strings.TrimSpace(line[end:])
		}
	}
	flush()
	for i := range out {
		out[i].text = cutText(out[i].text, maxSentence)
	}
	return out
}

func startsAnew(before, line string) bool {
	line = strings.TrimSpace(line)
	if _, ok := readLabel(line); ok {
		return true
	}
	r, _ := utf8.DecodeRuneInString(line)
	if begun, _, ok := readSentence(line); ok && begun.word == 0 && unicode.IsUpper(r) && !wordBefore(before) {
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
	return linking[last] || reporting[last] || conditions[last]
}

func endsSentence(line string) bool {
	trimmed := strings.TrimRight(line, " \t\"'”’)")
	return trimmed != "" && strings.ContainsRune("!?…", lastRune(trimmed)) || strings.HasSuffix(trimmed, ".") && !isAbbreviation(trimmed[:len(trimmed)-1])
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// sentenceEnd returns where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i, r := range line {
		if r != '.' && r != '!' && r != '?' && r != '…' {
			continue
		}
		end := i + utf8.RuneLen(r)
		for end < len(line) && strings.IndexByte(".!?\"')", line[end]) >= 0 {
			end++
		}
		rest := strings.TrimLeft(line[end:], " \t")
		if rest == "" || len(rest) == len(line[end:]) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(rest)
		if r == '.' && (isAbbreviation(line[:i]) || unicode.IsLower(next)) {
			continue
		}
		return end
	}
	return len(line)
}

var abbreviations = setOf(`dr mr mrs ms prof st nr no ca bzw usw etc vs ing jan feb mar apr jun jul aug sep sept oct okt nov
	dec dez dic déc févr janv art abs tel max min inkl sra sr sres evtl ggf str bspw approx inc ltd mo di mi do fr sa so`)

// isAbbreviation reports whether a dot behind text ends no sentence: after a
// single letter, a known abbreviation or a number of one or two digits.
func isAbbreviation(text string) bool {
	i := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	last := text[i+1:]
	if i >= 0 {
		_, n := utf8.DecodeRuneInString(text[i:])
		last = text[i+n:]
	}
	if last == "" {
		return false
	}
	if strings.TrimLeft(last, "0123456789") == "" {
		return len(last) <= 2
	}
	return utf8.RuneCountInString(last) == 1 && last != "I" || abbreviations[fold(last)]
}

// cutText cuts text to at most limit bytes, at the end of a character.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return headOf(redact.Text(headOf(text, limit+beyondCut)), limit)
}

// beyondCut is how far beyond a cut a secret is looked for that the cut would
// go through: half of one is no longer known for what it is.
const beyondCut = 512

// headOf returns at most the first limit bytes, at a character.
func headOf(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
