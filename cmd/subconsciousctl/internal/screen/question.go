package screen

import (
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
