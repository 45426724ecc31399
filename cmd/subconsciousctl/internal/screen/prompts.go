package screen

import (
	"strings"
)

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
