package recall

import "slices"

// list are the passages with a term, rising. Each is an entry of the difference to the
// one before it and of how often the term is in it; where the difference is large, an
// entry of its upper part, which is of no passage, stands before it.
type list struct {
	name    string
	entries []uint16
	last    uint32 // passage
	n       uint32 // passages
}

const (
	oftenBits = 3
	oftenMost = 1<<oftenBits - 1
	gapBits   = 16 - oftenBits
	gapMost   = 1<<gapBits - 1
)

func appendEntry(to []uint16, gap uint32, often uint16) []uint16 {
	if gap > gapMost {
		to = append(to, uint16(gap>>gapBits)<<oftenBits)
	}
	return append(to, uint16(gap&gapMost)<<oftenBits|often)
}

// next reads the entry at i behind a passage: where it ends, and its passage.
func (l *list) next(i int, before uint32) (end int, n uint32) {
	e := l.entries[i]
	if e&oftenMost == 0 {
		before += uint32(e>>oftenBits) << gapBits
		i++
		e = l.entries[i]
	}
	return i + 1, before + uint32(e>>oftenBits)
}

// seek finds the entry of the first passage from n on, and the passage before it.
func (l *list) seek(n uint32) (i int, before uint32) {
	for i < len(l.entries) {
		end, at := l.next(i, before)
		if at >= n {
			break
		}
		i, before = end, at
	}
	return i, before
}

// put enters a passage that is not there.
func (l *list) put(n uint32, often int) {
	count := uint16(min(often, oftenMost))
	if l.n++; l.n == 1 || n > l.last {
		l.entries, l.last = appendEntry(roomy(l.entries), n-l.last, count), n
		return
	}
	i, before := l.seek(n)
	end, after := l.next(i, before)
	both := appendEntry(nil, n-before, count)
	l.entries = slices.Replace(l.entries, i, end, appendEntry(both, after-n, l.entries[end-1]&oftenMost)...)
}

// take takes out a passage that is there, and reports whether none is left.
func (l *list) take(n uint32) (empty bool) {
	l.n--
	i, before := l.seek(n)
	end, _ := l.next(i, before)
	if end == len(l.entries) {
		l.entries, l.last = l.entries[:i], before
		return l.n == 0
	}
	behind, after := l.next(end, n)
	l.entries = slices.Replace(l.entries, i, behind, appendEntry(nil, after-before, l.entries[behind-1]&oftenMost)...)
	return false
}

// Lengths are kept in a byte: those of long texts in steps.
const (
	lengthExact = 127
	lengthStep  = 32
)

func lengthOf(terms int) uint8 {
	if terms <= lengthExact {
		return uint8(terms)
	}
	return uint8(min(lengthExact+(terms-lengthExact+lengthStep/2)/lengthStep, 255))
}

func termsOf(length uint8) int {
	return min(int(length), lengthExact) + max(int(length)-lengthExact, 0)*lengthStep
}
