package notes

import (
	"cmp"
	"crypto/sha256"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxPromises is how many open promises of one file are kept.
	maxPromises = 500
	// standsAfter is how long a promise stands beyond its date, and
	// errandStands how long one in prose does, which nobody ticks off, and
	// timerStands one for a time of its day alone.
	standsAfter  = 7 * 24 * time.Hour
	errandStands = 24 * time.Hour
	timerStands  = 3 * time.Hour
)

// key is the identity of a promise within its file: a hash of its words, so
// that what is written in notes is not repeated in identities.
type key [10]byte

func keyOf(words string) key {
	sum := sha256.Sum256([]byte(words))
	return key(sum[:10])
}

// promise is an open promise as it stands in a file, before its date is
// resolved.
type promise struct {
	key     key // by its own words
	when    key // by its words and its date, where that stands apart
	form    prose.Form
	title   string
	source  string // what links are read from
	line    int
	heading string
	// dated is the text in which the date is found, "" for none; dateText is
	// the date as it is written.
	dated    string
	dateText string
	// year is the one that prose stands under, 0 for none.
	year int
	// allDay: the date names no time. timed: it names a time and no day.
	allDay, timed bool
}

// The forms of promises that are no sentences.
const (
	task prose.Form = "task" // - [ ] …
	due  prose.Form = "due"  // front matter
)

// contact is the form of an address or a web site, which is nothing to do.
const contact prose.Form = "contact"

// contactsMost is how many of a file are kept.
const contactsMost = 20

// contacts finds the hosts of addresses and web sites.
var contacts = regexp.MustCompile(`(?i)(?:[\w.+-]@|https?://(?:www\.)?)((?:[\p{L}\d-]{1,63}\.){1,5}\p{L}{2,20})\b`)

// formName is the form of a promise as it is reported.
func formName(f prose.Form) string {
	switch f {
	case prose.Errand:
		return "deadline"
	case prose.Visit:
		return "due"
	}
	return string(f)
}

// isProse reports whether a promise was read in a sentence that has no word of
// its own for one.
func isProse(f prose.Form) bool { return f == prose.Errand || f == prose.Visit || f == prose.Lasting }

// anyTime stands for now where only the words of a date matter: where now
// stands never decides whether there is one.
var anyTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// readPromises returns the open promises of a document, each identity once.
func readPromises(d foreign.Document, name string) []promise {
	r := reader{name: name, seen: map[key]bool{}, record: prose.IsRecord(strings.TrimSuffix(name, path.Ext(name))) || isInstruction(name)}
	r.frontMatter(d)
	for i := range d.Blocks {
		if len(r.found)-r.contacts >= maxPromises {
			break
		}
		r.block(&d.Blocks[i])
	}
	return r.found
}

type reader struct {
	name  string // of the file, for what has no words of its own
	found []promise
	seen  map[key]bool
	// record: the file says what was, or tells others what to do, so that prose
	// in it is nobody's promise.
	record   bool
	contacts int
	headings []string // above the block
	// toDo: a line like "To do:" stands above the list.
	toDo bool
}

func (r *reader) add(p promise, identity string) {
	identity = folder.Words(identity)
	if identity == "" || p.title == "" {
		return
	}
	p.key = keyOf(identity)
	p.when = p.key
	if p.form == due {
		p.when = keyOf(identity + "\x00" + p.dated)
	}
	if r.seen[p.key] || len(r.found)-r.contacts >= maxPromises {
		return
	}
	r.seen[p.key] = true
	if p.dated != "" {
		found := dates.Find(p.dated, anyTime)
		if len(found) > 0 && !slices.ContainsFunc(found, isDay) {
			if day := dayAbove(r.headings); day != "" {
				p.dated = day + ", " + p.dated
				p.when, found = keyOf(identity+"\x00"+p.dated), dates.Find(p.dated, anyTime)
			}
		}
		if best, ok := prose.BestDate(found); ok {
			p.dateText, p.allDay, p.timed = withoutLabel(best.Text), best.DateOnly, !best.Day
		} else {
			p.dated = ""
		}
	}
	r.found = append(r.found, p)
}

