package screen

import (
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// findingMark gives a state of a finding its sign and colour.
func findingMark(state doctor.State) (mark string, colour style) {
	switch state {
	case doctor.OK:
		return "✓", green
	case doctor.Skipped:
		return "–", dim
	case doctor.Note:
		return "·", plain
	case doctor.Degraded:
		return "!", yellow
	default:
		return "✗", red
	}
}

// Doctor says what an examination found.
func Doctor(view View, findings []doctor.Finding) string {
	p := newPage(view)
	column := 12
	for _, f := range findings {
		column = max(column, min(cells(clean(f.Name)), 24))
	}
	column = min(column, p.Width-4-2-wordsAtLeast)
	part := ""
	counts := map[doctor.State]int{}
	for _, f := range findings {
		if f.Part != part {
			if part != "" {
				p.line()
			}
			part = f.Part
			p.wrapped("", bold, sentenceCase(part))
		}
		counts[f.State]++
		mark, colour := findingMark(f.State)
		p.marked("  ", colour, mark, " "+pad(clean(f.Name), column)+"  ", 4+column+2, plain, clean(f.Detail))
		if f.Next != "" {
			p.wrapped(strings.Repeat(" ", 4+column+2)+"→ ", plain, clean(f.Next))
		}
	}
	p.line()
	switch {
	case counts[doctor.Broken] > 0:
		p.wrapped("", bold, fmt.Sprintf("%s broken, %d degraded.", amount(counts[doctor.Broken], "thing"), counts[doctor.Degraded]))
	case counts[doctor.Degraded] > 0:
		p.wrapped("", bold, amount(counts[doctor.Degraded], "thing")+" to mend; it works nevertheless.")
	default:
		p.wrapped("", bold, "All well.")
	}
	return p.String()
}

// sentenceCase sets the first letter large.
func sentenceCase(text string) string {
	text = clean(text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
