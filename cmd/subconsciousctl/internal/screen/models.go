package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// identity is how a model is called: "groq/llama-3.3-70b-versatile".
func identity(provider, model string) string { return clean(provider) + "/" + clean(model) }

// modelMark gives a state of a model its sign, colour and word.
func modelMark(state string) (mark string, colour style, word string) {
	switch state {
	case api.ModelOK:
		return "✓", green, "well"
	case api.ModelUnused:
		return "·", dim, "not yet asked"
	case api.ModelFailing:
		return "!", yellow, "failing"
	case api.ModelResting, api.ModelUnavailable:
		return "✗", red, state
	default:
		return "?", yellow, clean(state)
	}
}

// cents writes an amount with two digits behind the point, or as many as are
// needed to show what it is.
func cents(amount float64) string {
	for digits := 2; digits < 6; digits++ {
		text := fmt.Sprintf("%.*f", digits, amount)
		if amount == 0 || strings.Trim(text, "0.") != "" {
			return text
		}
	}
	return "0.00001"
}

// troubled reports whether a model does not answer.
func troubled(m api.ModelStatus) bool {
	return m.State == api.ModelFailing || m.State == api.ModelResting || m.State == api.ModelUnavailable
}

// troubleWords says since when a model does not answer, why, and when it is
// asked again.
func (p *page) troubleWords(m api.ModelStatus) string {
	if !troubled(m) {
		return ""
	}
	var parts []string
	if !m.Since.IsZero() {
		parts = append(parts, "since "+p.clock(m.Since)+" ("+length(p.At.Sub(m.Since))+")")
	}
	if m.Error != "" {
		parts = append(parts, clean(m.Error))
	}
	if !m.Next.IsZero() && m.Next.After(p.At) {
		parts = append(parts, "asked again "+p.relative(m.Next))
	}
	return strings.Join(parts, " · ")
}

// latency says how long an answer took.
func latency(ms float64) string {
	if ms <= 0 {
		return ""
	}
	return took(ms)
}

// trouble groups roles whose models cannot be asked by model, in order.
type trouble struct {
	model api.ModelStatus
	roles []string
}

func troubles(models []api.ModelStatus) []trouble {
	var all []trouble
	for _, m := range models {
		if m.State == api.ModelOK || m.State == api.ModelUnused {
			continue
		}
		same := func(t trouble) bool { return t.model.Provider == m.Provider && t.model.Model == m.Model }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].roles = append(all[i].roles, clean(m.Role))
			continue
		}
		all = append(all, trouble{m, []string{clean(m.Role)}})
	}
	return all
}

// some names the first few of many.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// amount says a number of things with the thousands parted: "12,400 tokens".
func amount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands parts the digits of a number in threes.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// endOf says when something ends: the clock, and the day if it is another.
func (p *page) endOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return p.clock(t)
}
