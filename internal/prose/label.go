package prose

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// marked is a TODO as programmers write it, with whose it is.
var marked = lazy.Regexp(`^@?(?:TODO\b|FIXME\b)(?:\([^()]{0,40}\))?\s*:?\s*`)

// maxLabel is how many bytes a label may have.
const maxLabel = 64

var labels = []struct {
	form  Form
	names phrasebook
}{{Todo, phrases("label.todo")}, {Deadline, phrases("label.deadline")}, {Reminder, phrases("label.reminder")}}

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
		if from, to, ok := l.names.find(words); ok && from == 0 && to == len(words) {
			return l.form, rest, true
		}
	}
	return "", 0, false
}
