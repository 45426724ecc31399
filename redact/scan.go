package redact

import "strings"

// text is what one scan looks at: nothing before base is read, because there
// the last secret ended.
type text struct {
	s       string
	machine *machine
	base    int
	// linkEnd is the end of the link that was last looked at as a whole.
	linkEnd int
	// cues are the words of this scan that tell what a number near them is.
	cues []cue
	// publicEnd is the end of a block of public key material.
	publicEnd int
	// found are the secrets of the scans that are not done with; a scan adds its
	// own at the end.
	found []Span
}

// scan adds the secrets of s to those found, in one pass.
func (t *text) scan(s string) {
	m := t.machine
	*t = text{s: s, machine: m, cues: t.cues[:0], found: t.found}
	var state uint16
	run := -1 // where the run of token bytes began that is being read
	for i := 0; i <= len(s); i++ {
		if i == len(s) || !isRun[s[i]] {
			if run >= 0 {
				if i-run >= runBytes {
					if span, ok := t.checkRun(run, i); ok {
						i, run, state = t.restart(span), -1, 0
						continue
					}
				}
				run = -1
			}
			if i == len(s) {
				break
			}
		} else if run < 0 {
			run = i
		}
		state = m.next[int(state)*m.width+int(m.class[s[i]])]
		if m.first[state] == 0 {
			continue
		}
		if span, ok := t.checkAnchors(m, m.first[state], i+1); ok {
			i, run, state = t.restart(span), -1, 0
		}
	}
}

// restart keeps a secret, moves the base behind it and returns the index before
// that.
func (t *text) restart(span Span) int {
	t.found = append(t.found, span)
	t.base = span.End
	return span.End - 1
}

// checkAnchors verifies the anchors that end at end, the longest first: that of
// state and those of the shorter ones. Of the words for codes it keeps the
// longest, for when no other secret is found.
func (t *text) checkAnchors(m *machine, state uint16, end int) (Span, bool) {
	for cued := false; state != 0; state = m.shorter[state] {
		a := &m.anchors[m.anchor[state]]
		if a.cue != nil && !cued {
			cued = t.readCue(a.cue, end-len(a.text), end)
		}
		if a.check == nil {
			continue
		}
		if span, ok := a.check(t, a, end-len(a.text), end); ok && span.Start >= t.base && span.End > span.Start {
			return span, true
		}
	}
	return Span{}, false
}

// runBytes is the length of the shortest run that may be a secret.
const runBytes = 3

// checkRun verifies a run of token bytes that no anchor claimed. Its length and
// first bytes tell which checks are worth a call.
func (t *text) checkRun(from, to int) (span Span, ok bool) {
	if to-from >= shapedLeast {
		span, ok = t.shapedKey(from, to)
	}
	number := isDigit[t.s[from]]
	if !ok && !number && isDigit[t.at(from+2)] {
		span, ok = t.iban(from, to)
	}
	if !ok && number {
		span, ok = t.card(from, to)
	}
	if !ok && to-from >= keyBytes {
		span, ok = t.entropy(from, to)
		ok = ok && !t.isChecksum(from, to)
	}
	return span, ok
}

// at returns the byte at i, 0 outside of what may be read.
func (t *text) at(i int) byte {
	if i < t.base || i >= len(t.s) {
		return 0
	}
	return t.s[i]
}

// extend returns how far the bytes of a set go from i, at most to max.
func extend(s string, i, max int, set *[256]bool) int {
	if max > len(s) {
		max = len(s)
	}
	for i < max && set[s[i]] {
		i++
	}
	return i
}

// setOf makes a set of bytes.
func setOf(bytes string) *[256]bool {
	set := new([256]bool)
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return set
}

// except makes the set of all bytes from first on but these.
func except(first int, bytes string) *[256]bool {
	set := new([256]bool)
	for b := first; b < len(set); b++ {
		set[b] = strings.IndexByte(bytes, byte(b)) < 0
	}
	return set
}

// has reports whether s has a byte of a set.
func has(s string, set *[256]bool) bool {
	for i := range len(s) {
		if set[s[i]] {
			return true
		}
	}
	return false
}

const (
	urlEnds = "\"'<>`"
	digits  = "0123456789"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters = lower + upper
)

var (
	isRun       = setOf(letters + digits + "+/_-")
	isAlnum     = setOf(letters + digits)
	isDigit     = setOf(digits)
	isUpper     = setOf(upper)
	isLower     = setOf(lower)
	isPlainWord = setOf(letters + "_")
	isHex       = setOf(digits + "abcdefABCDEF")
	isB64URL    = setOf(letters + digits + "_-")
	isB64       = setOf(letters + digits + "+/")
	isUpNum     = setOf(upper + digits)
	isDotted    = setOf(letters + digits + "_-.")
	isToken     = setOf(letters + digits + "_-.+/=~")
	isPadding   = setOf("=")
	isBlank     = setOf(" ")
	isWord      = except('!', "")
	isURL       = except('!', urlEnds)
	isPercent   = setOf(letters + digits + "%_-")
	isName      = setOf(letters + digits + "_-.")
)
