package notes

import (
	"regexp"
	"strings"
)

// label is a word that says what the line behind it is.
type label struct {
	form form
	// rest is where the text behind the label begins.
	rest int
}

var (
	todoLabel     = regexp.MustCompile(`^(?:@?(?i:todo|to-do|to do|action item|next step|task|follow-up|aufgabe|zu tun|zu erledigen|à faire|a faire|tâche|por hacer|tarea|pendiente)(?:\([^()]{0,40}\))?\s*:|(?:@?TODO|FIXME)\b(?:\([^()]{0,40}\))?)\s*`)
	deadlineLabel = regexp.MustCompile(`^(?i:deadline|due|due date|due by|frist|abgabe|abgabetermin|fällig|fällig am|stichtag|échéance|date limite|à rendre|fecha límite|fecha limite|plazo|vence|vencimiento|entrega)\s*:\s*`)
	reminderLabel = regexp.MustCompile(`^(?i:reminder|remember|don['’]t forget|erinnerung|nicht vergessen|rappel|ne pas oublier|recordatorio|no olvidar)\s*:\s*`)
)

// readLabel reads "TODO:", "Deadline:", "À faire :" and their like.
func readLabel(text string) (label, bool) {
	if len(text) < 3 || !strings.ContainsRune(text[:min(len(text), 64)], ':') && !strings.HasPrefix(strings.TrimPrefix(text, "@"), "TODO") && !strings.HasPrefix(text, "FIXME") {
		return label{}, false
	}
	for _, l := range []struct {
		form    form
		pattern *regexp.Regexp
	}{{todo, todoLabel}, {deadline, deadlineLabel}, {reminder, reminderLabel}} {
		if m := l.pattern.FindStringIndex(text); m != nil {
			return label{form: l.form, rest: m[1]}, true
		}
	}
	return label{}, false
}
