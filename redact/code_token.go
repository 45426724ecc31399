package redact

import (
	"strings"
	"unicode/utf8"
)

// codeBytes is the length of the longest code.
const codeBytes = 32

// keyBytesInGroups is the length of the longest key in groups: eight of six
// figures.
const keyBytesInGroups = 64

// codeToken is something that has the shape of a one-time code.
type codeToken struct {
	Span
	// figures are its digits, length those and its letters.
	figures, length int
	// capitals and smalls are its letters.
	capitals, smalls int
	// parts are its groups between blanks or hyphens.
	parts int
}

// nextCode returns the next such thing that begins at or after from and before
// to; where there is none, only the end of what was read.
func (t *text) nextCode(from, to int) (codeToken, bool) {
	i := from
	for i < to {
		if isLower[t.s[i]] { // most are words
			end := extend(t.s, i, i+keyBytesInGroups, isLower)
			if end == len(t.s) || t.s[end] != '-' && !isAlnum[t.s[end]] {
				i = end
				continue
			}
		} else if !beginsCode(t.s[i:]) {
			i++
			continue
		}
		end := t.codeEnd(i)
		if c, ok := t.codeAt(i, end); ok {
			return c, true
		}
		i = end
	}
	return codeToken{Span: Span{End: i}}, false
}

func beginsCode(s string) bool { return isAlnum[s[0]] || isWideDigit(s) }

// isWideDigit reports whether s begins with a digit as wide as an ideogram.
func isWideDigit(s string) bool {
	return len(s) >= 3 && s[0] == 0xef && s[1] == 0xbc && s[2] >= 0x90 && s[2] <= 0x99
}

// codeEnd returns the end of the word at i: letters, digits, hyphens between
// them; groups between single blanks are one. Of what is too long for a code it
// returns an end before the last.
func (t *text) codeEnd(i int) int {
	start := i
	for i < len(t.s) && i-start <= keyBytesInGroups {
		switch {
		case isAlnum[t.s[i]]:
			i++
		case isWideDigit(t.s[i:]):
			i += 3
		case t.s[i] >= 0x80 && i > start && isDigit[t.s[i-1]] && t.narrow(i) > 0:
			i += t.narrow(i)
		case t.s[i] == '-' && i > start && i+1 < len(t.s) && isAlnum[t.s[i+1]]:
			i++
		default:
			return t.grouped(start, i)
		}
	}
	return i
}

// narrow returns the length of what may stand between groups of digits instead of
// a blank or a hyphen, where digits follow it.
func (t *text) narrow(i int) int {
	for _, sign := range [...]string{"\u00a0", "\u2009", "\u202f", "\u2011", "\u2013", "\u00b7"} {
		if rest := t.s[i:]; strings.HasPrefix(rest, sign) && len(rest) > len(sign) && isDigit[rest[len(sign)]] {
			return len(sign)
		}
	}
	return 0
}

// grouped returns the end of groups that single blanks divide: of digits, "123 456",
// "91 40 27", or of capitals with digits, "GH2 9VX". Letters may stand before
// groups of digits: "SP 448 902", "V-663 917".
func (t *text) grouped(start, end int) int {
	if next := t.mixedGroup(start, end); next > 0 {
		return next
	}
	whole := end
	if begin, first := t.behindLetters(start, end); first > 0 {
		start, end = begin, first
	}
	if end-start > 5 || extend(t.s, start, end, isDigit) != end {
		return whole
	}
	last, figures, parts := t.digitGroups(start, end)
	if parts == 1 && end != whole || !groupsOfCode(end-start, figures, parts) || beginsWithLetter(t.s[last:]) || t.at(last) == ' ' && isDigit[t.at(last+1)] {
		return whole
	}
	return max(last, whole)
}

// behindLetters returns the first group of digits behind one to three capitals,
// or nothing.
func (t *text) behindLetters(start, end int) (from, to int) {
	from = extend(t.s, start, start+3, isUpper)
	switch {
	case from == start:
		return 0, 0
	case from == end && from == start+2 && t.at(end) == ' ':
		to = extend(t.s, end+1, end+4, isDigit)
		if to != end+4 || t.at(to) != ' ' {
			return 0, 0
		}
	case from < end && t.s[from] == '-':
		to = end
	default:
		return 0, 0
	}
	return from + 1, to
}

// digitGroups returns where the groups of digits end of which the first is
// t.s[start:end]. All are as long as each other; the first or the last may be
// shorter.
func (t *text) digitGroups(start, end int) (last, figures, parts int) {
	size, blanks := end-start, 1
	if size == 1 { // "7  3  0"
		blanks = max(1, extend(t.s, end, end+3, isBlank)-end)
	}
	last, figures, parts = end, size, 1
	for figures < 11 {
		from := extend(t.s, last, last+blanks, isBlank)
		next := extend(t.s, from, from+6, isDigit)
		n := next - from
		if from != last+blanks || n == 0 {
			break
		}
		if parts == 1 && size == 2 && n == 3 {
			size = n // "82 117 403"
		}
		if n > size || n < size && (n < 2 || beginsWithLetter(t.s[next:])) {
			break
		}
		last, figures, parts = next, figures+n, parts+1
		if n < size {
			break
		}
	}
	return last, figures, parts
}

