package notify

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
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

// plain makes one line of a text.
func plain(text string) string { return subconscious.Line(text[:min(len(text), maxRaw)]) }

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
	return subconscious.Shorten(text, limit)
}

// hidden is what a channel that may carry no content says.
var hidden = map[Kind]string{
	KindIncident: "There is something to look at",
	KindProposal: "There is something to decide at home",
	KindDigest:   "There is a digest to read",
	KindNotice:   "subconsciousd has something to say about itself",
	KindClear:    "Something is over: see subconsciousctl inbox",
	KindAnswered: "Your answer was taken",
	KindRun:      "An action is carried out: see subconsciousctl undo --list",
	KindTest:     "A test message of subconsciousd",
}

// explained are the commands that tell more, where there is a command line.
var explained = map[Kind]string{KindIncident: "why ", KindProposal: "approve ", KindDigest: "inbox"}

// priority is 0 of what was posted before there were any.
func (r row) priority() int {
	if r.Priority == 0 && r.Urgent {
		return Now
	}
	return cmp.Or(r.Priority, Today)
}

// carried returns the words of a message as a channel may carry them.
func (r row) carried(over Channel) (title, text string) {
	switch over.Content {
	case ContentFull:
		title, text = r.Title, r.Text
		if see := explained[r.Kind]; over.Home && see != "" {
			see = " See: subconsciousctl " + strings.TrimSpace(see+cmp.Or(r.Proposal, string(r.Incident)))
			text = strings.TrimSpace(cut(text, maxWords-utf8.RuneCountInString(title+see)) + see)
		}
	case ContentTitle:
		title = cmp.Or(r.Outline, r.Title)
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
