package prose

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// Form is how a promise was put.
type Form string

const (
	Todo     Form = "todo"        // TODO: …
	Deadline Form = "deadline"    // Deadline: …
	Reminder Form = "reminder"    // remind me to …
	Vow      Form = "promise"     // I will …
	Duty     Form = "duty"        // I must … by …
	Errand   Form = "errand"      // call them on …
	Visit    Form = "appointment" // dentist: …
	Lasting  Form = "lasting"     // … is off until …, which is nothing to do
)

// reading is what a grammar made of a sentence.
type reading struct {
	form Form
	// word is where the promise itself begins.
	word int
	// dated: it is one only with a date; limited: only with one that sets a
	// limit ("by", "bis").
	dated, limited bool
	// led: the words before it must be a date ("bis Freitag schicke ich").
	led bool
}

// IsToDo reports whether a heading stands above what is to be done: "To do", "Versprochen".
func IsToDo(heading string) bool {
	words := split(heading)
	_, to, ok := find(words, "toDo")
	return ok && to == len(words)
}

// Reading is a sentence that is put as a promise of its writer's own.
type Reading struct {
	Form Form
	// Label is where the text behind a label begins ("TODO: …"); 0 where there is
	// none.
	Label int

	reading reading
	words   []word
}

// Read says whether a sentence is put as a promise of its writer's own. Whether
// it is one may hang on its dates: ask Holds.
func Read(sentence string) (Reading, bool) {
	if isQuestion(sentence) || strings.HasPrefix(sentence, "`") {
		return Reading{}, false
	}
	if form, rest, ok := Label(sentence); ok {
		r := Reading{Form: form, Label: rest, reading: reading{form: form, dated: form == Deadline}}
		return r, strings.ContainsFunc(sentence[rest:], IsWordRune)
	}
	words := split(sentence)
	if len(words) < 2 {
		return Reading{}, false
	}
	for _, f := range forms() {
		r, ok := f.read(words)
		if ok && !quoted(sentence, words[r.word].start) && !reported(words, r) {
			return Reading{Form: r.form, reading: r, words: words}, true
		}
	}
	return Reading{}, false
}

// Holds reports whether a reading is a promise with the dates that dates.Find
// found in its sentence.
func (r Reading) Holds(found []dates.Match) bool { return r.reading.allowed(r.words, found) }

// Promised is what the writer of a sentence promised.
type Promised struct {
	Form Form
	// Date is when it is to be kept, where Dated.
	Date  dates.Match
	Dated bool
}

// Promise reads a promise of the writer's own in a sentence: "I'll send the
// report by Friday", "Ich schicke es dir morgen". Its date is counted from now.
func Promise(sentence string, now time.Time) (Promised, bool) {
	r, ok := Read(sentence)
	if !ok {
		return Promised{}, false
	}
	found := dates.Find(sentence, now)
	if !r.Holds(found) {
		return Promised{}, false
	}
	p := Promised{Form: r.Form}
	p.Date, p.Dated = BestDate(found)
	return p, true
}

// quoted reports whether the byte at pos stands within quotation marks.
func quoted(s string, pos int) bool {
	before := s[:pos]
	if strings.Count(before, `"`)%2 == 1 || strings.Count(before, "`")%2 == 1 {
		return true
	}
	open := strings.Count(before, "“") + strings.Count(before, "«") + strings.Count(before, "„")
	return open > strings.Count(before, "”")+strings.Count(before, "»")
}

func reported(words []word, r reading) bool {
	return anyOf(words[:r.word], "reporting")
}

// opens reports whether a clause of its own begins at word i.
func opens(words []word, i int) bool {
	return i == 0 || words[i].pause || is(words[i-1].text, "linking")
}

// conditional reports whether the sentence depends on something else.
func conditional(words []word) bool { return has(words, "conditional") }

// IsWordRune reports whether a character is one of words, of any script.
func IsWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
}

// BestDate picks the date that a promise is to be kept by: the first that is
// put as a limit, but for the End of one that has its time; else the first of all.
func BestDate(found []dates.Match) (dates.Match, bool) {
	end, ends := End(found)
	for _, m := range found {
		if m.Deadline && !(ends && m == end) {
			return m, true
		}
	}
	if len(found) == 0 {
		return dates.Match{}, false
	}
	return found[0], true
}

