package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A one-time code is some four to eight figures, or figures among letters, and
// nothing about it tells what it is: what stands around it does. So everything
// that has the shape of a code is weighed: how it looks, how it stands in its
// sentence, and of what the words around it speak (see traits).

// codeAround is how far around a code words are read, in bytes.
const codeAround = 170

// codeList bounds the codes of one list.
const codeList = 20

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
	w := window{}
	for at, gate := 0, 0; ; {
		from, to := 0, 0
		if from, to, gate = t.nearSpeaking(at, gate); to == 0 {
			break
		}
		c, ok := t.nextCode(from, to)
		if !ok {
			at = max(to, c.End)
			continue
		}
		at = c.End
		w.move(t, c)
		if len(w.cues) == 0 || t.isCounted(c) || !t.traits(c, &w).isCode() {
			continue
		}
		list := t.listFrom(c)
		t.found = append(t.found, list...)
		at = list[len(list)-1].End
	}
	t.repeated(first)
}

// speaks are the roles of the words of which one at least stands by a code:
// elsewhere codes are not looked for.
const speaks = 1<<names | 1<<certain | 1<<opens | 1<<admits | 1<<commands | 1<<cautions | 1<<numbers

// nearSpeaking returns the next stretch of the text at or after at that is within
// reach of a word that speaks of codes, and the index of the word; to is 0 where
// there is no more. The words before gate are behind.
func (t *text) nearSpeaking(at, gate int) (from, to, next int) {
	for ; gate < len(t.cues); gate++ {
		q := &t.cues[gate]
		to = min(len(t.s), q.to+codeAround)
		if q.roles&speaks == 0 || to <= at {
			continue
		}
		from = max(at, q.from-codeAround)
		for back := max(at, from-keyBytesInGroups); from > back && t.s[from-1] > ' '; {
			from-- // to where the word begins
		}
		return from, to, gate
	}
	return 0, 0, gate
}

// window are the words with a role around a code, and its sentence.
type window struct {
	first, last int // of the words of the text
	cues        []cue
	from, to    int
}

// move sets the window around c, which stands behind the code before.
func (w *window) move(t *text, c codeToken) {
	for w.first < len(t.cues) && t.cues[w.first].from < c.Start-codeAround {
		w.first++
	}
	w.last = max(w.last, w.first)
	for w.last < len(t.cues) && t.cues[w.last].to <= c.End+codeAround {
		w.last++
	}
	w.cues = t.cues[w.first:w.last]
	if len(w.cues) > 0 {
		w.from, w.to = t.sentence(c)
	}
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

// listFrom is a code with those that follow it in a list.
func (t *text) listFrom(c codeToken) []Span {
	list := []Span{c.Span}
	for len(list) < codeList {
		rest := t.s[c.End:]
		gap := len(rest) - len(strings.TrimLeft(head(rest, 12), " ,;\n\t•*-")) - max(0, len(rest)-12)
		if n := numbering(rest[gap:]); n > 0 && strings.Contains(rest[:gap], "\n") {
			gap += n
		}
		next, ok := codeToken{}, false
		if gap > 0 && gap <= 9 && c.End+gap < len(t.s) && beginsCode(t.s[c.End+gap:]) {
			next, ok = t.codeAt(c.End+gap, t.codeEnd(c.End+gap))
		}
		if !ok || next.length != c.length || next.parts != c.parts {
			break
		}
		list, c = append(list, next.Span), next
	}
	return list
}

// checkG verifies "G-123456", as Google writes its codes.
func checkG(t *text, a *anchor, from, to int) (Span, bool) {
	end := extend(t.s, to, to+7, isDigit)
	if end-to != 6 || joinsNumber(t.at(from-1)) || isAlnum[t.at(end)] || t.at(end) == '-' || t.s[from] != 'G' {
		return Span{}, false
	}
	return Span{from, end, a.kind}, true
}
