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
	// maxMessage bounds title and text together, in characters; maxTitle is what a
	// phone shows of a title in one line.
	maxMessage = 240
	maxTitle   = 60
	// maxNotice is the title of a trouble of the daemon's own.
	maxNotice = 150
)

// message is what the person is told of one incident: who or what, and the point;
// the sentence itself, where others wrote it; when; and one fact that changes what to
// do. What is nowhere else is told by the reason.
func (g *gate) message(l *candidate) *Message {
	at := g.in.At
	point := near(prefix(l)+sentence(l.asked, l.key), at)
	m := &Message{Title: l.title(point), Urgent: l.critical, Priority: l.priority(), Outline: l.outline(), Buttons: l.buttons()}
	if l.due.After(at) {
		m.Expires = l.due
	}
	var facts []string
	quote := l.quote()
	switch {
	case quote != "" && !strings.Contains(m.Title, quote):
		facts = append(facts, "“"+quote+"”")
	case m.Title != point && strings.HasSuffix(point, "…") && len(l.own) > 0 && !isModels(l.asked.Rule):
		facts = append(facts, plain(l.own[0].Latest.Title))
	case m.Title != point:
		facts = append(facts, point)
	}
	mark := ""
	if quote != "" {
		o := l.letter()
		if !isFamiliar(o) && m.Title != point {
			mark = " New to you: " + subconscious.Shorten(undotted(plain(o.Attrs["domain"])), maxTitle/2) + "."
		}
		if was := plain(o.Attrs["corrects"]); was != "" {
			facts = append(facts, "Before: “"+subconscious.Shorten(was, maxNotice/2)+"”")
		}
		if about, answers := l.subject(); (answers || m.Title == point) && !strings.EqualFold(about, quote) {
			facts = append(facts, "About: "+about)
		}
	}
	if when := l.whenWords(m.Title + strings.Join(facts, " ")); when != "" {
		facts = append(facts, when)
	}
	fact := plain(l.asked.Fact)
	if fact == "" && isModels(l.asked.Rule) {
		fact = plain(l.asked.Reason)
	}
	if fact = strings.TrimRight(fact, ". "); fact != "" && !strings.EqualFold(fact, sentence(l.asked, l.key)) {
		facts = append(facts, capital(subconscious.Shorten(near(fact, at), 100)))
	}
	if len(facts) == 0 {
		facts = append(facts, capital(reason(l)))
	}
	m.Text = fill(facts, maxMessage-runes(m.Title+mark)) + mark
	return m
}

// isModels reports whether a model wrote what a finding of that rule says, or nobody
// knows who: its reason is about the thing, and no rule's.
func isModels(rule string) bool { return rule == "" || strings.HasPrefix(rule, "model ") }

// letter is the letter of somebody else that a request is about; nil for none.
func (l *candidate) letter() *subconscious.Observation {
	if len(l.own) == 0 || l.own[0].Latest.Sense != "mail" || l.own[0].Latest.Attrs["from"] == "" || isOwnLetter(&l.own[0].Latest) {
		return nil
	}
	return &l.own[0].Latest
}

// quote is what a letter says in its own words; "" for none.
func (l *candidate) quote() string {
	if o := l.letter(); o != nil {
		return subconscious.Shorten(strings.Trim(plain(o.Attrs["quote"]), "“”\""), quoted)
	}
	return ""
}

// quoted is how many characters of a letter are quoted.
const quoted = 176

// answering is what is before the subject of an answer.
var answering = regexp.MustCompile(`(?i)^(?:\s*(?:re|aw|antw|sv|fwd?|wg|tr|rv|i|r|ref)\s*:)+\s*`)

// subject is what a letter is about, in its writer's words; answers: in those of the
// letter that it answers.
func (l *candidate) subject() (about string, answers bool) {
	_, title, _ := strings.Cut(plain(l.letter().Title), ": ")
	about = answering.ReplaceAllString(title, "")
	return about, about != title
}

// title is the point within maxTitle characters. Of a letter whose sentence is longer
// it is who wrote and about what, as far as that says it, and as much of the sentence as
// there is room for; when it is stays in.
func (l *candidate) title(point string) string {
	if runes(point) <= maxTitle {
		return point
	}
	o := l.letter()
	if o == nil && !isModels(l.asked.Rule) && (isEvent(l.asked, l.own) || l.asked.Source == "health") && l.asked.Kind != subconscious.KindPreparation {
		return middle(point) // a rule says at the end when, or how much
	}
	if o != nil && !isModels(l.asked.Rule) {
		who, _, _ := strings.Cut(plain(o.Title), ": ")
		if who = subconscious.Shorten(who, maxTitle/2); !isFamiliar(o) {
			who = "Mail from " + subconscious.Shorten(who, maxTitle/3)
		}
		point = prefix(l) + who
		if about, answers := l.subject(); !answers {
			point += ": " + about
		}
		if quote := strings.TrimLeft(l.quote(), "… "); quote != "" && runes(point) < maxTitle/2 {
			point += ": " + quote
		}
	}
	when := ""
	if t, day := l.when(); t.After(l.gate.in.At) && l.saysWhen() {
		if when = moment(t, l.gate.in.At, day); strings.Contains(subconscious.Shorten(point, maxTitle), when[strings.LastIndexByte(when, ' ')+1:]) {
			when = ""
		}
	}
	if when == "" {
		return subconscious.Shorten(point, maxTitle)
	}
	return subconscious.Shorten(point, maxTitle-runes(when)-3) + " · " + when
}

