package notify

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxWords is how many characters title and text have together.
	maxWords = 240
	// maxRaw bounds the bytes of either that are looked at: a secret that is
	// cut here is cut again long before it could be shown.
	maxRaw = 4 << 10
	// repeatedMark is in the title of what may have arrived before.
	repeatedMark = " (possibly repeated)"
)

// words returns what is kept of a message: plain, without secrets, and within
// maxWords.
func words(title, text string, redact func(string) string) (string, string) {
	title = cut(plain(redact(plain(title))), maxWords)
	return title, cut(plain(redact(plain(text))), maxWords-utf8.RuneCountInString(title))
}

// plain makes one line of a text: no control characters, nothing that turns
// the direction of writing around, and single spaces.
func plain(text string) string {
	if len(text) > maxRaw {
		text = text[:maxRaw]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c, r == 0xfeff,
			r >= 0xe0000 && r <= 0xe007f, unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.Join(strings.Fields(text), " ")
}

// minCut is how many characters of a text are worth showing.
const minCut = 16

// cut shortens a text to that many characters, between words where it can. A
// few letters of it are none.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	if limit < minCut {
		return ""
	}
	runes := []rune(text)[:limit-1]
	short := string(runes)
	if space := strings.LastIndexByte(short, ' '); space > len(short)*2/3 {
		short = short[:space]
	}
	return strings.TrimRight(short, " ") + "…"
}

// hidden is what a channel that may carry no content says.
var hidden = map[Kind]string{
	KindIncident: "There is something to look at",
	KindProposal: "There is something to decide at home",
	KindDigest:   "There is a digest to read",
	KindNotice:   "subconsciousd has something to say about itself",
	KindRun:      "An action is carried out: see subconsciousctl undo --list",
	KindTest:     "A test message of subconsciousd",
}

// carried returns the words of a message as a channel may carry them.
func (r row) carried(content Content) (title, text string) {
	switch content {
	case ContentFull:
		title, text = r.Title, r.Text
	case ContentTitle:
		title = r.Title
	default:
		title = hidden[r.Kind]
		text = cmp.Or(r.Proposal, string(r.Incident))
	}
	if !r.Repeated {
		return title, text
	}
	title = cut(title, maxWords-len(repeatedMark)) + repeatedMark
	return title, cut(text, maxWords-utf8.RuneCountInString(title))
}

// Printable makes one line of a text, and takes out what is no text, which ends
// the connection to some channels. What joins letters and pictures stays.
func Printable(text string) string {
	const joiner, nonJoiner = '\u200d', '\u200c'
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == joiner || r == nonJoiner:
			return r
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}