// groupsOfCode reports whether codes are written in such groups.
func groupsOfCode(size, figures, parts int) bool {
	switch {
	case figures < 4 || figures > 10:
		return false
	case size == 5 || figures > 8:
		return size == 5 && figures == 10
	case size == 2 && figures == 5:
		return false // "14 226"
	}
	return parts > 1
}

// mixedGroup returns the end of two groups of capitals and digits, as long as
// each other, of which the first is t.s[start:end]; 0 where there are none.
func (t *text) mixedGroup(start, end int) int {
	n := end - start
	if n < 3 || n > 5 || t.at(end) != ' ' || end+1+n > len(t.s) || !mixed(t.s[start:end]) || !mixed(t.s[end+1:end+1+n]) {
		return 0
	}
	if end += 1 + n; beginsWithLetter(t.s[end:]) || t.at(end) == '-' {
		return 0
	}
	return end
}

// mixed reports whether s is made of capitals and digits and has both.
func mixed(s string) bool {
	return extend(s, 0, len(s), isUpNum) == len(s) && extend(s, 0, len(s), isDigit) < len(s) && extend(s, 0, len(s), isUpper) < len(s)
}

var isBlank = setOf(" ")

// codeAt judges the word in t.s[from:to].
func (t *text) codeAt(from, to int) (c codeToken, ok bool) {
	if to-from < 4 || to-from > keyBytesInGroups {
		return c, false
	}
	c.Span, c.parts = Span{from, to, "code"}, 1
	for i := from; i < to; i++ {
		switch b := t.s[i]; {
		case isDigit[b]:
			c.figures++
		case isUpper[b]:
			c.capitals++
		case isLower[b]:
			c.smalls++
		case b == 0xef:
			c.figures++
			i += 2
		case b >= 0x80: // a sign between groups
			if utf8.RuneStart(b) {
				c.parts++
			}
		default:
			c.parts++
		}
	}
	c.length = c.figures + c.capitals + c.smalls
	if !c.shaped(t.s[from:to]) || t.partOfOther(from, to) {
		return c, false
	}
	if to < len(t.s) && (t.s[to] == '#' || t.s[to] == '*' && t.at(from-1) != '*') {
		c.End++
	}
	return c, true
}

// shaped reports whether figures and letters are mixed as in a code.
func (c codeToken) shaped(s string) bool {
	letters := c.capitals + c.smalls
	switch {
	case c.length < 4 || (c.length > 20 || letters == 0 && c.length > 10) && !evenGroups(s):
		return false
	case c.figures == 0: // "WDJB-MJHT": such codes have no vowels
		return c.smalls == 0 && c.parts <= 2 && c.length >= 6 && c.length <= 12 && !strings.ContainsAny(s, "AEIOU")
	case c.figures == 1 && (c.capitals < 4 || c.smalls > 0 || c.parts > 1) && (c.parts != 2 || len(s) < 7 || s[len(s)/2] != '-'):
		return false // "UTF-8"
	case c.capitals > 0 && c.smalls > 0 && c.length > 4 && letters > 2*c.figures || c.smalls > 1 && hasWord(s):
		return false
	case s[0] == '0' && (s[1] == 'x' || s[1] == 'o') || standards.ofFolded(s):
		return false
	case c.smalls > 0 && (c.figures < 2 || changes(strings.ReplaceAll(s, "-", "")) < 2 && (c.figures < 3 || c.parts > 1)):
		return false // "covid-19", "step2"
	case letters == 0 && c.figures > 8 && c.parts > 2 && !evenGroups(s), hasUnit(s):
		return false
	case letters == 0 && c.parts == 3 && len(s) == 10 && (s[2] == '-' || s[4] == '-'),
		letters == 0 && c.parts == 2 && len(s) == 7 && s[4] == '-' && (s[:2] == "19" || s[:2] == "20"):
		return false // a date
	}
	return true
}

// hasUnit reports whether s is a number with what it counts, or a plural: "73MB",
// "1990s".
func hasUnit(s string) bool {
	n := len(s)
	if s[n-1] == 's' && isDigit[s[n-2]] {
		return true
	}
	number := extend(s, 0, n, isDigit)
	return number > 0 && inFolded(sizes, s[number:])
}

var sizes = wordSet("kb mb gb tb khz mhz ghz hz km kw kwh am pm th nd dpi px w v z hp q rpm p")