func isDay(m dates.Match) bool { return m.Day }

// dayAbove returns the date of the innermost heading that has one, and is more than a
// weekday: the lines below it are of that day.
func dayAbove(headings []string) string {
	for _, h := range slices.Backward(headings) {
		if found := dates.Find(h, anyTime); len(found) == 1 && found[0].Day && found[0].DateOnly && !found[0].Weekday {
			return found[0].Text
		}
	}
	return ""
}

// withoutLabel takes "Deadline:" off a date.
func withoutLabel(date string) string {
	if before, after, found := strings.Cut(date, ":"); found && !strings.ContainsAny(before, "0123456789") {
		return strings.TrimSpace(after)
	}
	return date
}

// frontMatter reads "due: 2026-11-27".
func (r *reader) frontMatter(d foreign.Document) {
	for _, name := range []string{"status", "done", "completed", "state"} {
		if prose.Is(strings.TrimSpace(d.Fields[name].Value), "doneStates") {
			return
		}
	}
	for _, name := range []string{"due", "deadline", "due_date", "due-date", "frist", "fällig", "échéance", "vence"} {
		f := d.Fields[name]
		if f.Value == "" {
			continue
		}
		about := cmp.Or(d.Fields["title"].Value, firstHeading(d), strings.TrimSuffix(r.name, path.Ext(r.name)))
		r.add(promise{form: due, title: title(about + ": due " + f.Value), source: about, line: f.Line, dated: f.Value}, "due "+about)
		return
	}
}

func firstHeading(d foreign.Document) string {
	for i := range d.Blocks {
		if b := &d.Blocks[i]; b.Kind == foreign.Heading {
			return b.Text()
		}
	}
	return ""
}

func (r *reader) block(b *foreign.Block) {
	if b.Skipped() || b.Task == foreign.Done || b.Task == foreign.Cancelled {
		return
	}
	whole := b.Text()
	r.headings = b.Headings
	if strings.Contains(whole, subconscious.Mark) {
		return
	}
	if b.Kind != foreign.Item {
		r.toDo = b.Kind == foreign.Paragraph && strings.HasSuffix(whole, ":") && prose.IsToDo(plainText(b.Lines[len(b.Lines)-1]))
	}
	for _, m := range contacts.FindAllStringSubmatch(whole, contactsMost-r.contacts) {
		r.add(promise{form: contact, title: m[1], line: b.Line}, "contact "+m[1])
		r.contacts++
	}
	if b.Task == foreign.Open || b.Kind == foreign.Item && b.Level == 1 && !r.record && (r.toDo || prose.IsToDo(headingOf(b))) {
		r.task(b, whole)
		return
	}
	if b.Kind == foreign.Heading {
		if _, _, ok := prose.Label(whole); !ok {
			return
		}
	}
	all := sentencesOf(b)
	for i, s := range all {
		if reading, ok := prose.Read(s.Text); ok {
			r.sentence(b, s, reading)
		} else if i+1 == len(all) || !prose.Settles(all[i+1].Text) {
			r.obligation(b, s)
		}
	}
}

// task takes a whole item as one promise.
func (r *reader) task(b *foreign.Block, whole string) {
	body := strings.Join(strings.Fields(plainText(whole)), " ")
	if isDone(body) {
		return
	}
	identity := body
	p := promise{form: task, source: whole, line: b.Line, heading: headingOf(b), dated: folder.Head(body, prose.MaxSentence)}
	if _, rest, ok := prose.Label(body); ok {
		body = body[rest:]
	}
	p.title = title(folder.Head(body, prose.MaxSentence))
	r.add(p, identity)
}

// sentencesOf returns the sentences of a block without its marks.
func sentencesOf(b *foreign.Block) []prose.Sentence {
	all := prose.Lines(b.Lines, plainText)
	for i := range all {
		all[i].Text = folder.Head(all[i].Text, prose.MaxSentence)
	}
	return all
}

