package notes

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// form is how a promise was put.
type form uint8

const (
	noForm      form = iota
	task             // - [ ] …
	todo             // TODO: …
	deadline         // Deadline: …
	reminder         // remind me to …
	vow              // I will …
	duty             // I must … by …
	due              // front matter
	errand           // call them on …
	appointment      // dentist: …
)

var formNames = map[form]string{
	task: "task", todo: "todo", deadline: "deadline", reminder: "reminder", vow: "promise", duty: "duty", due: "due",
	errand: "deadline", appointment: "due",
}

// reading is what a grammar made of a sentence.
type reading struct {
	form form
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

var grammars = []grammar{english, german, french, spanish}

// readSentence says whether a sentence is a promise of the writer's own. The
// date may be asked for: dates.Find tells whether there is one.
func readSentence(s string) (reading, []word, bool) {
	if strings.HasSuffix(strings.TrimRight(s, " \"'”’)»"), "?") || strings.HasPrefix(s, "`") {
		return reading{}, nil, false
	}
	if l, ok := readLabel(s); ok {
		return reading{form: l.form, dated: l.form == deadline}, nil, strings.ContainsFunc(s[l.rest:], isWordRune)
	}
	words := split(s)
	if len(words) < 2 {
		return reading{}, nil, false
	}
	for _, g := range grammars {
		r, ok := g(words)
		if ok && !quoted(s, words[r.word].start) && !reported(words, r) {
			return r, words, true
		}
	}
	return reading{}, nil, false
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
var reporting = setOf(`said says say told tells wrote writes asked asks thought thinks think believe believes hope hopes hoped wish
	claims claimed knew knows whether imagine suppose guess heard read who which that
	sagte sagt sagten meinte meint glaubt glaube glaubte dachte denkt schrieb schreibt fragte hofft hoffe wünschte ob dass
	dit disait pense pensait croit crois espère espérait écrit demande que
	dijo dice decía piensa pensaba creo cree espera espero escribió pregunta que`)

func reported(words []word, r reading) bool {
	for _, w := range words[:r.word] {
		if reporting[w.text] {
			return true
		}
	}
	return false
}

// conditions begin a sentence that promises nothing yet.
var conditions = setOf(`if unless would wenn falls sofern sobald si s`)

// linking words may stand before a promise without a pause.
var linking = setOf(`and so but then also ok okay yes well now therefore tomorrow today tonight later next note please
	und also dann aber ja gut nun bitte et donc alors mais oui puis ensuite y entonces pero luego sí bueno mañana hoy`)

// opens reports whether a clause of its own begins at word i.
func opens(words []word, i int) bool {
	if i == 0 {
		return true
	}
	return words[i].pause || linking[words[i-1].text]
}

// conditional reports whether the sentence depends on something else.
func conditional(words []word) bool {
	if conditions[words[0].text] {
		return words[0].text != "s" || at(words, 0, "s", "il")
	}
	for i, w := range words[1:] {
		if w.text == "if" && !asking[words[i].text] || w.text == "unless" || (w.text == "wenn" || w.text == "falls" || w.text == "sofern") && w.pause {
			return true
		}
		if w.text == "si" && i > 0 && !asking[words[i].text] && w.pause {
			return true
		}
	}
	return false
}

// asking verbs make of "if" a question that will be answered.
var asking = setOf(`see check ask know out test verify decide me them you him her voir demander vérifier savoir ver preguntar saber comprobar`)

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
}

// isProse reports whether a promise was read in a sentence that has no word of
// its own for one.
func (f form) isProse() bool { return f == errand || f == appointment }

// bestDate picks the date that a promise is to be kept by: the first that is
// put as a limit, else the first of all.
func bestDate(found []dates.Match) (dates.Match, bool) {
	for _, m := range found {
		if m.Deadline {
			return m, true
		}
	}
	if len(found) == 0 {
		return dates.Match{}, false
	}
	return found[0], true
}

// allowed reports whether a reading holds with the dates of its sentence.
func (r reading) allowed(words []word, found []dates.Match) bool {
	best, ok := bestDate(found)
	switch {
	case r.dated && !ok, r.limited && !best.Deadline:
		return false
	case r.led:
		return ok && r.word > 0 && found[0].Start <= words[0].start && found[0].End >= words[r.word-1].end
	}
	return true
}
