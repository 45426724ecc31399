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
	// maxTopic is how many words may stand before the colon of "Steuer: …".
	maxTopic = 4
	// maxThing is how many words a dated appointment may have.
	maxThing = 8
)

// Obligation is one, or an appointment, that stands in prose with a date,
// without a box, a label or a word of its writer's.
type Obligation struct {
	// Form is Errand or Visit, or Lasting.
	Form Form
	// Dated is the part of the sentence whose date counts.
	Dated string
}

// anyTime stands for now where only the words of a date matter: where now
// stands never decides whether there is one.
var anyTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// prose is a sentence that is looked at for one.
type prose struct {
	text   string
	words  []word
	inDate []bool // of the words
	date   dates.Match
	first  int // the word with which date begins
	last   int // and the one behind it
}

// Oblige reads "Call the bank on 3 March" and "Notar: 10.03.2026 17:30".
// What may be a memory, a report, a rule or a doubt is left alone: a promise
// that is none annoys every day.
func Oblige(s string) (Obligation, bool) { return oblige(s, dates.Find(s, anyTime)) }

func oblige(s string, found []dates.Match) (Obligation, bool) {
	date, ok := ownDate(s, found)
	if !ok {
		return Obligation{}, false
	}
	p, ok := look(s, found, date)
	if !ok {
		return Obligation{}, false
	}
	r := Obligation{Dated: s}
	switch {
	case p.isErrand():
		r.Form = Errand
	case p.isAppointment():
		r.Form = Visit
	default:
		if r.Form = p.thing(); r.Form == "" {
			return Obligation{}, false
		}
	}
	if best, _ := BestDate(found); best.Start != date.Start {
		r.Dated = s[date.Start:]
		if best, ok := BestDate(dates.Find(r.Dated, anyTime)); !ok || best.Text != date.Text {
			return Obligation{}, false
		}
	}
	return r, true
}

// look takes a sentence apart in which something may stand that is to be done at that
// date; ok is false for a question, a doubt, a condition, and what is called off.
func look(s string, found []dates.Match, date dates.Match) (p prose, ok bool) {
	p = prose{text: s, words: split(s), date: date, first: -1}
	if strings.HasSuffix(strings.TrimRight(s, " \"'”’)»"), "?") || strings.HasPrefix(s, "`") || strings.Contains(s, "|") ||
		len(p.words) < 2 || conditional(p.words) || anyOf(p.words, "doubting") || anyOf(p.words, "calledOff") || has(p.words, "inCase") {
		return p, false
	}
	p.inDate = make([]bool, len(p.words))
	for i, w := range p.words {
		for _, m := range found {
			p.inDate[i] = p.inDate[i] || w.start < m.End && w.end > m.Start
		}
		if w.start < date.End && w.end > date.Start {
			if p.first < 0 {
				p.first = i
			}
			p.last = i + 1
		}
	}
	return p, p.first >= 0 // else it is beyond the words that are looked at
}

// maxChore is how many words a chore may have beside its time.
const maxChore = 5

// Noted reads what Oblige does, and what only a note says: a chore, until when a thing is
// so, and in the item of a list, until when it has to be done.
func Noted(s string, item bool) (Obligation, bool) {
	found := dates.Find(s, anyTime)
	o, ok := oblige(s, found)
	date, dated := BestDate(found)
	if !ok && item && mustBe(s, found) {
		return Obligation{Form: Errand, Dated: s}, true
	}
	if ok || !dated || since(s, date) {
		return o, ok
	}
	p, ok := look(s, found, date)
	switch {
	case !ok || anyOf(p.words, "past"):
		return Obligation{}, false
	case !date.DateOnly && !slices.ContainsFunc(found, func(m dates.Match) bool { return m.Day || !m.Till && m != date }) && (p.isErrand() || p.isChore()):
		return Obligation{Form: Errand, Dated: s}, true
	case date.Till && anyOf(p.words, "telling") && !anyOf(p.words, "speaking"): // "the backup is off until Monday"
		return Obligation{Form: Lasting, Dated: s}, true
	}
	return Obligation{}, false
}

