package escalate

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxMessage bounds title and text together, in characters, and maxTitle
	// leaves room for the text.
	maxMessage = 240
	maxTitle   = 150
)

// message is what the person is told of one incident: what it is, why it matters
// now, and what can be done.
func (g *gate) message(l *candidate) *Message {
	at := g.in.At
	m := &Message{Title: subconscious.Shorten(prefix(l)+sentence(l.asked, l.key), maxTitle), Urgent: l.critical}
	if l.due.After(at) {
		m.Expires = l.due
	}
	see := "See: subconsciousctl why " + string(l.telling.ID)
	var facts []string
	if why := reason(l); why != "" {
		facts = append(facts, capital(why))
	}
	if due := dueWords(l, m.Title); due != "" {
		facts = append(facts, due)
	}
	if last, heard := l.telling.Heard(); heard && l.again != "" {
		facts = append(facts, "Told before "+when(last.At, at))
	}
	if can := advice(l); can != "" {
		facts = append(facts, can)
	}
	m.Text = fill(facts, see, maxMessage-runes(m.Title))
	return m
}

// dueWords say when it is due or begins, unless the title has said so.
func dueWords(l *candidate, title string) string {
	at := l.gate.in.At
	switch {
	case l.due.IsZero(), strings.Contains(title, l.due.In(at.Location()).Format("15:04")):
		return ""
	case !isEvent(l.asked, l.own):
		return "Due " + subconscious.Moment(l.due, at)
	case l.due.After(at):
		return "Begins " + subconscious.Moment(l.due, at)
	}
	return "Began " + subconscious.Moment(l.due, at)
}

// advice is what can be done about it, in a few words; "" where it does not
// say.
func advice(l *candidate) string {
	if len(l.own) == 0 || neverPushed(l.asked.Kind) {
		return ""
	}
	o := &l.own[0].Latest
	switch {
	case o.Kind == "unit" || o.Kind == "restarts":
		return unitAdvice(o)
	case o.Kind == "event" && l.asked.Kind == subconscious.KindRisk && len(l.own) > 1:
		return "Move or cancel one of them"
	case o.Sense == "notes" && l.asked.Kind == subconscious.KindDeadline:
		return cmp.Or(advices[o.Kind], "Done? Tick it off in the note")
	}
	return advices[o.Kind]
}

// advices are what can be done about what is wrong with a machine, by the kind of
// the observation.
var advices = map[string]string{
	"disk": "Free some room on it", "inodes": "Delete files that nobody needs", "memory": "Close what takes most of it",
	"swap": "Close what takes most of it", "load": "Look: top", "temperature": "Let it cool", "battery": "Plug it in",
}

// unitAdvice names the command that shows what became of a unit.
func unitAdvice(o *subconscious.Observation) string {
	name, named := strings.CutPrefix(o.ID, o.Kind+":")
	if !named {
		return ""
	}
	command := "systemctl status "
	if own, user := strings.CutPrefix(name, "user/"); user {
		name, command = own, "systemctl --user status "
	}
	if name = plain(name); name == "" || strings.ContainsAny(name, " '\"`$;&|<>()") {
		return ""
	}
	return "Look: " + command + name
}

// prefix says that something is told again, and why.
func prefix(l *candidate) string {
	if _, heard := l.telling.Heard(); !heard {
		return ""
	}
	switch {
	case l.again == againNearer && l.band == subconscious.BandNow:
		return "Now: "
	case l.again == againNearer && l.band == subconscious.BandPast:
		return "Overdue: "
	}
	return map[string]string{
		againWorse: "Worse: ", againNearer: "Nearer: ", againStatus: "Changed: ", againParticipant: "Joined: ",
		againReturned: "Back: ", againReminder: "Reminder: ",
	}[l.again]
}

// sentence is what a request is about.
func sentence(asked subconscious.Asked, key subconscious.IncidentKey) string {
	return cmp.Or(strings.TrimRight(plain(asked.Summary), ". "), keyOf(key))
}

// reason is why it matters now: the thread's own, or what is known without one.
func reason(l *candidate) string {
	why := strings.TrimRight(plain(l.asked.Reason), ". ")
	switch {
	case why != "" && !strings.EqualFold(why, sentence(l.asked, l.key)):
		return why
	case l.severity >= subconscious.Critical:
		return "it is critical"
	case l.severity == subconscious.Warning:
		return "it is a warning"
	case !l.due.IsZero():
		return ""
	}
	return fmt.Sprintf("importance %d of 10", min(max(l.asked.Importance, 1), 10))
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + text[size:]
}

// fill puts facts, each a sentence, before the last one, as far as there is
// room; the first is cut where it is too long.
func fill(facts []string, last string, room int) string {
	room -= runes(last)
	text := ""
	for i, fact := range facts {
		left := room - runes(text) - runes(". ")
		if runes(fact) > left {
			if i > 0 || left < 20 {
				continue
			}
			fact = subconscious.Shorten(fact, left)
		}
		text += subconscious.Ended(fact) + " "
	}
	return text + last
}

// enumerate names as many as there is room for, and counts the rest.
func enumerate(names []string, last string, room int) string {
	for shown := len(names); shown > 0; shown-- {
		text := strings.Join(names[:shown], "; ")
		if rest := len(names) - shown; rest > 0 {
			text += fmt.Sprintf("; and %d more", rest)
		}
		if text = subconscious.Ended(text) + " " + last; runes(text) <= room {
			return text
		}
	}
	tail := " " + last
	if len(names) > 1 {
		tail = fmt.Sprintf("; and %d more. %s", len(names)-1, last)
	}
	return subconscious.Shorten(names[0], room-runes(tail)) + tail
}

var (
	// scheme is what an address begins with that a program would open, and its
	// host.
	scheme = regexp.MustCompile(`(?i)(?:\b[a-z][a-z0-9+.-]{1,20}://+|\b(?:mailto|tel|sms|javascript|data|geo|magnet|intent|market):\b)([^\s/?#]*)`)
	// host is one that many programs open without a scheme.
	host = regexp.MustCompile(`(?i)\bwww\d?(?:\.[a-z0-9-]+)+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,18}(?:(?::[0-9]{1,5})?[/?#]|:[0-9]{1,5}\b)`)
)

// plainRead is how much of a text of others is looked at.
const plainRead = 2 << 10

// plain is a text of others on one line, in which nothing can be clicked: what
// an address begins with is left out, and its host is written with [.] for dots.
func plain(text string) string {
	if len(text) > plainRead {
		text = strings.ToValidUTF8(text[:plainRead], "")
	}
	text = strings.Join(strings.Fields(subconscious.Printable(text)), " ")
	if !strings.ContainsAny(text, ".:") {
		return text
	}
	for range 8 {
		stripped := scheme.ReplaceAllStringFunc(text, func(found string) string {
			return undotted(scheme.FindStringSubmatch(found)[1])
		})
		if stripped == text {
			break
		}
		text = stripped
	}
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "://", " ")), " ")
	return host.ReplaceAllStringFunc(text, undotted)
}

func undotted(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "[.]", "."), ".", "[.]")
}

// runes counts characters as a reader does who is shown 240 of them.
func runes(text string) int { return utf8.RuneCountInString(text) }

// when is a moment within a sentence: "at 09:10", "on Mon 23 Nov at 09:10".
func when(t, at time.Time) string {
	words := subconscious.Moment(t, at)
	if day := strings.LastIndexByte(words, ' '); day > 0 {
		return "on " + words[:day] + " at" + words[day:]
	}
	return "at " + words
}
