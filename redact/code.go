package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A one-time code is some four to eight figures, or figures among letters, and
// nothing about it tells what it is: what stands around it does. So everything
// that has the shape of a code and stands near a word that speaks of codes is
// judged by points.

const (
	// codeAround is how far around a code words are read, in bytes.
	codeAround = 170
	// codeList bounds the codes of one list.
	codeList = 20
)

// codes adds the one-time codes of the text that was scanned last.
func (t *text) codes() {
	if len(t.cues) == 0 {
		return
	}
	first := len(t.found)
	t.qualify()
	if t.passwords(); len(t.found) > first {
		return
	}
	w, at := window{}, 0
	last, listed := codeToken{}, 0
	for _, q := range t.cues {
		if q.roles&speaks == 0 {
			continue
		}
		if from := q.from - codeAround; from > at {
			at = t.wordBegin(from, at)
		}
		for limit := min(len(t.s), q.to+codeAround); at < limit; {
			c, ok := t.nextCode(at, limit)
			at = c.End
			inList := listed < codeList && t.inList(last, c)
			if !ok || !inList && !t.isCode(c, &w) {
				continue
			}
			if t.found, last, listed = append(t.found, c.Span), c, listed+1; !inList {
				listed = 0
			}
			limit = max(limit, min(len(t.s), at+codeAround))
		}
	}
	t.repeated(first)
}

// inList reports whether c is the next of a list after a code that is like it.
func (t *text) inList(last, c codeToken) bool {
	return c.length == last.length && c.parts == last.parts && c.Start-last.End < 12 && strings.Trim(t.s[last.End:c.Start], " ,;\n\t•*-.)0123456789") == ""
}

// wordBegin returns where the word around i begins, of which as much is read as a
// code may have, and nothing before base.
func (t *text) wordBegin(i, base int) int {
	for limit := max(base, i-keyBytesInGroups); i > limit && t.s[i-1] > ' '; {
		i--
	}
	return i
}

// window is what is read of a text to judge a code: the words within codeAround,
// from the first on, and its sentence.
type window struct{ first, from, to int }

// move sets the window around c, which stands behind the code before.
func (w *window) move(t *text, c codeToken) {
	for w.first < len(t.cues) && t.cues[w.first].from < c.Start-codeAround {
		w.first++
	}
	w.from, w.to = t.sentence(c)
}

// roles returns the roles of the words in the sentence of c, of those near it, and
// of those right before c.
func (w *window) roles(t *text, c codeToken) (said, near, beside uint16) {
	for _, q := range t.cues[w.first:] {
		if q.to > c.End+codeAround {
			break
		}
		if q.number > 0 && q.number != c.Start {
			q.roles &^= 1 << counts // it has a number of its own
		}
		switch {
		case q.from < c.End && q.to > c.Start: // a part of the code itself
		case q.from < w.from || q.to > w.to:
			near |= q.roles
		default:
			said |= q.roles
			if q.to <= c.Start && strings.Trim(t.s[q.to:c.Start], " :=\"'„“«»(-–—*>：\n") == "" {
				beside |= q.roles
			}
		}
	}
	return said, near, beside
}

// lonely is how much else a sentence must hold, in bytes, to be read alone.
const lonely = 12

// sentence returns the bounds of the sentence that c stands in. Where there is
// hardly anything but the code in it, or on its line, those before and behind it
// belong to it.
func (t *text) sentence(c codeToken) (from, to int) {
	from, to = t.sentenceAround(c, c.Start, c.End)
	if !t.ownLine(c) && to-from-(c.End-c.Start) >= lonely {
		return from, to
	}
	for from > 0 && strings.IndexByte(" \r\n\t*>.:!?", t.s[from-1]) >= 0 {
		from--
	}
	for to < len(t.s) && strings.IndexByte(" \r\n\t*>.!?", t.s[to]) >= 0 {
		to++
	}
	return t.sentenceAround(c, from, to)
}

// sentenceAround widens the bounds to those of the sentence, within codeAround.
func (t *text) sentenceAround(c codeToken, from, to int) (int, int) {
	for from > max(0, c.Start-codeAround) && !t.endsSentence(from-1) {
		from--
	}
	for to < min(len(t.s), c.End+codeAround) && !t.endsSentence(to) {
		to++
	}
	return from, to
}

// endsSentence reports whether a sentence ends at the byte at i.
func (t *text) endsSentence(i int) bool {
	switch t.s[i] {
	case '!', '?':
		return true
	case '.':
		rest := head(t.s[i+1:], 2)
		return rest == "" || rest[0] == '\n' || rest[0] == '\r' || len(rest) == 2 && rest[0] == ' ' && (isUpper[rest[1]] || rest[1] >= 0x80)
	case '\n': // a line that was only broken goes on in small letters
		rest := strings.TrimLeft(head(t.s[i+1:], 4), " ")
		return rest == "" || !isLower[rest[0]] && !isDigit[rest[0]]
	}
	return false
}

// ownLine reports whether nothing else stands on the line of c.
func (t *text) ownLine(c codeToken) bool {
	before := strings.TrimRight(t.s[max(0, c.Start-8):c.Start], " \t*>\"'")
	if n := strings.LastIndexByte(before, '\n') + 1; n > 0 && numbering(before[n:]+" ") == len(before)-n+1 {
		before = before[:n] // "2. "
	}
	after := strings.TrimLeft(head(t.s[c.End:], 8), " \t*\"'\r.")
	return (before == "" && c.Start <= 8 || strings.HasSuffix(before, "\n")) && (after == "" && len(t.s)-c.End <= 8 || strings.HasPrefix(after, "\n"))
}

// numbering returns the length of "2. " or "2) ".
func numbering(s string) int {
	n := extend(s, 0, 2, isDigit)
	if n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// repeated adds what a code that was found stands for elsewhere in the text: in
// the line for the browser, in a link.
func (t *text) repeated(first int) {
	own := t.found[first:]
	if len(own) == 0 || len(own) > codeList {
		return
	}
	var more []Span
	for _, span := range own {
		code := t.s[span.Start:span.End]
		for at := 0; len(code) >= 4; {
			i := strings.Index(t.s[at:], code)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(code)
			at = to
			if !(from > 0 && isAlnum[t.s[from-1]]) && !isAlnum[t.at(to)] {
				more = append(more, Span{from, to, span.Kind})
			}
		}
	}
	t.found = append(t.found[:first], merged(append(own, more...))...)
}

// merged puts spans in order, without overlap.
func merged(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	out := spans[:0]
	for _, s := range spans {
		if len(out) == 0 || s.Start >= out[len(out)-1].End {
			out = append(out, s)
		}
	}
	return out
}

// checkG verifies "G-123456", as Google writes its codes.
func checkG(t *text, a *anchor, from, to int) (Span, bool) {
	end := extend(t.s, to, to+7, isDigit)
	if end-to != 6 || joinsNumber(t.at(from-1)) || isAlnum[t.at(end)] || t.at(end) == '-' || t.s[from] != 'G' {
		return Span{}, false
	}
	return Span{from, end, a.kind}, true
}
