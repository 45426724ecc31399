package deliberate

import (
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxMessage is how many characters title and text have together; a title
	// has at most maxTitle of them, so that there is room for what is said.
	maxMessage = 240
	maxTitle   = 120
	// maxReason is how many characters a reason has, maxWords what an action
	// would do.
	maxReason = 200
	maxWords  = 120
	// maxRead is how many bytes of a short text of a model are looked at.
	maxRead = 4 << 10
)

// spoken is a short text of a model: one line without secrets, in which nothing
// can be followed where a stranger or an agent may have had a word in it, or nobody
// knows who had.
func (w *Worker) spoken(text string, taint escalate.Taint, most int) string {
	if len(text) > maxRead {
		text = strings.ToValidUTF8(text[:maxRead], "")
	}
	text = oneLine(w.Redact(oneLine(text)))
	if len(taint.Words) == 0 || taint.Has(subconscious.Outsider) || taint.Has(subconscious.Agent) {
		text = Defang(text)
	}
	return subconscious.Shorten(text, most)
}

// mechanical is a piece of a message that a rule makes: whatever it holds of
// others cannot be followed.
func (w *Worker) mechanical(text string, most int) string {
	return w.spoken(text, escalate.Taint{}, most)
}

// heading is the mechanical title of an escalation. It may hold what a stranger
// wrote, as the subject of a mail or the name of a file: no address in it can
// be followed, but where nothing was shown but the words of the person and the
// machine.
func (w *Worker) heading(e Escalation, taint escalate.Taint) string {
	return w.spoken(e.Template.Title, taint, maxTitle)
}

// room is how many characters are left for a text.
func room(title string) int { return maxMessage - utf8.RuneCountInString(title) }

// joined is a text with its end, within so many characters: the text is cut, and
// its end is not.
func joined(text, end string, most int) string {
	left := most - utf8.RuneCountInString(end)
	if text = subconscious.Shorten(text, left); left < 8 || text == "" {
		return subconscious.Shorten(strings.TrimSpace(end), most)
	}
	return text + end
}

// clip shortens a longer text to so many bytes, and says so.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = "\n[cut]"
	if most < len(more) {
		return ""
	}
	return strings.ToValidUTF8(text[:most-len(more)], "") + more
}
