package prose

import (
	"slices"
	"strings"
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

// grammar reads the words of a sentence in one language.
type grammar func(words []word) (reading, bool)

var grammars = []grammar{
	formsOf("english"), german, formsOf("french"), formsOf("spanish"), spanishFuture, formsOf("italian"), formsOf("portuguese"), promised, told,
}

// promised reads "I promised Ann to call", "prometi à Inês transferir …", "bis Freitag
// versprochen": with a day, unless the writer says that it was they.
func promised(words []word) (reading, bool) {
	own := false
	for i, w := range words {
		switch mine := i == 0 || is(words[i-1].text, "own"); {
		case is(w.text, "promised") && !(i > 0 && is(words[i-1].text, "others")), is(w.text, "promisedPast") && (mine || w.pause):
			return reading{form: Vow, word: i, dated: !own}, !conditional(words)
		case i == 0 && is(w.text, "own"):
			own = true
		case is(w.text, "telling") && !is(w.text, "own"):
			return reading{}, false
		}
	}
	return reading{}, false
}

// told reads "I told Ann I'd bring …", "le dije a Ana que le llevo …": with a day, for the
// clause of what one would do.
func told(words []word) (reading, bool) {
	from, to, ok := find(words, "told")
	if !ok {
		return reading{}, false
	}
	end := to
	for end < len(words) && !words[end].pause {
		end++
	}
	return reading{form: Vow, word: from, dated: true}, !anyOf(words[to:end], "told.denying") && !conditional(words)
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
	if strings.HasSuffix(strings.TrimRight(sentence, " \"'”’)»"), "?") || strings.HasPrefix(sentence, "`") {
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
	for _, g := range grammars {
		r, ok := g(words)
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
func conditional(words []word) bool {
	if is(words[0].text, "conditions") {
		return words[0].text != "s" || startsWith(words, "s", "il")
	}
	for i, w := range words[1:] {
		asked := is(words[i].text, "asking")
		if w.text == "if" && !asked || w.text == "unless" || w.pause && (w.text == "wenn" || w.text == "falls" || w.text == "sofern" || w.text == "si" && i > 0 && !asked) {
			return true
		}
	}
	return false
}

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

// forms are how promises are put, and the lists of their phrases behind the name of a
// language.
var forms = []struct {
	list    string
	reading reading
}{
	{"vow", reading{form: Vow}}, {"vowDated", reading{form: Vow, dated: true}}, {"duty", reading{form: Duty, dated: true}},
	{"reminder", reading{form: Reminder}}, {"reminderDated", reading{form: Reminder, dated: true}},
}

// formsOf is the grammar of a language whose promises are phrases.
func formsOf(name string) grammar {
	never := set(name + ".never")
	books := make([]phrasebook, len(forms))
	for i, f := range forms {
		books[i] = phrasebook(name + "." + f.list)
	}
	return func(words []word) (reading, bool) {
		for i, f := range forms {
			from, _, ok := find(words, books[i])
			if !ok {
				continue
			}
			r := f.reading
			r.word = from
			if !opens(words, from) { // "on Friday I will …"
				r.led, r.dated = true, true
			}
			return r, !conditional(words) && (r.form == Reminder || !anyOf(words, never))
		}
		return reading{}, false
	}
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
