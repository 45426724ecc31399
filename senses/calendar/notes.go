package calendar

import (
	"fmt"
	"strings"
)

// notes collect what could not be read, in words for a person.
type notes struct {
	first []string // the first few
	count int
}

const maxNotes = 3

// add notes what is wrong at a line of the file.
func (n *notes) add(line int, format string, args ...any) {
	if n.count++; len(n.first) < maxNotes {
		n.first = append(n.first, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
	}
}

// join takes over the other's notes.
func (n *notes) join(other notes) {
	n.first = append(n.first, other.first[:min(len(other.first), maxNotes-len(n.first))]...)
	n.count += other.count
}

// String is empty where there is nothing to say.
func (n *notes) String() string {
	if n.count == 0 {
		return ""
	}
	text := strings.Join(n.first, "; ")
	if more := n.count - len(n.first); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// addText notes what belongs to no line.
func (n *notes) addText(text string) {
	if n.count++; len(n.first) < maxNotes {
		n.first = append(n.first, text)
	}
}