// aside is what the text of a message says and its title need not: from when until when
// each of two events lasts, and when what was moved was to be.
var aside = regexp.MustCompile(`(?:,? \d\d:\d\d–\d\d:\d\d)(?: \(was [^)]*\))?| from .{5,24}( to )`)

// middle is a text within maxTitle characters, of which the middle is left out: what
// stands behind its last " to ", " and " or ", " says when, or with what.
func middle(text string) string {
	if text = aside.ReplaceAllString(text, "$1"); runes(text) <= maxTitle {
		return text
	}
	tail := ""
	for _, before := range []string{" moved to ", " and ", ", "} {
		if i := strings.LastIndex(text, before); i > 0 {
			text, tail = text[:i], subconscious.Shorten(text[i:], maxTitle/2)
			break
		}
	}
	return subconscious.Shorten(text, maxTitle-runes(tail)) + tail
}

// outline is who or what it is, and when, without a word of what is said: for channels
// that others can read.
func (l *candidate) outline() string {
	who := "Something"
	switch o := l.letter(); {
	case o != nil && isFamiliar(o):
		who, _, _ = strings.Cut(plain(o.Title), ": ")
	case o != nil:
		who = "Somebody new"
	case len(l.own) > 0 && isMachine(classOf(&l.own[0].Latest)) && !l.own[0].Latest.Declared():
		who = sentence(l.asked, l.key)
	case len(l.own) > 0:
		who = cmp.Or(unsaid[l.own[0].Latest.Sense], who)
	}
	who = subconscious.Shorten(prefix(l)+who, maxTitle-20)
	if t, day := l.when(); t.After(l.gate.in.At) {
		who += ", " + moment(t, l.gate.in.At, day)
	}
	return who
}

// unsaid is what an observation of a sense is called without a word of it.
var unsaid = map[string]string{"mail": "Your own letter", "calendar": "An appointment", "notes": "A note of yours", "files": "A file",
	"conversation": "A conversation", "health": "This machine", "exec": "A source of yours", "post": "A source of yours", "feeds": "A feed"}

// when is the time that a request is about: when it is due, or the time that a letter
// names; day: no time of that day is known.
func (l *candidate) when() (t time.Time, day bool) {
	t = l.due
	if o := l.letter(); o != nil {
		if named, err := time.Parse(time.RFC3339, o.Attrs["names_at"]); err == nil && named.After(l.gate.in.At) && (t.IsZero() || !named.After(t)) {
			return named, false
		}
	}
	// What has a day alone is due at dates.DueHour of it, or before midnight.
	clock := t.In(l.gate.in.At.Location()).Format("15:04")
	day = !t.IsZero() && !isEvent(l.asked, l.own) && (clock == "18:00" || clock == "23:59") && !strings.Contains(l.asked.Summary, clock)
	return t, day
}

// timesOfDay are those of a quotation. Of more than one nobody knows which it is about.
var timesOfDay = regexp.MustCompile(`(?i)\b(?:[01]?\d|2[0-4])[:.h][0-5]\d\b|\d ?(?:h|uhr|am|pm)\b`)

// saysWhen reports whether the time that it is about is to be named beside what is
// quoted.
func (l *candidate) saysWhen() bool { return len(timesOfDay.FindAllString(l.quote(), 2)) < 2 }

// whenWords say when it is due or begins, unless the title has said so.
func (l *candidate) whenWords(title string) string {
	at := l.gate.in.At
	t, day := l.when()
	if t.IsZero() || !l.saysWhen() {
		return ""
	}
	said := moment(t, at, day)
	told := strings.Contains(title, said[strings.LastIndexByte(said, ' ')+1:])
	switch minutes := int(t.Sub(at).Round(time.Minute).Minutes()); {
	case !day && minutes == 1:
		return "In a minute"
	case !day && minutes == 120:
		return "In two hours"
	case !day && minutes > 1 && minutes < 120:
		return fmt.Sprintf("In %d minutes", minutes)
	case told:
		return ""
	case !t.After(at):
		return "Since " + said
	}
	return capital(said)
}