func (r *reader) sentence(b *foreign.Block, s prose.Sentence, reading prose.Reading) {
	if isDone(s.Text) {
		return
	}
	found := dates.Find(s.Text, anyTime)
	if !reading.Holds(found) {
		return
	}
	p := promise{form: reading.Form, source: strings.Join(b.Lines[s.Line:s.Last+1], " "), line: b.Line + s.Line, heading: headingOf(b)}
	if len(found) > 0 {
		p.dated = s.Text
	}
	p.title = title(s.Text)
	switch rest := reading.Label; {
	case reading.Form == prose.Todo || reading.Form == prose.Reminder && rest > 0:
		p.title = title(s.Text[rest:])
	case reading.Form == prose.Deadline && onlyDate(s.Text[rest:], found, rest):
		p.title += " (" + title(r.about(b)) + ")"
	}
	r.add(p, s.Text)
}

// obligation takes a sentence that says by when something is to be done.
func (r *reader) obligation(b *foreign.Block, s prose.Sentence) {
	if r.record || b.Kind == foreign.Heading || prose.IsRecord(b.Headings...) || isDone(s.Text) {
		return
	}
	reading, ok := prose.Noted(s.Text, b.Kind == foreign.Item)
	if !ok {
		return
	}
	r.add(promise{
		form: reading.Form, title: title(s.Text), source: strings.Join(b.Lines[s.Line:s.Last+1], " "), line: b.Line + s.Line,
		heading: headingOf(b), dated: reading.Dated, year: yearOf(append([]string{r.name}, b.Headings...)...),
	}, s.Text)
}

// isInstruction reports whether a file tells agents what to do.
func isInstruction(name string) bool { return name == "CLAUDE.md" || name == "AGENTS.md" }

// onlyDate reports whether nothing but the date stands behind a label.
func onlyDate(rest string, found []dates.Match, offset int) bool {
	best, ok := prose.BestDate(found)
	if !ok {
		return false
	}
	start, end := max(best.Start-offset, 0), max(best.End-offset, 0)
	left := rest[:min(start, len(rest))] + rest[min(end, len(rest)):]
	return !strings.ContainsFunc(left, prose.IsWordRune)
}

// about says what a line without words of its own is about.
func (r *reader) about(b *foreign.Block) string {
	return cmp.Or(headingOf(b), strings.TrimSuffix(r.name, path.Ext(r.name)))
}

func headingOf(b *foreign.Block) string {
	if len(b.Headings) == 0 {
		return ""
	}
	return plainText(b.Headings[len(b.Headings)-1])
}

// resolveProse returns when a promise in prose is due, counted from base; zero
// where that lies in the past of first, or in a year that is over.
func (p promise) resolveProse(base, first time.Time) time.Time {
	due := p.resolve(base)
	if p.timed && !due.Equal(p.resolve(time.Date(base.Year(), base.Month(), base.Day(), 0, 0, 0, 0, base.Location()))) {
		return time.Time{} // what is noted in the evening was in the afternoon
	}
	if !due.After(first) || p.year != 0 && p.year < base.Year() && yearOf(p.dateText) == 0 {
		return time.Time{}
	}
	return due
}

// until returns when a promise stands no longer.
func (p promise) until(due time.Time) time.Time {
	if end, ok := prose.End(dates.Find(p.dated, due)); ok && end.Due.After(due) {
		return end.Due
	}
	switch p.form {
	case prose.Lasting:
		return due
	case prose.Errand:
		if p.timed {
			return due.Add(timerStands)
		}
		return due.Add(errandStands)
	case prose.Visit: // it is over, and nothing is left open
		if p.allDay {
			return time.Date(due.Year(), due.Month(), due.Day(), 23, 59, 0, 0, due.Location())
		}
		return due
	}
	return due.Add(standsAfter)
}

// resolve returns when a promise is due, counted from base; zero if never.
func (p promise) resolve(base time.Time) time.Time {
	if p.dated == "" {
		return time.Time{}
	}
	best, ok := prose.BestDate(dates.Find(p.dated, base))
	if !ok {
		return time.Time{}
	}
	return best.Due
}
