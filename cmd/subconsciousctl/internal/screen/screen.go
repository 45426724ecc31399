// Package screen turns what the daemon answers into text for a terminal. It is
// pure: time, zone, width and colour are given. The command line calls it.
package screen

import (
	"strings"
	"text/template"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	narrowest = 40
	widest    = 120 // longer lines are hard to read
)

// View is for whom it is written.
type View struct {
	At   time.Time
	Zone *time.Location
	// Width is the number of columns; what is out of 40 to 120 is brought in.
	Width int
	// Colour allows escape sequences. Nothing is said by colour alone.
	Colour bool
	// Home is shortened to "~" in paths; empty shortens nothing.
	Home string
}

// page is a text under construction.
type page struct {
	View
	text      strings.Builder
	templates *template.Template
	asked     any // what was asked for
}

func newPage(view View) *page {
	if view.Zone == nil {
		view.Zone = time.UTC
	}
	view.Width = min(max(view.Width, narrowest), widest)
	return &page{View: view}
}

func (p *page) String() string { return p.text.String() }

// style is a "select graphic rendition" parameter.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// Colours are the escape sequences that are written here.
func Colours() []string {
	sequences := []string{"\x1b[0m"}
	for _, s := range []style{bold, dim, red, green, yellow} {
		sequences = append(sequences, "\x1b["+string(s)+"m")
	}
	return sequences
}

// pieces joins what is not empty with dots, leaving out from the end what does
// not fit into so many columns.
func pieces(columns int, parts ...string) string {
	const dot = " · "
	text := ""
	for _, part := range parts {
		switch {
		case part == "":
		case text == "":
			text = truncate(part, columns)
		case cells(text)+cells(dot)+cells(part) <= columns:
			text += dot + part
		}
	}
	return text
}

// cells returns how many columns text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	if r < ' ' { // markup
		return 0
	}
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// truncate cuts text to so many columns, with "…" where something is missing.
func truncate(text string, columns int) string {
	if cells(text) <= columns {
		return text
	}
	used := 0
	for i, r := range text {
		if used += runeCells(r); used > columns-1 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// pad fills text up to so many columns, or cuts it.
func pad(text string, columns int) string {
	text = truncate(text, columns)
	return text + strings.Repeat(" ", max(0, columns-cells(text)))
}

// wrap breaks text at spaces into lines of so many columns; a longer word, as a
// path or an id may be, goes on in the next line. There is at least one line.
func wrap(text string, columns int) []string {
	columns = max(columns, 8)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word) <= columns:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
		for cells(line) > columns {
			head := cut(line, columns)
			lines = append(lines, head)
			line = line[len(head):]
		}
	}
	return append(lines, line)
}

// cut returns the beginning of text that takes at most so many columns.
func cut(text string, columns int) string {
	used := 0
	for i, r := range text {
		if used += runeCells(r); used > columns {
			return text[:i]
		}
	}
	return text
}

const barCells = 10

// bar draws a strength of 0 to 10.
func bar(strength int) string {
	strength = min(max(strength, 0), barCells)
	return strings.Repeat("▰", strength) + strings.Repeat("▱", barCells-strength)
}

// path shortens the home folder.
func (p *page) path(path string) string {
	path = clean(path)
	if rest, ok := strings.CutPrefix(path, p.Home); ok && p.Home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// Lines makes each line of text printable and leaves the line breaks.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = subconscious.Printable(line)
	}
	return strings.Join(lines, "\n")
}
