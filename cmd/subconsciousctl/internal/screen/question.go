package screen

import (
	"fmt"
	"strings"
)

// Paragraph wraps text at the width of the terminal. Lines that are indented
// are left as they are.
func Paragraph(view View, text string) string {
	p := newPage(view)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "#") || strings.HasSuffix(line, ":") {
			p.text.WriteString(Lines(line) + "\n")
			continue
		}
		p.wrapped("", plain, clean(line))
	}
	p.line()
	return p.String()
}

// Question writes a question with its numbered choices, each a name and words.
func Question(view View, question string, choices [][2]string) string {
	p := newPage(view)
	p.wrapped("", bold, clean(question))
	column := 4
	for _, c := range choices {
		column = max(column, min(cells(clean(c[0])), 16))
	}
	for i, c := range choices {
		p.wrapped(fmt.Sprintf("  %2d  ", i+1)+pad(clean(c[0]), column)+"  ", plain, clean(c[1]))
	}
	return p.String()
}
