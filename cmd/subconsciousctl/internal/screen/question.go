package screen

import (
	"slices"
	"strings"
)

// Paragraph wraps text at the width of the terminal, and leaves an empty line
// below it. Lines that are indented are left as they are.
func Paragraph(view View, text string) string {
	return drawLines(view, strings.TrimSuffix(text, "\n")+"\n\n", func(line string) markup {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "#") || strings.HasSuffix(line, ":") {
			return asIs + markup(line)
		}
		return markup(line)
	})
}

// Diff writes a unified diff, added lines green and removed ones red.
func Diff(view View, diff string) string {
	return drawLines(view, diff, func(line string) markup {
		colour := plain
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			colour = bold
		case strings.HasPrefix(line, "+"):
			colour = green
		case strings.HasPrefix(line, "-"):
			colour = red
		}
		return asIs + markup(string(rune(on+slices.Index(styles, colour)))+line)
	})
}

// drawLines draws a text line by line, empty ones too.
func drawLines(view View, text string, of func(line string) markup) string {
	p := newPage(view)
	for line := range strings.Lines(Lines(text)) {
		p.render(string(kept) + string(of(strings.TrimRight(line, "\n"))))
	}
	return p.String()
}