// evenGroups reports whether s are three groups or more, as long as each other.
func evenGroups(s string) bool {
	groups := strings.Split(s, "-")
	for _, group := range groups {
		if len(group) != len(groups[0]) {
			return false
		}
	}
	return len(groups) >= 3 && len(groups[0]) <= 8
}

// standards are how the names of norms begin.
var standards = newBeginnings("iso-", "iso8", "utf-", "rfc", "cve-", "din-", "sha", "md5", "mp3", "cp12", "can-", "a-z", "10-base")

// hasWord reports whether there is a word in s: "14-Jul-2002", "w-swap-9x2".
func hasWord(s string) bool {
	run := 0
	for i := range len(s) {
		if !isLower[s[i]] {
			run = 0
			continue
		}
		if run++; run == 4 || run == 2 && i > 1 && isUpper[s[i-2]] {
			return true
		}
	}
	return false
}

// partOfOther reports whether what adjoins a word makes it a part of something
// longer: a number, an address, a path, an assignment.
func (t *text) partOfOther(from, to int) bool {
	if from > 0 && t.s[from-1] == '#' && to-from == 6 && extend(t.s, from, to, isHex) == to && extend(t.s, from, to, isDigit) != to {
		return true // a colour
	}
	if from > 0 && !t.setOff(from, to) {
		before := t.s[from-1]
		if strings.IndexByte("+/*_@=&%$^~\\", before) >= 0 || strings.IndexByte(".,:-", before) >= 0 && from > 1 && isAlnum[t.s[from-2]] || endsInLetter(t.s[:from]) {
			return true
		}
		if before == ' ' && from > 1 && !t.listed(from, to) && (isDigit[t.s[from-2]] || t.s[from-2] == ')' && from > 2 && isDigit[t.s[from-3]]) && isDigit[t.s[from]] {
			return true
		}
		if before == '-' || before == '.' && from > 1 && t.s[from-2] != '.' || before == ')' && from > 1 && isDigit[t.s[from-2]] || before == '#' && from > 1 && t.s[from-2] == '&' {
			return true // a zone of time, a boundary, a telephone number, an entity
		}
	}
	if to == len(t.s) {
		return false
	}
	after := t.s[to]
	if after == '.' && extend(t.s, from, to, isDigit) == to && to+2 < len(t.s) && isUpper[t.s[to+1]] && isLower[t.s[to+2]] {
		return false // the next sentence
	}
	if strings.IndexByte("/%_@=&", after) >= 0 && !t.setOff(from, to) || strings.IndexByte(".,:-", after) >= 0 && to+1 < len(t.s) && isAlnum[t.s[to+1]] || beginsWithLetter(t.s[to:]) {
		return true
	}
	return after == ' ' && !t.listed(from, to) && to+1 < len(t.s) && isDigit[t.s[to-1]] && isDigit[t.s[to+1]]
}

// setOff reports whether a word stands in the signs for bold letters, or right
// behind "PIN:" or "code=".
func (t *text) setOff(from, to int) bool {
	if from == 0 {
		return false
	}
	switch mark := t.s[from-1]; mark {
	case '*', '_':
		if mark == '*' && to < len(t.s) && t.s[to] == '#' {
			return true // "*4719#"
		}
		return to < len(t.s) && t.s[to] == mark
	case ':', '=':
		name := from - 1
		for name > max(0, from-codeBytes) && (isAlnum[t.s[name-1]] || t.s[name-1] >= 0x80) {
			name--
		}
		return (name == 0 || t.s[name-1] <= ' ') && inFolded(leadCode, t.s[name:from-1])
	}
	return false
}

// listed reports whether the number in t.s[from:to] is long, and one of several
// as long as it.
func (t *text) listed(from, to int) bool {
	n := to - from
	if n < 6 || extend(t.s, from, to, isDigit) != to {
		return false
	}
	next := extend(t.s, to+1, to+2+n, isDigit)
	before := from - 1
	for before > max(0, from-n-2) && isDigit[t.s[before-1]] {
		before--
	}
	return next-to-1 == n && t.s[to] == ' ' || from-1-before == n
}

// numbering returns the length of "2. " or "2) ".
func numbering(s string) int {
	n := extend(s, 0, 2, isDigit)
	if n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 2
	}
	return 0
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

// lastWord returns the last word of s in lower case, and what follows it.
func lastWord(s string) (word, rest string) {
	end := len(s)
	for end > 0 && !endsInLetter(s[:end]) {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	from := end
	for from > 0 && (endsInLetter(s[:from]) || s[from-1] == '\'') {
		_, size := utf8.DecodeLastRuneInString(s[:from])
		from -= size
	}
	return strings.ToLower(s[from:end]), s[end:]
}

// firstWord returns the word that s begins with.
func firstWord(s string) string {
	end := 0
	for end < len(s) && beginsWithLetter(s[end:]) {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}
