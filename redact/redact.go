// Package redact takes secrets out of text before the text is stored, logged
// or shown to a remote model.
//
// One pass over the text drives an automaton of anchors (the prefixes of known
// keys, words like "password", "://", "-----BEGIN") and gathers runs of token
// bytes; each anchor and each run is then verified in place, within a bounded
// window; regular expressions read short values alone. The time is linear in the
// length of the text, and nothing is kept between calls.
//
// The package stores nothing. The collector of senses calls it on every
// observation, the logger on what comes from outside.
package redact

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Span is one secret: the bytes s[Start:End], and its kind as it appears in
// the replacement ("github", "password", "card").
type Span struct {
	Start, End int
	Kind       string
}

const (
	markOpen  = "[redacted:"
	markClose = ']'
	// kindBytes bounds the kind in a mark that is read back.
	kindBytes = 24
	// shortestWord is more than a word alone, or a number alone, has that is no secret
	// whatever it says: of those, all keys that are known are longer.
	shortestWord = 12
	// rounds bounds how often what lies between spans is looked at again. A
	// piece that still yields secrets after that many is one secret.
	rounds = 6
)

// Find returns the secrets in s, in order and without overlap. Bytes that are
// already a mark ("[redacted:password]") separate texts: nothing is ever found
// in one or across one.
func Find(s string) []Span {
	if len(s) < shortestWord && (extend(s, 0, len(s), isPlainWord) == len(s) || extend(s, 0, len(s), isDigit) == len(s)) {
		return nil
	}
	var spans []Span
	t := texts.Get().(*text)
	for start := 0; start <= len(s); {
		from, to := nextMark(s, start)
		spans = t.findBetween(spans, s, start, from, 1)
		start = to
	}
	*t = text{machine: t.machine, cues: t.cues[:0], found: t.found[:0]}
	texts.Put(t)
	return spans
}

// texts have room for what is found in one text after the other, and nothing of any.
var texts = sync.Pool{New: func() any { return &text{machine: compiled()} }}

// Text returns s with every secret replaced by "[redacted:kind]". Redacting
// the result again changes nothing; valid UTF-8 stays valid.
func Text(s string) string {
	spans := Find(s)
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(spans)*len(markOpen))
	last := 0
	for _, span := range spans {
		b.WriteString(s[last:span.Start])
		b.WriteString(markOpen)
		b.WriteString(span.Kind)
		b.WriteByte(markClose)
		last = span.End
	}
	b.WriteString(s[last:])
	return b.String()
}

// findBetween appends the secrets of s[start:end]. What lies between them is
// scanned again as texts of their own, because that is how it reads once the
// secrets are marks; so a second redaction finds nothing new.
func (t *text) findBetween(spans []Span, s string, start, end, round int) []Span {
	if start == end {
		return spans
	}
	first := len(t.found)
	t.scan(s[start:end])
	if len(t.found) == first { // codes are looked for where no other secret is left
		t.codes()
	}
	after := len(t.found)
	if first == after {
		return spans
	}
	if round == rounds {
		t.found = t.found[:first]
		return append(spans, Span{start, end, "unclear"})
	}
	last := start
	for i := first; i < after; i++ {
		f := t.found[i]
		f.Start, f.End = whole(s, start+f.Start, start+f.End, last, end)
		spans = t.findBetween(spans, s, last, f.Start, round+1)
		spans = append(spans, f)
		last = f.End
	}
	t.found = t.found[:first]
	return t.findBetween(spans, s, last, end, round+1)
}

// whole widens a span to whole runes within [min, max).
func whole(s string, start, end, min, max int) (int, int) {
	for start > min && start < len(s) && !utf8.RuneStart(s[start]) {
		start--
	}
	for end < max && !utf8.RuneStart(s[end]) {
		end++
	}
	return start, end
}

// nextMark returns the bounds of the first mark at or after start; without one
// both are past the end.
func nextMark(s string, start int) (from, to int) {
	for at := start; ; {
		i := strings.Index(s[at:], markOpen)
		if i < 0 {
			return len(s), len(s) + 1
		}
		from = at + i
		kind := from + len(markOpen)
		to = extend(s, kind, kind+kindBytes, isKind)
		if to > kind && to < len(s) && s[to] == markClose {
			return from, to + 1
		}
		at = kind
	}
}

var isKind = setOf(lower + digits + "-")
