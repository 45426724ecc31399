package redaction

import (
	"cmp"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/redact"
)

// label is one entry of labels.json: the characters [Start, End) of a line,
// which counts from 1.
type label struct {
	Path       string `json:"path"`
	Rule       string `json:"rule"`
	Value      string `json:"value"`
	Line       int    `json:"line"`
	Start      int    `json:"s"`
	End        int    `json:"e"`
	Severity   string `json:"sev"`
	Confidence string `json:"conf"`
}

const (
	strongConfidence = "strong"
	pemRule          = "PEM Private Key"
	pemBegin         = "-----BEGIN"
)

// place is a stretch of a file that labels speak of: the bytes [start, end).
type place struct {
	start, end int
	rule       string // of its first label
	strong     bool
	leftOut    bool // all of its labels are left out
}

// places turns the labels of a file into places: labels of the same bytes are
// one, and so are the lines of a PEM block. nowhere counts the labels that point
// outside of the text.
func places(text string, labels []label) (found []place, nowhere int) {
	lines := lineStarts(text)
	var whole, pem []place
	for _, l := range labels {
		start, end, ok := locate(text, lines, l)
		if !ok {
			if l.End > l.Start {
				nowhere++
			}
			continue
		}
		p := place{start, end, l.Rule, l.Confidence == strongConfidence, isLeftOut(l.Rule)}
		if l.Rule == pemRule {
			pem = append(pem, p)
		} else {
			whole = append(whole, p)
		}
	}
	return distinct(append(whole, pemBlocks(text, pem)...)), nowhere
}

// pemBlocks joins the lines of each block to one place.
func pemBlocks(text string, lines []place) []place {
	slices.SortStableFunc(lines, byStart)
	var blocks []place
	for _, line := range lines {
		last := len(blocks) - 1
		if last < 0 || strings.Contains(text[line.start:line.end], pemBegin) {
			blocks = append(blocks, line)
			continue
		}
		blocks[last].end = max(blocks[last].end, line.end)
		blocks[last].strong = blocks[last].strong || line.strong
	}
	return blocks
}

// distinct joins places of the same bytes.
func distinct(places []place) []place {
	slices.SortStableFunc(places, byStart)
	var found []place
	for _, p := range places {
		if last := len(found) - 1; last >= 0 && found[last].start == p.start && found[last].end == p.end {
			found[last].strong = found[last].strong || p.strong
			found[last].leftOut = found[last].leftOut && p.leftOut
			continue
		}
		found = append(found, p)
	}
	return found
}

func byStart(a, b place) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) }

// foundBy reports whether a hit covers enough of the place.
func (p place) foundBy(hit redact.Span) bool {
	return float64(p.shared(hit)) >= overlapShare*float64(p.end-p.start)
}

// explains reports whether the place makes a hit right: it is found by it, or
// holds most of it.
func (p place) explains(hit redact.Span) bool {
	return p.foundBy(hit) || float64(p.shared(hit)) >= overlapShare*float64(hit.End-hit.Start)
}

func (p place) shared(hit redact.Span) int {
	return max(0, min(p.end, hit.End)-max(p.start, hit.Start))
}

// lineStarts are the offsets at which the lines of a text begin, and its length.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return append(starts, len(text)+1)
}

// locate returns the bytes of a label. Where its text stands elsewhere in the
// line, that counts; where the line does not hold it, the place it names.
func locate(text string, lines []int, l label) (start, end int, ok bool) {
	if l.Line < 1 || l.Line >= len(lines) || l.Start < 0 || l.End <= l.Start {
		return 0, 0, false
	}
	first := lines[l.Line-1]
	line := text[first : lines[l.Line]-1]
	start, end = byteOffset(line, l.Start), byteOffset(line, l.End)
	if line[start:end] != l.Value {
		if at := strings.Index(line, l.Value); at >= 0 && l.Value != "" {
			start, end = at, at+len(l.Value)
		}
	}
	return first + start, first + end, end > start
}

// byteOffset is where the nth character of a line begins; its length where it
// has fewer.
func byteOffset(line string, n int) int {
	for i := range line {
		if n == 0 {
			return i
		}
		n--
	}
	return len(line)
}
