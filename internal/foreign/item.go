package foreign

import "strings"

// maxNesting bounds how many list items can be open within each other.
const maxNesting = 32

// item handles a line that begins a list item.
func (s *scanner) item(column int, rest string, number int) bool {
	width, text, ok := marker(rest)
	if !ok {
		return false
	}
	for len(s.items) > 0 && column < s.items[len(s.items)-1] {
		s.items = s.items[:len(s.items)-1]
	}
	if len(s.items) < maxNesting {
		s.items = append(s.items, column+width)
	}
	if s.openFence(column+width, text) {
		return true
	}
	if strings.HasPrefix(text, ">") {
		s.add(Block{Kind: Quote, Line: number, Lines: []string{strings.TrimLeft(text, "> \t")}}, true)
		return true
	}
	b := Block{Kind: Item, Line: number, Level: len(s.items)}
	b.Task, text = task(text)
	b.Lines = []string{strings.TrimSpace(text)}
	s.add(b, true)
	return true
}

// marker reads "- ", "* ", "+ ", "1. " or "1) " and returns its width and what
// follows.
func marker(rest string) (width int, text string, ok bool) {
	n := 0
	switch {
	case rest == "":
		return 0, "", false
	case rest[0] == '-' || rest[0] == '*' || rest[0] == '+':
		n = 1
	default:
		for n < len(rest) && n < 9 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n == len(rest) || rest[n] != '.' && rest[n] != ')' {
			return 0, "", false
		}
		n++
	}
	if n == len(rest) {
		return n + 1, "", true
	}
	spaces, text := indentation(rest[n:])
	if spaces == 0 {
		return 0, "", false
	}
	if spaces > 4 {
		spaces = 1
	}
	return n + spaces, text, true
}

// task reads a box at the beginning of an item's text.
func task(text string) (Task, string) {
	if strings.HasPrefix(text, "[] ") {
		return Open, text[3:]
	}
	if !strings.HasPrefix(text, "[") {
		return NoTask, text
	}
	inside, rest, found := strings.Cut(text[1:], "]")
	if !found || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return NoTask, text
	}
	switch inside {
	case " ", "/", "!", "?":
		return Open, rest
	case "x", "X", "✓", "✔":
		return Done, rest
	case "-", ">", "<", "~":
		return Cancelled, rest
	}
	return NoTask, text
}
