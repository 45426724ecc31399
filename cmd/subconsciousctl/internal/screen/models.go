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

// stateCells is how many columns the longest word about a state takes.
const stateCells = 13

// Models is the table of roles and their models.
func Models(view View, models []api.ModelStatus) string {
	p := newPage(view)
	if len(models) == 0 {
		p.wrapped("", plain, "No model thinks: rules do. Give it one: subconsciousctl init")
		return p.String()
	}
	column := 8
	for _, m := range models {
		column = max(column, min(cells(clean(m.Role)), 16))
	}
	for _, m := range models {
		p.model(m, column)
	}
	p.line()
	p.wrapped("", dim, "Prices are in US dollars for a million tokens, in and out.")
	return p.String()
}

// model writes one role: who, how it is, what it costs, and who stands in.
func (p *page) model(m api.ModelStatus, column int) {
	mark, colour, word := modelMark(m.State)
	name, who := pad(clean(m.Role), column)+"  ", identity(m.Provider, m.Model)+" · "+priceWords(m)
	deep := 4 + column + 2
	if p.Width >= 76 {
		p.marked("  ", colour, mark, " "+name+p.in(colour, pad(word, stateCells))+"  ", deep+stateCells+2, plain, who)
	} else {
		p.marked("  ", colour, mark, " "+name, deep, plain, word)
		p.wrapped(strings.Repeat(" ", deep), plain, who)
	}
	more := func(s style, text string) {
		if text != "" {
			p.wrapped(strings.Repeat(" ", deep), s, text)
		}
	}
	more(colour, p.troubleWords(m))
	if len(m.Fallbacks) > 0 {
		names := make([]string, len(m.Fallbacks))
		for i, name := range m.Fallbacks {
			names[i] = clean(name)
		}
		more(dim, "where it fails: "+strings.Join(names, ", then "))
	}
	more(dim, clean(m.Note))
}

// priceWords says what a model costs.
func priceWords(m api.ModelStatus) string {
	switch {
	case m.Local:
		return "local, free"
	case !m.PriceKnown:
		return fmt.Sprintf("price not known, taken as $%.2f / $%.2f", m.PriceInput, m.PriceOutput)
	case m.PriceInput == 0 && m.PriceOutput == 0:
		return "free"
	}
	return "$" + cents(m.PriceInput) + " / $" + cents(m.PriceOutput)
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

// troubleWords says since when a model does not answer, why, and when it is
// asked again.
func (p *page) troubleWords(m api.ModelStatus) string {
	if m.State != api.ModelFailing && m.State != api.ModelResting && m.State != api.ModelUnavailable {
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

// ModelTests says what came of asking models live.
func ModelTests(view View, tests []api.ModelTest) string {
	p := newPage(view)
	if len(tests) == 0 {
		p.wrapped("", plain, "There is no model to test: rules think. Give it one: subconsciousctl init")
		return p.String()
	}
	var failed int
	var cost float64
	for i, t := range tests {
		if i > 0 {
			p.line()
		}
		p.modelTest(t)
		cost += t.Cost
		if !t.OK {
			failed++
		}
	}
	p.line()
	spent := ""
	if cost > 0 {
		spent = ", for at most $" + cents(cost)
	}
	switch {
	case failed == 0:
		p.wrapped("", bold, fmt.Sprintf("All well: %s answered, for $%s.", number(len(tests), "model"), cents(cost)))
	case len(tests) == 1:
		p.wrapped("", bold, "It failed"+spent+".")
	default:
		p.wrapped("", bold, fmt.Sprintf("%d of %d models failed%s.", failed, len(tests), spent))
	}
	return p.String()
}

func (p *page) modelTest(t api.ModelTest) {
	mark, colour := "✓", green
	if !t.OK {
		mark, colour = "✗", red
	}
	words := identity(t.Provider, t.Model)
	if t.Model == "" {
		words = clean(t.Provider)
	}
	facts := ""
	if t.OK {
		facts = pieces(p.Width, clean(t.Role), latency(t.LatencyMS), count(t.Tokens, "token"), "$"+cents(t.Cost))
	} else {
		facts = clean(t.Role)
	}
	p.marked("", colour, mark, " ", 2, bold, words)
	if facts != "" {
		p.wrapped("  ", dim, facts)
	}
	column := 8
	for _, s := range t.Steps {
		column = max(column, min(cells(clean(s.Name)), 16))
	}
	for _, s := range t.Steps {
		mark, colour := "✓", green
		if !s.OK {
			mark, colour = "✗", red
		}
		p.marked("  ", colour, mark, " "+pad(clean(s.Name), column)+"  ", 4+column+2, plain, clean(s.Detail))
		if s.Next != "" && !s.OK {
			p.wrapped("    → ", plain, clean(s.Next))
		}
	}
}

// latency says how long an answer took.
func latency(ms float64) string {
	if ms <= 0 {
		return ""
	}
	return took(ms)
}

// Ready says where a stand-in for a provider listens, and how to use it.
func Ready(view View, baseURL, anthropicURL, snippet, warning string) string {
	p := newPage(view)
	p.wrapped("", bold, "A model that only pretends listens at "+clean(baseURL))
	p.wrapped("", dim, "In the protocol of Anthropic: "+clean(anthropicURL))
	if warning != "" {
		p.wrapped("! ", yellow, sentence(warning))
	}
	p.line()
	p.wrapped("", plain, "Put this into the configuration, and it thinks for all threads, and deliberates:")
	p.line()
	for line := range strings.Lines(Lines(snippet)) {
		p.line("  ", strings.TrimRight(line, "\n"))
	}
	p.line()
	p.wrapped("", dim, "Ctrl-C ends it.")
	return p.String()
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

// count says a number of things with the thousands parted, "" for none.
func count(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return amount(n, noun)
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