// End is until what time of the day it helps to do what is to be done at a time: "ring
// him at 12:58, he is in until 13:30".
func End(found []dates.Match) (dates.Match, bool) {
	for i, m := range found {
		if m.Till && !m.Day && slices.ContainsFunc(found[:i], func(b dates.Match) bool { return !b.Deadline && !b.DateOnly && b.Due.Before(m.Due) }) {
			return m, true
		}
	}
	return dates.Match{}, false
}

// allowed reports whether a reading holds with the dates of its sentence.
func (r reading) allowed(words []word, found []dates.Match) bool {
	best, ok := BestDate(found)
	switch {
	case r.dated && !ok, r.limited && !best.Deadline:
		return false
	case r.led:
		return ok && r.word > 0 && found[0].Start <= words[0].start && found[0].End >= words[r.word-1].end
	}
	return true
}

// form is how promises are put in the phrases of a list.
type form struct {
	phrases phrasebook
	never   set // words that deny or doubt it in its clause
	reading reading
	free    bool // its phrases may stand behind other words than those of a date
}

// forms are those of each language, of the German first person, and of what one told or
// promised somebody.
var forms = sync.OnceValue(func() (all []form) {
	for _, name := range []string{"english", "ich", "french", "spanish", "italian", "portuguese", "told"} {
		for _, f := range []form{
			{phrases: ".vow", reading: reading{form: Vow}},
			{phrases: ".vowDated", reading: reading{form: Vow, dated: true}},
			{phrases: ".vowLimited", reading: reading{form: Vow, dated: true, limited: true}},
			{phrases: ".duty", reading: reading{form: Duty, dated: true}},
			{phrases: ".dutyLimited", reading: reading{form: Duty, dated: true, limited: true}},
			{phrases: ".reminder", reading: reading{form: Reminder}},
			{phrases: ".reminderDated", reading: reading{form: Reminder, dated: true}},
			{phrases: ".anywhere", reading: reading{form: Vow, dated: true}, free: true},
		} {
			f.phrases, f.never = phrasebook(name)+f.phrases, set(name+".never")
			if lists()[string(f.phrases)] != nil {
				all = append(all, f)
			}
		}
	}
	return all
})

// read reads a promise that is put so.
func (f *form) read(words []word) (reading, bool) {
	from, to, ok := find(words, f.phrases)
	if !ok {
		return reading{}, false
	}
	r, leading := f.reading, opens(words, from)
	r.word = from
	if !leading && !f.free { // "on Friday I will …"
		r.led, r.dated = true, true
	}
	for to < len(words) && !words[to].pause {
		to++
	}
	told := !leading && f.free && anyOf(words[:from], "telling")
	return r, !told && (r.form == Reminder || !anyOf(words[from:to], f.never)) && !conditional(words)
}

// marked is a TODO as programmers write it, with whose it is.
var marked = lazy.Regexp(`^@?(?:TODO\b|FIXME\b)(?:\([^()]{0,40}\))?\s*:?\s*`)

// maxLabel is how many bytes a label may have.
const maxLabel = 64

var labels = []struct {
	form  Form
	names phrasebook
}{{Todo, "label.todo"}, {Deadline, "label.deadline"}, {Reminder, "label.reminder"}}

// Label reads "TODO:", "Deadline:", "À faire :" and their like, and returns
// where the text behind it begins.
func Label(text string) (form Form, rest int, ok bool) {
	if m := marked().FindString(text); m != "" {
		return Todo, len(m), true
	}
	name, _, ok := strings.Cut(head(text, maxLabel), ":")
	if !ok || strings.HasPrefix(name, "(") {
		return "", 0, false
	}
	rest = len(name) + 1
	rest += len(text[rest:]) - len(strings.TrimLeft(text[rest:], " \t"))
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "@"), "(")
	words := split(name)
	for _, l := range labels {
		if from, to, ok := find(words, l.names); ok && from == 0 && to == len(words) {
			return l.form, rest, true
		}
	}
	return "", 0, false
}
