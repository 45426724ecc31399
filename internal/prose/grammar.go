package prose

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
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
	formsOf("english"), german, formsOf("french"), formsOf("spanish"), spanishFuture, formsOf("italian"), formsOf("portuguese"), promised,
}

// promised reads "I promised Ann to call", "prometi à Inês transferir …", "bis Freitag
// versprochen": with a day, unless the writer says that it was they.
func promised(words []word) (reading, bool) {
	own := false
	for i, w := range words {
		switch mine := i == 0 || ownWords.Has(words[i-1].text); {
		case promises.Has(w.text) && !(i > 0 && others.Has(words[i-1].text)), promisedPast.Has(w.text) && (mine || w.pause):
			return reading{form: Vow, word: i, dated: !own}, !conditional(words)
		case i == 0 && ownWords.Has(w.text):
			own = true
		case telling.Has(w.text) && !ownWords.Has(w.text):
			return reading{}, false
		}
	}
	return reading{}, false
}

var (
	// promises are the words by which one has promised.
	promises = listed("promised")
	// promisedPast is the past of others as well.
	promisedPast = listed("promisedPast")
	ownWords     = listed("own")
	// others have promised.
	others = SetOf(`a ha ont hanno tem han hat`)
	// toDo are headings above what is to be done.
	toDo = phrases("toDo")
)

// IsToDo reports whether a heading stands above what is to be done: "To do", "Versprochen".
func IsToDo(heading string) bool {
	words := split(heading)
	_, to, ok := toDo.find(words)
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

// reporting are words of saying and thinking: what follows them is told, and
// not promised.
var reporting = listed("reporting")

func reported(words []word, r reading) bool {
	return anyOf(words[:r.word], reporting)
}

// conditions begin a sentence that promises nothing yet.
var conditions = SetOf(`if unless would wenn falls sofern sobald si s`)

// linking words may stand before a promise without a pause.
var linking = listed("linking")

// opens reports whether a clause of its own begins at word i.
func opens(words []word, i int) bool {
	return i == 0 || words[i].pause || linking.Has(words[i-1].text)
}

// conditional reports whether the sentence depends on something else.
func conditional(words []word) bool {
	if conditions.Has(words[0].text) {
		return words[0].text != "s" || at(words, 0, "s", "il")
	}
	for i, w := range words[1:] {
		asked := asking.Has(words[i].text)
		if w.text == "if" && !asked || w.text == "unless" || w.pause && (w.text == "wenn" || w.text == "falls" || w.text == "sofern" || w.text == "si" && i > 0 && !asked) {
			return true
		}
	}
	return false
}

// asking verbs make of "if" a question that will be answered.
var asking = SetOf(`see check ask know out test verify decide me them you him her voir demander vérifier savoir ver preguntar saber comprobar`)

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
