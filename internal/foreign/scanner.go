package foreign

import "strings"

// scanner walks over the lines once. What it knows of the lines before is the
// block that the next one may continue, and the containers that are open.
type scanner struct {
	document *Document
	plain    bool
	headings []heading
	path     []string // titles of headings, shared by the blocks below them

	// open is the block that may be continued; openable says whether it may.
	open     *Block
	openable bool
	blank    bool  // the last line was blank, or there is none
	code     bool  // the last line was indented code
	items    []int // columns of the texts of the open list items
	fence    fence
	comment  bool
}

type heading struct {
	level int
	title string
}

type fence struct {
	char   byte // 0: none is open
	length int
	column int // of the list item that it stands in
}

func (s *scanner) scan(text string, line int) {
	s.blank = true
	for l := range strings.Lines(text) {
		if len(s.document.Blocks) >= MaxBlocks {
			return
		}
		s.line(strings.TrimRight(l, "\r\n"), line)
		line++
	}
}

func (s *scanner) line(raw string, number int) {
	column, rest := indentation(raw)
	trimmed := strings.TrimSpace(rest)
	switch {
	case s.comment:
		s.add(Block{Kind: Comment, Line: number, Lines: []string{trimmed}}, false)
		s.comment = !strings.Contains(rest, "-->")
		return
	case s.fence.char != 0 && s.fenced(column, rest, number):
		return
	case trimmed == "":
		s.openable, s.blank = false, true
		return
	}
	s.text(column, rest, number)
	s.blank = false
}

// indentation returns the column of the first character that is no white
// space, tabs counted to the next multiple of 4, and the line from there on.
func indentation(raw string) (column int, rest string) {
	for i := range len(raw) {
		switch raw[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column, raw[i:]
		}
	}
	return column, ""
}

// fenced handles a line within a fence; false if the fence's list item ended.
func (s *scanner) fenced(column int, rest string, number int) bool {
	trimmed := strings.TrimSpace(rest)
	if trimmed != "" && column < s.fence.column {
		s.fence = fence{}
		return false
	}
	if n := run(trimmed, s.fence.char); n >= s.fence.length && n == len(trimmed) {
		s.fence = fence{}
		s.openable, s.blank = false, false
		return true
	}
	s.add(Block{Kind: Code, Line: number, Lines: []string{rest}}, false)
	return true
}

// run counts how often char stands at the beginning of text.
func run(text string, char byte) int {
	n := 0
	for n < len(text) && text[n] == char {
		n++
	}
	return n
}

// text handles a line that is neither blank nor within a fence or a comment.
func (s *scanner) text(column int, rest string, number int) {
	trimmed := strings.TrimSpace(rest)
	s.closeItems(column, rest)
	inner := column
	if len(s.items) > 0 {
		inner = column - s.items[len(s.items)-1]
	}
	s.code = inner >= 4 && (s.blank || s.code) && !s.plain && (len(s.items) == 0 || inner >= 6)
	if s.code {
		s.add(Block{Kind: Code, Line: number, Lines: []string{trimmed}}, false)
		return
	}
	switch {
	case s.openFence(column, rest):
	case strings.HasPrefix(rest, "<!--"):
		s.add(Block{Kind: Comment, Line: number, Lines: []string{trimmed}}, false)
		s.comment = !strings.Contains(rest, "-->")
	case rest[0] == '>':
		s.add(Block{Kind: Quote, Line: number, Lines: []string{strings.TrimLeft(rest, "> \t")}}, true)
	case s.underline(trimmed):
	case isRule(trimmed):
		s.openable = false
	case s.heading(trimmed, number):
	case s.item(column, rest, number):
	case s.openable && s.open != nil && (s.open.Kind != Heading):
		s.open.Lines = append(s.open.Lines, trimmed)
	default:
		s.add(Block{Kind: Paragraph, Line: number, Lines: []string{trimmed}}, true)
	}
}

// wrapped is the length from which on a line may have been broken by an editor, so
// that an item goes on in the next one though that is not set in.
const wrapped = 50

// closeItems ends the list items that a line at column cannot belong to.
func (s *scanner) closeItems(column int, rest string) {
	_, _, isItem := marker(rest)
	for len(s.items) > 0 && column < s.items[len(s.items)-1] {
		if !isItem && !s.blank && s.openable && len(s.open.Lines[len(s.open.Lines)-1]) >= wrapped {
			return // a lazy continuation
		}
		s.items = s.items[:len(s.items)-1]
		s.openable = false
	}
}

func (s *scanner) openFence(column int, rest string) bool {
	for _, char := range []byte{'`', '~'} {
		n := run(rest, char)
		if n < 3 || char == '`' && strings.IndexByte(rest[n:], '`') >= 0 {
			continue
		}
		s.fence = fence{char: char, length: n}
		if len(s.items) > 0 && column >= s.items[len(s.items)-1] {
			s.fence.column = s.items[len(s.items)-1]
		}
		s.openable = false
		return true
	}
	return false
}

// underline turns a paragraph of one line above === or --- into a heading.
func (s *scanner) underline(trimmed string) bool {
	if s.plain || !s.openable || s.open == nil || s.open.Kind != Paragraph || len(s.open.Lines) != 1 {
		return false
	}
	level := 0
	switch {
	case run(trimmed, '=') == len(trimmed):
		level = 1
	case run(trimmed, '-') == len(trimmed):
		level = 2
	default:
		return false
	}
	s.open.Kind, s.open.Level = Heading, level
	s.enter(level, s.open.Lines[0])
	s.open.Headings = s.path[:len(s.path)-1]
	s.openable = false
	return true
}

// isRule reports whether a line is a thematic break.
func isRule(trimmed string) bool {
	marks := 0
	for i := range len(trimmed) {
		switch c := trimmed[i]; {
		case c == ' ' || c == '\t':
		case (c == '-' || c == '*' || c == '_') && c == trimmed[0]:
			marks++
		default:
			return false
		}
	}
	return marks >= 3
}

func (s *scanner) heading(trimmed string, number int) bool {
	level := run(trimmed, '#')
	if level < 1 || level > 6 || level < len(trimmed) && trimmed[level] != ' ' && trimmed[level] != '\t' {
		return false
	}
	title := strings.TrimSpace(trimmed[level:])
	if closed := strings.TrimRight(title, "#"); closed == "" || strings.HasSuffix(closed, " ") {
		title = strings.TrimSpace(closed)
	}
	s.items = s.items[:0]
	s.enter(level, title)
	s.add(Block{Kind: Heading, Line: number, Level: level, Lines: []string{title}}, false)
	s.open.Headings = s.path[:len(s.path)-1]
	return true
}

// enter makes a heading the innermost one.
func (s *scanner) enter(level int, title string) {
	for len(s.headings) > 0 && s.headings[len(s.headings)-1].level >= level {
		s.headings = s.headings[:len(s.headings)-1]
	}
	s.headings = append(s.headings, heading{level, title})
	s.path = make([]string, len(s.headings))
	for i, h := range s.headings {
		s.path[i] = h.title
	}
}

// add appends a block. openable: the next line may continue it.
func (s *scanner) add(b Block, openable bool) {
	if open := s.open; open != nil && open.Kind == b.Kind && (b.Kind == Code || b.Kind == Comment || b.Kind == Quote && s.openable) &&
		open.Line+len(open.Lines) == b.Line {
		open.Lines = append(open.Lines, b.Lines...)
		s.openable = openable
		return
	}
	b.Headings = s.path
	s.document.Blocks = append(s.document.Blocks, b)
	s.open, s.openable = &s.document.Blocks[len(s.document.Blocks)-1], openable
}

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
