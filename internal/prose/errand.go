package prose

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

const (
	// maxChore is how many words a chore may have beside its time.
	maxChore = 5
	// maxNoted is how many words a line of notes may have that says what is, with a day.
	maxNoted = 40
	// maxTopic is how many words may stand before the colon of "Steuer: …".
	maxTopic = 4
	// maxThing is how many words a dated appointment may have.
	maxThing = 8
)

// anyTime stands for now where only the words of a date matter: where now
// stands never decides whether there is one.
var anyTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// prose is a sentence in which something may stand that is to be done at its date.
type prose struct {
	text   string
	words  []word
	inDate []bool // of the words
	date   dates.Match
	first  int // the word with which date begins
	last   int // and the one behind it
}

// Oblige reads "Call the bank on 3 March" and "Notar: 10.03.2026 17:30", an Errand or a
// Visit that stands in prose with a date, without a box, a label or a word of its writer's.
// What may be a memory, a report, a rule or a doubt is left alone: a promise that is none
// annoys every day.
func Oblige(s string) (Form, bool) { return oblige(s, dates.Find(s, anyTime)) }

func oblige(s string, found []dates.Match) (Form, bool) {
	date, ok := ownDate(s, found)
	if best, _ := BestDate(found); !ok || best != date {
		return "", false
	}
	p, ok := look(s, found, date)
	if !ok {
		return "", false
	}
	if p.isErrand() {
		return Errand, true
	}
	form := p.thing()
	return form, form != ""
}

// isOpen reports whether a sentence asks, doubts or depends on something else.
func isOpen(s string, words []word) bool {
	return len(words) == 0 || isQuestion(s) || has(words, "doubting") || conditional(words)
}

// isQuestion reports whether a sentence ends with a mark.
func isQuestion(s string) bool { return strings.HasSuffix(strings.TrimRight(s, " \"'”’)»"), "?") }

// look takes a sentence apart; ok is false for a question, a doubt, a condition, and what
// is called off.
func look(s string, found []dates.Match, date dates.Match) (p prose, ok bool) {
	p = prose{text: s, words: split(s), date: date, first: -1}
	if isOpen(s, p.words) || strings.ContainsAny(s, "`|") || anyOf(p.words, "calledOff") {
		return p, false
	}
	p.inDate = make([]bool, len(p.words))
	for i, w := range p.words {
		p.inDate[i] = slices.ContainsFunc(found, func(m dates.Match) bool { return w.start < m.End && w.end > m.Start })
		if w.start < date.End && w.end > date.Start {
			if p.first < 0 {
				p.first = i
			}
			p.last = i + 1
		}
	}
	return p, p.first >= 0 // else it is beyond the words that are looked at
}

// Noted reads what Oblige does, and what only a note says: a chore, until when a thing is
// so (Lasting), and in the item of a list, until when it has to be done.
func Noted(s string, item bool) (Form, bool) {
	found := dates.Find(s, anyTime)
	form, ok := oblige(s, found)
	date, dated := BestDate(found)
	if !ok && item && mustBe(s, found) {
		return Errand, true
	}
	if ok || !dated || since(s, date) {
		return form, ok
	}
	p, ok := look(s, found, date)
	switch {
	case !ok || anyOf(p.words, "past"):
	case !date.DateOnly && !slices.ContainsFunc(found, func(m dates.Match) bool { return m.Day || !m.Till && m != date }) && (p.isErrand() || p.isChore()):
		return Errand, true
	case date.Till && anyOf(p.words, "telling") && !anyOf(p.words, "speaking"): // "the backup is off until Monday"
		return Lasting, true
	}
	return "", false
}

// mustBe reports whether a line says of a thing until when it has to be done, or back:
// "form must be in by Thursday". What people have to be, or tell, is none.
func mustBe(s string, found []dates.Match) bool {
	date, ok := ownDate(s, found)
	words := split(s)
	from, to, must := find(words, "mustBe")
	if !must {
		from, to, must = find(words, "mustBeThere")
		if p := (prose{text: s, words: words}); must && from > 0 && (p.upper(from-1) || is(words[from-1].text, "speaking")) && !is(text(words, from-2), "articles") {
			return false
		}
	}
	return ok && date.Deadline && must && !isOpen(s, words) && !anyOf(words[:from], "reporting") && !quoted(s, words[from].start) && !anyOf(words[from:to], "denying")
}

