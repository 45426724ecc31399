package screen

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// Prompt is what a thread would be asked now. The prompt itself is not wrapped,
// so that it can be read as the model reads it.
func Prompt(view View, r api.RenderedPrompt) string {
	p := newPage(view)
	p.line(p.in(bold, "What the "+clean(r.Thread)+" would be asked now"))
	who := "rules think for it: no model is asked"
	if r.Model != "" {
		who = clean(r.Model)
		if r.Redacted {
			who += ", which is not local: secrets and what privacy withholds are replaced"
		}
	}
	p.wrapped("  ", dim, who)
	p.wrapped("  ", dim, pieces(p.Width-2, amount(r.Bytes, "byte"), "about "+amount(r.Tokens, "token"), clean(r.Hash)))
	if r.Note != "" {
		p.wrapped("  ", yellow, clean(r.Note))
	}
	for _, part := range []struct{ name, text string }{{"System", r.System}, {"Message", r.User}} {
		p.heading(part.name)
		p.text.WriteString(strings.TrimRight(Lines(part.text), "\n") + "\n")
	}
	return p.String()
}

// Diff writes a unified diff, added lines green and removed ones red.
func Diff(view View, diff string) string {
	p := newPage(view)
	for line := range strings.Lines(Lines(diff)) {
		line = strings.TrimRight(line, "\n")
		colour := plain
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			colour = bold
		case strings.HasPrefix(line, "+"):
			colour = green
		case strings.HasPrefix(line, "-"):
			colour = red
		}
		p.text.WriteString(p.in(colour, line) + "\n")
	}
	return p.String()
}
