package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/api"
)

// identity is how a model is called: "groq/llama-3.3-70b-versatile".
func identity(provider, model string) string { return clean(provider) + "/" + clean(model) }

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

// trouble groups roles whose models cannot be asked by model, in order.
type trouble struct {
	Model api.ModelStatus
	Roles []string
}

func troubles(models []api.ModelStatus) []trouble {
	var all []trouble
	for _, m := range models {
		if m.State == api.ModelOK || m.State == api.ModelUnused {
			continue
		}
		same := func(t trouble) bool { return t.Model.Provider == m.Provider && t.Model.Model == m.Model }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Roles = append(all[i].Roles, clean(m.Role))
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
func thousands(n int) string { return humanize.Comma(int64(n)) }
