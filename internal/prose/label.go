package prose

import (
	"regexp"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

var (
	todoLabel     = lazy.Regexp(`^(?:@?(?i:todo|to-do|to do|action item|next step|task|follow-up|aufgabe|zu tun|zu erledigen|à faire|a faire|tâche|por hacer|tarea|pendiente)(?:\([^()]{0,40}\))?\s*:|(?:@?TODO|FIXME)\b(?:\([^()]{0,40}\))?)\s*`)
	deadlineLabel = lazy.Regexp(`^(?i:deadline|due|due date|due by|frist|abgabe|abgabetermin|fällig|fällig am|stichtag|échéance|date limite|à rendre|fecha límite|fecha limite|plazo|vence|vencimiento|entrega)\s*:\s*`)
	reminderLabel = lazy.Regexp(`^(?i:reminder|remember|don['’]t forget|erinnerung|nicht vergessen|rappel|ne pas oublier|recordatorio|no olvidar)\s*:\s*`)
)

// Label reads "TODO:", "Deadline:", "À faire :" and their like, and returns
// where the text behind it begins.
func Label(text string) (form Form, rest int, ok bool) {
	if len(text) < 3 || !strings.ContainsRune(text[:min(len(text), 64)], ':') && !strings.HasPrefix(strings.TrimPrefix(text, "@"), "TODO") && !strings.HasPrefix(text, "FIXME") {
		return "", 0, false
	}
	for _, l := range []struct {
		form    Form
		pattern func() *regexp.Regexp
	}{{Todo, todoLabel}, {Deadline, deadlineLabel}, {Reminder, reminderLabel}} {
		if m := l.pattern().FindStringIndex(text); m != nil {
			return l.form, m[1], true
		}
	}
	return "", 0, false
}