// mustBe reports whether a line says of a thing until when it has to be done, or back:
// "form must be in by Thursday". What people have to be, or tell, is none.
func mustBe(s string, found []dates.Match) bool {
	date, ok := ownDate(s, found)
	words := split(s)
	if !ok || !date.Deadline || len(words) == 0 || strings.HasSuffix(s, "?") || conditional(words) || anyOf(words, "doubting") {
		return false
	}
	from, to, ok := find(words, "mustBe")
	if !ok {
		from, to, ok = find(words, "mustBeThere")
		if p := (prose{text: s, words: words}); ok && from > 0 && (p.upper(from-1) && !is(text(words, from-2), "articles") || is(words[from-1].text, "speaking")) {
			return false
		}
	}
	return ok && !anyOf(words[:from], "reporting") && !quoted(s, words[from].start) && !denies().MatchString(s[words[from].start:words[to-1].end])
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
	return !p.date.Deadline && len(own) > 0 && len(own) <= maxChore && !strings.ContainsAny(p.text, "\"“„«") &&
		!strings.HasSuffix(p.text, ".") && !seconds().MatchString(p.text) && !is(own[0].text, "articles") &&
		!slices.ContainsFunc([]set{"telling", "speaking", "reporting", "stamps", "refusing"}, func(l set) bool { return anyOf(own, l) })
}