// isChore reports whether a line is a time of the day on which it is written, and a few
// words before or behind that: "cake out at 12:55", "12:55 turn off the oven". What tells
// of what was is none, and neither is what is called by a name: "10:30 Standup".
func (p *prose) isChore() bool {
	own := p.words[:p.first]
	if p.first == 0 && p.last < len(p.words) && !p.upper(p.last) {
		own = p.words[p.last:]
	} else if p.last != len(p.words) {
		return false
	}
	return !p.date.Deadline && len(own) > 0 && len(own) <= maxChore && !strings.HasSuffix(p.text, ".") &&
		!is(own[0].text, "articles") && !tells(own) && !anyOf(own, "telling") && !anyOf(own, "stamps")
}

// tells reports whether words say that somebody tells something, or refuses it.
func tells(words []word) bool {
	return anyOf(words, "speaking") || anyOf(words, "reporting") || anyOf(words, "refusing")
}

// ownDate returns the one day on which, or until when, something is to be done:
// neither that of a letter ("the invoice of 3 March") nor one of several.
func ownDate(s string, found []dates.Match) (dates.Match, bool) {
	var own []dates.Match
	for _, m := range found {
		if !m.Day || since(s, m) {
			continue
		}
		if m.Deadline {
			return m, true
		}
		own = append(own, m)
	}
	if len(own) != 1 {
		return dates.Match{}, false
	}
	return own[0], true
}

// wordBeforeDate returns the last word before a date.
func wordBeforeDate(s string, m dates.Match) string {
	words := split(s[max(0, m.Start-maxLeading):m.Start])
	return text(words, len(words)-1)
}

// maxLeading is how many bytes before a date are looked at.
const maxLeading = 40

// since reports whether a date says from when something is, or is counted from
// an event that the sentence does not tell ("reply within 7 days").
func since(s string, m dates.Match) bool {
	first := split(m.Text)
	return len(first) > 0 && (is(first[0].text, "sinceWords") && text(first, 1) != "am" || is(first[0].text, "spanWords")) || is(wordBeforeDate(s, m), "sinceWords")
}

// between returns what stands between word i and the one before it.
func (p *prose) between(i int) string { return p.text[p.words[i-1].end:p.words[i].start] }

// begin returns the word with which an imperative may begin: behind a date, a
// courtesy and what it is about ("Steuer: …"). ok is false where somebody else
// is speaking.
func (p *prose) begin() (i int, ok bool) {
	topic := 0
	for i < len(p.words) {
		if p.inDate[i] || is(p.words[i].text, "courtesy") {
			i++
			continue
		}
		next := p.behindTopic(i)
		if topic > 0 || next == 0 {
			break
		}
		if tells(p.words[i:next]) {
			return 0, false
		}
		topic, i = next, next
	}
	if topic > 0 && p.first >= topic && p.first < i && !p.date.DateOnly && i < len(p.words) && strings.Contains(p.between(i), ",") {
		return 0, false // "Notar: 10.03. 17:30, Ausweis mitnehmen" is an appointment
	}
	return i, i < len(p.words) && !strings.ContainsAny(p.text[:p.words[i].start], "“„«\"")
}

// thing reads a line as people note things down, in no sentence: "contrôle technique avant
// le 15/07", "compleanno Paola: 8 novembre", "Hugo pediatra vie 8 a las 18:00", "Anna:
// Freitag 14 Uhr", "passport expires 3 May". What tells, or names a mere weekday with no
// limit, or one of each week, is none, and without a time what ends as a sentence does.
func (p *prose) thing() Form {
	if strings.ContainsAny(p.text, "“„«\"") || seconds().MatchString(p.text) {
		return ""
	}
	from, end := p.first, p.clause(p.last-1)
	for from > 0 && (from == p.first && p.between(from) == ", " || !strings.ContainsAny(p.between(from), ",;:!…()–—")) {
		from--
	}
	before, own, ends := p.words[:p.first], slices.Concat(p.words[from:p.first], p.words[p.last:end]), has(p.words, "expiring")
	timed := !ends && !p.date.DateOnly && !p.date.Deadline
	if anyOf(own, "telling") || anyOf(before[from:], "refusing") || !timed && anyOf(before, "speaking") || anyOf(before, "reporting") || anyOf(p.words, "records") ||
		!ends && (is(p.words[0].text, "articles") || anyOf(p.words[:end], "stamps")) {
		return ""
	}
	lead := strings.TrimSpace(p.text[:p.date.Start])
	named := lead != "" && strings.ContainsRune(":–—-", lastRune(lead)) || strings.HasPrefix(strings.TrimSpace(p.text[p.date.End:]), ":")
	switch {
	case timed && from == 0 && len(own) > 0 && len(own) <= maxThing && (!p.date.Weekday || anyOf(own, "appointments")):
		return Visit
	case strings.HasSuffix(p.text, ".") && p.date.End < len(p.text) || len(p.words) > maxNoted:
		return ""
	case p.date.Deadline || ends && p.first > 0:
		return Errand
	case p.date.Weekday && (p.date.DateOnly || !named || anyOf(p.words, "weekly")) || !strings.ContainsAny(p.date.Text, "0123456789") ||
		isISO(p.date.Text) || len(p.words)-(p.last-p.first) > maxThing && !named:
		return ""
	case p.last-p.first < len(p.words) && (named || end == p.last):
		return Visit
	}
	return ""
}

