package prompts

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// opening and closing stand around what somebody else wrote until the word of
	// the blocks is known, which both bear then: docs/decisions/0033. They are of
	// control characters, and so in no text, and as long as what takes their place.
	opening, closing = "\x02\x02\x02\x02\x02\x02\x02\x02", "\x03\x03\x03\x03\x03\x03\x03\x03"
	// gutter begins each line of a text, so that none looks like one of ours.
	gutter = "    | "
)

// quoted sets off what somebody else wrote.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return opening + text + closing
}

// worded puts a word into what sets off the words of others.
func worded(text, word string) string {
	return strings.NewReplacer(opening, "«"+word+" ", closing, " "+word+"»").Replace(text)
}

// Unquote takes out of what a model wrote what sets off the words of others: some
// copy it.
func Unquote(text string) string { return quotes().ReplaceAllString(text, "") }

var quotes = lazy.Regexp(`«[a-z]{5} ?| ?[a-z]{5}»`)

// oneLine makes one line of text.
func oneLine(text string) string { return strings.Join(strings.Fields(tame(text)), " ") }

// lineBytes bounds what is shown on one line with something else: more than any
// title, summary or hint is allowed.
const lineBytes = 400

// short makes one line of text, cut where it is longer than any should be.
func short(text string, foreign bool) string { return clipped(text, foreign, lineBytes) }

// clipped makes one line of the first limit bytes of text.
func clipped(text string, foreign bool, limit int) string {
	text, cut := head(text, limit)
	if text = oneLine(text); cut {
		text += "…"
	}
	if foreign {
		return quoted(text)
	}
	return text
}

// body makes the lines of a text, each with its gutter and a line break, of at
// most limit bytes together.
func body(text string, limit int) string {
	if limit <= 0 {
		return ""
	}
	text, cut := head(text, limit)
	var out strings.Builder
	for line := range strings.FieldsFuncSeq(text, isBreak) {
		if line = oneLine(line); line == "" {
			continue
		}
		if out.Len()+len(gutter)+len(line)+1 > limit {
			line, _ = head(line, limit-out.Len()-len(gutter)-1)
			cut = true
		}
		if line == "" {
			break
		}
		out.WriteString(gutter)
		out.WriteString(line)
		out.WriteByte('\n')
		if cut && out.Len() >= limit {
			break
		}
	}
	if cut && out.Len() > 0 {
		return strings.TrimSuffix(out.String(), "\n") + "…\n"
	}
	return out.String()
}

// isBreak: what any reader takes for the end of a line.
func isBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// head returns at most the first limit bytes, at the end of a character.
func head(text string, limit int) (short string, cut bool) {
	short = subconscious.Head(text, limit)
	return short, short != text
}

// tame takes from a text what could be mistaken for ours: control and format
// characters, angle brackets, which begin and end blocks and the turns of chat
// templates, square ones that do the latter, and what looks like a reference.
func tame(text string) string {
	if !isPlain(text) {
		text = strings.Map(printable, text)
	}
	return breakReferences(turnTokens.Replace(text))
}

// isPlain: printable ASCII without angle brackets, as most text is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '<' || c == '>' {
			return false
		}
	}
	return true
}

func printable(r rune) rune {
	switch {
	case r == '<' || r == '＜':
		return '‹'
	case r == '>' || r == '＞':
		return '›'
	case r == '｜':
		return '|'
	}
	return subconscious.PrintableRune(r)
}

// turnTokens are the marks in square brackets by which chat templates separate
// turns.
var turnTokens = strings.NewReplacer("[INST]", "(INST)", "[/INST]", "(/INST)", "[SYSTEM_PROMPT]", "(SYSTEM_PROMPT)", "[/SYSTEM_PROMPT]", "(/SYSTEM_PROMPT)",
	"[TOOL_CALLS]", "(TOOL_CALLS)", "[TOOL_RESULTS]", "(TOOL_RESULTS)", "[/TOOL_RESULTS]", "(/TOOL_RESULTS)",
	"[AVAILABLE_TOOLS]", "(AVAILABLE_TOOLS)", "[/AVAILABLE_TOOLS]", "(/AVAILABLE_TOOLS)", "[gMASK]", "(gMASK)")

// breakReferences puts a space into what reads as a reference: those are ours
// to give.
func breakReferences(text string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	for { // one may begin within another
		broken := reference().ReplaceAllString(text, "$1 $2")
		if broken == text {
			return text
		}
		text = broken
	}
}

// reference is the end of a name, a colon, and a hash.
var reference = lazy.Regexp(`([a-z0-9_-]:)([a-z2-7]{10})`)

// wordLetters is how long the word of blocks is: a text cannot hold all of them.
const wordLetters = 5

// token returns a word that none of the texts contains, so that none can close
// a block that carries it. It depends on seed alone, unless one of them holds
// it: what comes before the first difference of two prompts stays the same,
// and so providers can keep it.
func token(seed string, texts ...string) string {
	for i := 0; ; i++ {
		sum := sha256.Sum256([]byte(seed + "\x00" + strconv.Itoa(i)))
		word := ""
		for _, b := range sum[:wordLetters] {
			word += string('a' + rune(b%26)) // digits in it would be taken for a code, and redacted
		}
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, word) }) {
			return word
		}
	}
}

// block puts text between two lines that carry the token. An empty text makes
// no block.
func block(name, token, text string) string {
	if text == "" {
		return ""
	}
	return "<" + name + " " + token + ">\n" + strings.TrimSuffix(text, "\n") + "\n</" + name + " " + token + ">"
}
