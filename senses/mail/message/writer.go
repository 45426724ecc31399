package message

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// writer puts words, lines and paragraphs together: spaces and empty lines once,
// and "> " before each line of a quotation.
type writer struct {
	strings.Builder
	depth   int  // of quotation
	breaks  int  // line ends wanted before the next word: 1 a line, 2 a paragraph
	gap     bool // a space is wanted before the next word
	started bool // the line has words
}

const deepestQuote = 5

// deeper changes the depth of quotation; what follows is another paragraph.
func (w *writer) deeper(by int) {
	w.paragraph()
	w.depth += by
}

func (w *writer) line()      { w.breaks = max(w.breaks, 1) }
func (w *writer) paragraph() { w.breaks = 2 }
func (w *writer) space()     { w.gap = true }

// begin makes room for a word.
func (w *writer) begin() {
	switch {
	case w.Len() == 0:
		w.started = false
		w.breaks = 1
	case w.breaks > 0:
		for range w.breaks {
			w.WriteByte('\n')
		}
		w.started = false
	}
	if !w.started && w.breaks > 0 {
		for range min(w.depth, deepestQuote) {
			w.WriteString("> ")
		}
	} else if w.gap {
		w.WriteByte(' ')
	}
	w.breaks, w.gap, w.started = 0, false, true
}

// item begins an item of a list: with a number, where there is one, and the next one
// from then on.
func (w *writer) item(number *int) {
	w.line()
	w.begin()
	if number == nil {
		w.WriteString("- ")
		return
	}
	w.WriteString(strconv.Itoa(*number) + ". ")
	*number++
}

// words writes text of a page: runs of white space are one space, or stay, where
// the text is preformatted.
func (w *writer) words(text []byte, preformatted bool) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case preformatted && r == '\n':
			w.breaks = min(w.breaks+1, 2)
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' || r == '\u00A0':
			w.gap = true
			if preformatted {
				w.gap = false
				w.begin()
				w.WriteByte(' ')
			}
		case dropped(r):
		default:
			end := size
			for end < len(text) && text[end] > ' ' && text[end] < 0x7f {
				end++
			}
			w.begin()
			w.Write(text[:end])
			size = end
		}
		text = text[size:]
	}
}
