package redact

// text is what one scan looks at: nothing before base is read, because there
// the last secret ended.
type text struct {
	s    string
	base int
	// linkEnd is the end of the link that was last looked at as a whole.
	linkEnd int
	// codeWord is where the last word ended that announces a one-time code.
	codeWord int
	// publicEnd is the end of a block of public key material.
	publicEnd int
}

// scan finds the secrets of s in one pass.
func scan(s string) []Span {
	m := compiled()
	t := &text{s: s, codeWord: -1}
	var spans []Span
	var state uint16
	run := -1 // where the run of token bytes began that is being read
	for i := 0; i <= len(s); i++ {
		if i == len(s) || !isRun[s[i]] {
			if run >= 0 {
				if span, ok := t.checkRun(run, i); ok {
					spans = append(spans, span)
					i, run, state = t.restart(span), -1, 0
					continue
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
		if state == 0 {
			continue
		}
		if span, ok := t.checkAnchors(m, state, i+1); ok {
			spans = append(spans, span)
			i, run, state = t.restart(span), -1, 0
		}
	}
	return spans
}

// restart moves the base behind a secret and returns the index before it.
func (t *text) restart(span Span) int {
	t.base = span.End
	t.codeWord = -1
	return span.End - 1
}

// checkAnchors verifies the anchors that end at end, the longest first.
func (t *text) checkAnchors(m *machine, state uint16, end int) (Span, bool) {
	if m.anchor[state] < 0 {
		state = m.shorter[state]
	}
	for ; state != 0; state = m.shorter[state] {
		a := m.anchors[m.anchor[state]]
		if span, ok := a.check(t, a, end-len(a.text), end); ok && span.Start >= t.base && span.End > span.Start {
			return span, true
		}
	}
	return Span{}, false
}

// checkRun verifies a run of token bytes that no anchor claimed.
func (t *text) checkRun(from, to int) (Span, bool) {
	if to-from < 3 {
		return Span{}, false
	}
	for _, check := range [...]func(*text, int, int) (Span, bool){
		(*text).telegram, (*text).discord, (*text).nkey, (*text).mailgun, (*text).iban, (*text).card, (*text).code, (*text).entropy,
	} {
		if span, ok := check(t, from, to); ok {
			return span, true
		}
	}
	return Span{}, false
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

const (
	digits  = "0123456789"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters = lower + upper
)

var (
	isRun     = setOf(letters + digits + "+/_-")
	isAlnum   = setOf(letters + digits)
	isDigit   = setOf(digits)
	isUpper   = setOf(upper)
	isLower   = setOf(lower)
	isHex     = setOf(digits + "abcdefABCDEF")
	isB64URL  = setOf(letters + digits + "_-")
	isB64     = setOf(letters + digits + "+/")
	isUpNum   = setOf(upper + digits)
	isDotted  = setOf(letters + digits + "_-.")
	isToken   = setOf(letters + digits + "_-.+/=~")
	isPercent = setOf(letters + digits + "%_-")
	isName    = setOf(letters + digits + "_-.")
)