// isISO reports whether a date is written as logs write it.
func isISO(date string) bool { return len(date) > 4 && date[4] == '-' }

func (p *prose) behindTopic(i int) int {
	for j := i + 1; j < len(p.words) && j <= i+maxTopic; j++ {
		if p.inDate[j] && p.inDate[j-1] {
			continue
		}
		if strings.ContainsAny(p.between(j), ":–—") {
			return j
		}
	}
	return 0
}

// clause returns the words from i to the next pause, a date behind it included.
func (p *prose) clause(i int) (end int) {
	for end = i + 1; end < len(p.words); end++ {
		if strings.ContainsAny(p.between(end), ",;:!…()–—\"„“«»") && !p.inDate[end] {
			break
		}
	}
	return end
}

// isErrand reports whether a sentence begins with an imperative or infinitive
// of doing, or ends with a German one, and its date is of that clause.
func (p *prose) isErrand() bool {
	i, ok := p.begin()
	if !ok {
		return false
	}
	end := p.clause(i)
	if p.first >= end {
		return false
	}
	for j := i; j < end; j++ {
		if is(p.words[j].text, "telling") && !p.inDate[j] {
			return false
		}
	}
	return p.englishErrand(i, end) || p.endsInInfinitive(i, end) || p.beginsWithInfinitive(i, end)
}

// upper reports whether a word is written with a capital.
func (p *prose) upper(i int) bool {
	r, _ := utf8.DecodeRuneInString(p.text[p.words[i].start:])
	return unicode.IsUpper(r)
}

// englishErrand knows verbs that are no other thing there, and with an object or a name
// behind them those that are nouns as well: "order 4711 arrives", "return flight".
func (p *prose) englishErrand(i, end int) bool {
	verb, noun := is(p.words[i].text, "englishErrands"), is(p.words[i].text, "englishNouns")
	if i+1 >= end || p.inDate[i+1] || p.words[i].accent {
		return false
	}
	next := p.words[i+1].text
	return (verb || noun) && is(next, "englishObject") || verb && !is(next, "englishLink") || noun && p.upper(i+1)
}

// endsInInfinitive reports whether a clause ends as German ones of doing do: "… zurückrufen".
func (p *prose) endsInInfinitive(i, end int) bool {
	last, others := -1, 0
	for j := i; j < end; j++ {
		if !p.inDate[j] {
			last = j
			others++
		}
	}
	return others > 1 && !p.upper(last) && slices.Contains(tongues(p.words), "german") && infinitive(p.words[last].text, "en", "ern", "eln") && !participle().MatchString(p.words[last].text)
}

// participle knows the strong ones: zurückgerufen, but not abgeben.
var participle = lazy.Regexp(`^(?:ab|an|auf|aus|bei|durch|ein|fest|heraus|hin|los|mit|nach|um|vor|vorbei|weg|weiter|zu|zuruck|zusammen)?ge.{4}`)

// beginsWithInfinitive reports whether a clause begins as French, Spanish, Italian and
// Portuguese ones of doing do: "rappeler …", "llamarlo …".
func (p *prose) beginsWithInfinitive(i, end int) bool {
	for i < end-1 && is(p.words[i].text, "frenchPronoun") {
		i++
	}
	return i+1 < end && !p.inDate[i] && !p.words[i].accent && romanceInfinitive(p.words[i].text) && !is(p.words[i].text, "infinitiveNouns")
}

// seconds are those of a time stamp.
var seconds = lazy.Regexp(`\d:\d\d:\d\d`)

// Settles reports whether a sentence says of the one before it that it is done.
func Settles(sentence string) bool { return begins(split(sentence), "settled") }

// Finishes reports whether a sentence says that its writer has done what it
// names: "Sent the plan.", "I called the plumber.", "Ich habe die Miete bezahlt."
func Finishes(sentence string) bool {
	words := split(sentence)
	return begins(words, "settled") || begins(words, "finished") && !anyOf(words, "denying")
}

// IsRecord reports whether a name or a heading is that of a log, of minutes or
// of an archive: what stands there is what was.
func IsRecord(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return anyOf(split(name), "records") })
}