// buttons are the answers that fit: what is over by tomorrow at nine, or a letter that
// does not wait, cannot come again tomorrow, and what is wrong with a machine is no
// matter of taste.
func (l *candidate) buttons() []string {
	at, all := l.gate.in.At, []string{"useful"}
	if t, _ := l.when(); (l.letter() == nil || l.priority() <= today) && (t.IsZero() || !t.Before(time.Date(at.Year(), at.Month(), at.Day()+1, 9, 0, 0, 0, at.Location()))) {
		all = append(all, "tomorrow")
	}
	if len(l.own) == 0 || !isMachine(classOf(&l.own[0].Latest)) {
		all = append(all, "not_useful")
	}
	return append(all, "mute")[:min(len(all)+1, 3)]
}

// moment is a time as a person says it: "tonight 19:00", "tomorrow", "Thu 26 Nov 09:10".
func moment(t, at time.Time, day bool) string {
	layout := "Mon 2 Jan 15:04"
	if day {
		layout = "Mon 2 Jan"
	}
	return near(t.In(at.Location()).Format(layout), at)
}

// tonight finds the times of an evening.
var tonight = regexp.MustCompile(`\b([Tt])oday (1[89]:[0-5]\d|2[0-3]:[0-5]\d)\b`)

// near is a text that says "today", "tonight" and "tomorrow" where it has the date.
func near(text string, at time.Time) string {
	for n, word := range []string{"today", "tomorrow"} {
		for _, layout := range []string{"on Mon 2 Jan 2006", "Mon 2 Jan 2006", "on Mon 2 Jan", "Mon 2 Jan"} {
			text = strings.ReplaceAll(text, at.AddDate(0, 0, n).Format(layout), word)
		}
	}
	return tonight.ReplaceAllString(text, "${1}onight $2")
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
		againWorse: "Worse: ", againStatus: "Changed: ", againParticipant: "Joined: ",
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
	case len(l.own) > 0 && l.own[0].Latest.Declared() && isOurs(&l.own[0].Latest):
		return subconscious.Shorten(plain(cmp.Or(l.own[0].Latest.Text, "reported by "+l.own[0].Latest.Instance)), quoted)
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

// fill joins facts, each a sentence, as far as they leave room for the first, which is
// cut where it is too long beside the others.
func fill(facts []string, room int) string {
	least, rest := 60, ""
	if strings.HasSuffix(facts[0], "”") {
		least = runes(facts[0])
	}
	for _, fact := range facts[1:] {
		if more := " " + subconscious.Ended(fact); runes(rest)+runes(more) <= room-least {
			rest += more
		}
	}
	first, left := facts[0], room-runes(rest)
	switch inside, quoted := strings.CutSuffix(first, "”"); {
	case quoted && runes(first) > left:
		first = subconscious.Shorten(inside, left-1) + "”"
	case !quoted:
		first = subconscious.Shorten(subconscious.Ended(first), left)
	}
	return first + rest
}

// enumerate names as many as there is room for, and counts the rest.
func enumerate(names []string, last string, room int) string {
	for shown := len(names); shown > 0; shown-- {
		text := strings.Join(names[:shown], "; ")
		if rest := len(names) - shown; rest > 0 {
			text += fmt.Sprintf("; and %d more", rest)
		}
		if text = strings.TrimSpace(subconscious.Ended(text) + " " + last); runes(text) <= room {
			return text
		}
	}
	tail := " " + last
	if len(names) > 1 {
		tail = fmt.Sprintf("; and %d more. %s", len(names)-1, last)
	}
	return strings.TrimSpace(subconscious.Shorten(names[0], room-runes(tail)) + tail)
}

var (
	// scheme is what an address begins with that a program would open, and its
	// host.
	scheme = regexp.MustCompile(`(?i)(?:\b[a-z][a-z0-9+.-]{1,20}://+|\b(?:mailto|tel|sms|javascript|data|geo|magnet|intent|market):\b)([^\s/?#]*)`)
	// host is one that many programs open without a scheme.
	host = regexp.MustCompile(`(?i)\bwww\d?(?:\.[a-z0-9-]+)+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,18}(?:(?::[0-9]{1,5})?[/?#]|:[0-9]{1,5}\b)`)
)

// isFile finds what looks like a host and is none: it ends as files do, and no domain.
var isFile = regexp.MustCompile(`(?i)\.(?:ya?ml|jsonl?|ics|txt|log|conf|toml|ini|db|pem|key|crt|service|timer)(?::[0-9]+)?[/?#]?$`)

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
	return host.ReplaceAllStringFunc(text, func(found string) string {
		if isFile.MatchString(found) && !strings.HasPrefix(strings.ToLower(found), "www") {
			return found
		}
		return undotted(found)
	})
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
