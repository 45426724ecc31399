// Package foreign reads the files that people and other tools write: markdown
// and plain text notes with YAML front matter, and transcripts of agents.
//
// It stores nothing. senses/notes and senses/conversation call it. What it reads
// is hostile: a bounded number of bytes and blocks, one pass over the lines, and no
// step that costs more than its line.
//
// The lines are scanned here instead of being parsed with goldmark. Callers
// need blocks with line numbers, task states and what is quoted, and no inline
// structure at all; and goldmark takes quadratic time for deeply nested quotes
// and open brackets (80 KB of "[a](" take over a second), which a folder that
// others can write to must not be able to ask for.
package foreign

import "strings"

const (
	// MaxBytes is how much of a file is read.
	MaxBytes = 1 << 20
	// MaxBlocks is how many blocks a document has at most.
	MaxBlocks = 50_000
)

// Document is one file, split.
type Document struct {
	// Fields are the front matter's, by their names in lower case.
	Fields map[string]Field
	// Body is the number of the first line behind the front matter, 1 if
	// there is none.
	Body   int
	Blocks []Block
}

// Kind of a block.
type Kind uint8

const (
	Paragraph Kind = iota
	Item           // of a list
	Heading
	Quote   // "> …", and the lines that lazily continue one
	Code    // fenced or indented
	Comment // <!-- … -->
)

// Task is the state of a list item's box.
type Task uint8

const (
	NoTask    Task = iota
	Open           // [ ], and boxes that say how it goes on: [/], [!], [?]
	Done           // [x]
	Cancelled      // [-], and what was moved elsewhere: [>], [<]
)

// Block is some lines that belong together.
type Block struct {
	Kind Kind
	Task Task
	// Line is the number of the first line in the file, from 1.
	Line int
	// Lines are without the markers of list, task, quote and heading, trimmed.
	Lines []string
	// Level is 1 to 6 for a heading; for an item how deep it is nested, from 1.
	Level int
	// Headings are the titles above the block, outermost first.
	Headings []string
}

// Skipped reports whether the block is not the writer's own word: quotes, code
// and comments.
func (b Block) Skipped() bool { return b.Kind == Quote || b.Kind == Code || b.Kind == Comment }

// Text returns the lines, joined by spaces.
func (b Block) Text() string { return strings.Join(b.Lines, " ") }

// Parse splits a file. Bytes that are no UTF-8 are replaced. In plain text
// indentation is no code and underlining makes no heading.
func Parse(data []byte, plain bool) Document {
	var d Document
	text := strings.TrimPrefix(headOf(string(data), MaxBytes), "\xef\xbb\xbf")
	text = strings.ToValidUTF8(text, "\uFFFD")
	body, line := text, 1
	if !plain || strings.HasPrefix(text, "---") {
		d.Fields, body, line = frontMatter(text)
	}
	d.Body = line
	s := scanner{document: &d, plain: plain}
	s.scan(body, line)
	return d
}