// ownDate returns the one day on which, or until when, something is to be done:
// neither that of a letter ("the invoice of 3 March") nor one of several.
func ownDate(s string, found []dates.Match) (dates.Match, bool) {
	var own []dates.Match
	for _, m := range found {
		if !m.Day || since(s, m) || repeats(s, m) {
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
	return len(first) > 0 && (is(first[0].text, "sinceWords") && !startsWith(first, "ab", "am") || is(first[0].text, "spanWords")) || is(wordBeforeDate(s, m), "sinceWords")
}

// repeats reports whether a weekday is that of each week: "le mardi", "los
// martes".
func repeats(s string, m dates.Match) bool {
	before := wordBeforeDate(s, m)
	return m.Weekday && (is(firstOf(m), "eachWeek") || before != "le" && is(before, "eachWeek"))
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
		if anyOf(p.words[i:next], "reporting") || anyOf(p.words[i:next], "speaking") {
			return 0, false
		}
		topic, i = next, next
	}
	if topic > 0 && p.first >= topic && p.first < i && !p.date.DateOnly && i < len(p.words) && strings.Contains(p.between(i), ",") {
		return 0, false // "Notar: 10.03. 17:30, Ausweis mitnehmen" is an appointment
	}
	return i, i < len(p.words) && !quoted(p.text, p.words[i].start) && !strings.ContainsAny(p.text[:p.words[i].start], "“„«\"")
}

// maxNoted is how many words a line of notes may have that says what is, with a day.
const maxNoted = 40

// thing reads a line as people note things down, in no sentence: "contrôle technique avant
// le 15/07", "compleanno Paola: 8 novembre", "Hugo pediatra vie 8 a las 18:00", "Anna:
// Freitag 14 Uhr", "passport expires 3 May". What ends as a sentence does, tells, or names
// a mere weekday with no limit, or one of each week, is none.
func (p *prose) thing() Form {
	if strings.HasSuffix(p.text, ".") && p.date.End < len(p.text) || strings.ContainsAny(p.text, "“„«\"|") || len(p.words) > maxNoted || seconds().MatchString(p.text) {
		return ""
	}
	from := p.first
	for from > 0 && !strings.ContainsAny(p.between(from), ",;:!…()–—") {
		from--
	}
	own, ends := p.words[from:p.first], has(p.words, "expiring")
	if behind := p.words[p.last:p.clause(p.last-1)]; anyOf(behind, "telling") || anyOf(p.words[:p.first], "speaking") || anyOf(own, "telling") ||
		anyOf(p.words[:p.first], "reporting") || anyOf(own, "refusing") || anyOf(p.words, "records") || !ends && (is(p.words[0].text, "articles") || anyOf(p.words, "stamps")) {
		return ""
	}
	before := strings.TrimSpace(p.text[:p.date.Start])
	named := before != "" && strings.ContainsRune(":–—-", lastRune(before)) || strings.HasPrefix(strings.TrimSpace(p.text[p.date.End:]), ":")
	switch {
	case p.date.Deadline || ends && p.first > 0:
		return Errand
	case p.date.Weekday && (p.date.DateOnly || !named || anyOf(p.words, "weekly")) || !strings.ContainsAny(p.date.Text, "0123456789") || isISO(p.date.Text) || len(p.words)-(p.last-p.first) > maxThing && !named:
		return ""
	case p.last-p.first < len(p.words) && (!p.date.DateOnly && p.first > 0 || named || p.clause(p.last-1) == p.last):
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

func (p *prose) englishErrand(i, end int) bool {
	verb := p.words[i].text
	if !is(verb, "englishErrands") && !is(verb, "englishNouns") || i+1 >= end || p.inDate[i+1] || p.words[i].accent {
		return false
	}
	next := p.words[i+1].text
	if is(next, "englishObject") {
		return true
	}
	if is(verb, "englishNouns") { // "order 4711 arrives", "return flight"
		return p.upper(i+1) && !strings.ContainsAny(p.between(i+1), ".:,")
	}
	return !is(next, "englishLink")
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

// isAppointment reports whether a sentence is no more than a name, a day and a
// time of it, and what may follow behind a pause.
func (p *prose) isAppointment() bool {
	if p.date.DateOnly || p.date.Deadline || seconds().MatchString(p.text) || strings.ContainsAny(p.text[:p.words[0].start], "“„«\"'") {
		return false
	}
	for i := 1; i < p.first; i++ {
		if strings.ContainsAny(p.between(i), ",;:!…–—\"„“«»") {
			return false
		}
	}
	end := p.last
	if p.first > 0 { // what it is stands before its date
		if end < len(p.words) && !strings.ContainsAny(p.between(end), ",;:!…()–—") {
			end = p.clause(end)
		}
	} else if end < len(p.words) {
		end = p.clause(end)
	}
	var thing []word
	for i := range end {
		if i < p.first || i >= p.last && !p.inDate[i] {
			thing = append(thing, p.words[i])
		}
	}
	if len(thing) == 0 || len(thing) > maxThing || is(thing[0].text, "articles") || anyOf(thing, "telling") || anyOf(thing, "stamps") || anyOf(thing, "reporting") {
		return false
	}
	return (!p.date.Weekday || anyOf(thing, "appointments")) && slices.ContainsFunc(thing, func(w word) bool {
		return strings.ContainsFunc(p.text[w.start:w.end], unicode.IsLetter) && w.end-w.start > 1
	})
}

// settled begins a sentence that says of the one before it that it is done.
var settled = lazy.Regexp(`^[(\[]?(?i:paid|done|sent|called|cancelled|canceled|erledigt|bezahlt|abgeschickt|abgegeben|fait|faite|payée?|envoyée?|annulée?|hecho|hecha|pagad[oa]|enviad[oa])(?:$|[^\p{L}])`)

// Settles reports whether a sentence says of the one before it that it is done.
func Settles(sentence string) bool { return settled().MatchString(sentence) }

// finished are sentences in which people say of themselves that they have done
// something.
var finished = lazy.Regexp(`(?i)^(?:` +
	`(?:i|we)(?:['’]ve|\s+have)?(?:\s+(?:just|already|now|finally))?\s+(?:paid|done|sent|called|phoned|rang|rung|cancelled|canceled|booked|renewed|finished|submitted|posted|ordered|returned|mailed|emailed|wrote|written|fixed|repaired|delivered|told|asked|answered|bought|handed|moved|signed|filed|cleaned|picked|dropped|took|taken|brought|gave|given|met|visited)\b` +
	`|(?:ich\s+habe?|wir\s+haben|habe?)\s.{0,120}(?:erledigt|bezahlt|überwiesen|geschickt|abgeschickt|abgegeben|angerufen|gebucht|bestellt|verlängert|gekündigt|abgesagt|unterschrieben|geschrieben|repariert|gekauft|gebracht|abgeholt|gemacht)[.!)\s]*$` +
	`|j['’]ai(?:\s+(?:déjà|enfin|bien))?\s+(?:payé|fait|envoyé|appelé|annulé|réservé|renouvelé|fini|commandé|rendu|signé|écrit|réparé|acheté)(?:[^\p{L}]|$)` +
	`|(?:ya\s+)?(?:he|hemos)\s+(?:pagado|hecho|enviado|llamado|cancelado|reservado|renovado|terminado|pedido|devuelto|firmado|escrito|arreglado|comprado)(?:[^\p{L}]|$))`)

// Finishes reports whether a sentence says that its writer has done what it
// names: "Sent the plan.", "I called the plumber.", "Ich habe die Miete bezahlt."
func Finishes(sentence string) bool {
	return Settles(sentence) || finished().MatchString(sentence) && !denies().MatchString(sentence)
}

// denies are the words that turn it round.
var denies = lazy.Regexp(`(?i)(?:^|[^\p{L}])(?:not|never|nobody|nicht|nie|niemanden?|kein(?:e[nmrs]?)?|pas|jamais|nunca|nadie)(?:[^\p{L}]|$)`)

// IsRecord reports whether a name or a heading is that of a log, of minutes or
// of an archive: what stands there is what was.
func IsRecord(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return anyOf(split(name), "records") })
}
