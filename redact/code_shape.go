package redact

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// codeBytes is the length of the longest code.
	codeBytes = 32
	// keyBytesInGroups is the length of the longest key in groups: eight of six
	// figures.
	keyBytesInGroups = 64
)

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
		case t.s[i] >= 0x80 && i > start && isDigit[t.s[i-1]] && narrow(t.s[i:]) > 0:
			i += narrow(t.s[i:])
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
func narrow(s string) int {
	for _, sign := range [...]string{"\u00a0", "\u2009", "\u202f", "\u2011", "\u2013", "\u00b7"} {
		if strings.HasPrefix(s, sign) && len(s) > len(sign) && isDigit[s[len(sign)]] {
			return len(sign)
		}
	}
	return 0
}

// grouped returns the end of groups that single blanks divide: of digits, "123 456",
// "91 40 27", of which the first or the last may be shorter, or two of capitals
// with digits, "GH2 9VX".
func (t *text) grouped(start, end int) int {
	first := end
	for first > start && isDigit[t.s[first-1]] {
		first--
	}
	size, last, figures := end-first, end, end-first
	if n := end - start; n >= 3 && n <= 5 && n > size && t.at(end) == ' ' && mixed(t.s[start:end]) {
		if next := extend(t.s, end+1, end+1+n, isUpNum); next == end+1+n && mixed(t.s[end+1:next]) && !beginsWithLetter(t.s[next:]) && t.at(next) != '-' {
			return next
		}
	}
	blanks := 1
	if size == 1 { // "7  3  0"
		blanks = max(1, extend(t.s, end, end+3, isBlank)-end)
	}
	for parts := 1; size > 0 && size <= 5 && figures < 11; parts++ {
		from := extend(t.s, last, last+blanks, isBlank)
		next := extend(t.s, from, from+6, isDigit)
		n := next - from
		if parts == 1 && size == 2 && n == 3 {
			size = n // "82 117 403"
		}
		if from != last+blanks || n == 0 || n > size || n < size && n < 2 || beginsWithLetter(t.s[next:]) {
			break
		}
		if last, figures = next, figures+n; n < size {
			break
		}
	}
	switch {
	case figures < 4, figures > 10, figures == 5 && size < 4, figures > 8 && (size != 5 || figures != 10), size == 5 && figures != 10:
		return end
	case t.at(last) == ' ' && isDigit[t.at(last+1)]:
		return end
	}
	return last
}

// mixed reports whether s is made of capitals and digits and has both.
func mixed(s string) bool {
	return extend(s, 0, len(s), isUpNum) == len(s) && extend(s, 0, len(s), isDigit) < len(s) && extend(s, 0, len(s), isUpper) < len(s)
}

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
	if !c.shaped(t.s[from:to]) || t.goesBack(from, to) || t.goesOn(from, to) {
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
	case c.length < 4, (c.length > 20 || letters == 0 && c.length > 10) && !evenGroups(s):
		return false
	case c.figures == 0: // "WDJB-MJHT": such codes have no vowels
		return c.smalls == 0 && c.parts <= 2 && c.length >= 6 && c.length <= 12 && !strings.ContainsAny(s, "AEIOU")
	case s[0] == '0' && (s[1] == 'x' || s[1] == 'o'), standards.get().folded(s) > 0, hasUnit(s):
		return false
	case letters == 0:
		return c.figures <= 8 || c.parts <= 2 || evenGroups(s)
	case c.figures == 1:
		capitals := c.capitals >= 4 && c.smalls == 0 && c.parts == 1
		halves := c.parts == 2 && len(s) >= 7 && s[len(s)/2] == '-'
		return capitals || halves && c.smalls == 0
	case c.smalls == 0:
		return true
	case c.capitals > 0 && c.length > 4 && letters > 2*c.figures, c.smalls > 1 && hasWord(s):
		return false
	}
	return changes(strings.ReplaceAll(s, "-", "")) >= 2 || c.figures >= 3 && c.parts == 1
}

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

// isReference reports whether figures stand in groups as those of papers do, "5-221-9":
// three or more, with hyphens, and one of a single figure.
func isReference(s string) bool {
	groups := strings.Split(s, "-")
	return len(groups) >= 3 && slices.ContainsFunc(groups, func(group string) bool { return len(group) == 1 }) && !evenGroups(s)
}

// isModel reports whether s is what models, norms and consignments are called:
// "RS-232".
func isModel(s string) bool {
	word := extend(s, 0, 3, isUpper)
	return word > 0 && word+1 < len(s) && s[word] == '-' && extend(s, word+1, len(s), isDigit) == len(s)
}

// isVoucher reports whether c is made as vouchers are: "SAVE20".
func (c codeToken) isVoucher(s string) bool {
	return extend(s, 0, len(s), isUpper) == c.capitals && c.capitals >= 4 && c.figures > 0 && c.figures <= 3 && len(s) == c.length
}

// isTime reports whether figures are a year of these times, an hour as timetables
// have it ("1645"), a range ("100-140", "2000-5000") or a date ("12-31-02").
func isTime(s string) bool {
	parts := strings.Split(s, "-")
	var n [3]int
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil || i == len(n) {
			return false
		}
		n[i] = number
	}
	if len(parts[0]) == 4 && (s[:2] == "19" || s[:2] == "20") {
		return true
	}
	switch len(parts) {
	case 1:
		return len(s) == 4 && s < "2400" && s[2] < '6' && (s[3] == '0' || s[3] == '5')
	case 2:
		return n[0] < n[1] && (n[1]-n[0] <= 100 || n[0]%10 == 0 && n[1]%10 == 0)
	}
	return n[0] <= 31 && n[1] <= 31 && min(n[0], n[1]) <= 12
}

// hasUnit reports whether s is a number with what it counts, or a plural: "73MB",
// "1990s".
func hasUnit(s string) bool {
	n := len(s)
	if s[n-1] == 's' && isDigit[s[n-2]] {
		return true
	}
	number := extend(s, 0, n, isDigit)
	return number > 0 && sizes.get().hasFolded(s[number:])
}

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

// goesBack reports whether what stands before a word makes it a part of something
// longer: a number, an address, a path, a colour, an assignment.
func (t *text) goesBack(from, to int) bool {
	if from == 0 || t.isBold(from, to) {
		return false
	}
	last, before := byte(0), t.s[from-1]
	if from > 1 {
		last = t.s[from-2]
	}
	switch {
	case isJoint[before], endsInLetter(t.s[:from]):
		return true
	case before == ' ':
		bracket := last == ')' && from > 2 && isDigit[t.s[from-3]]
		return isDigit[t.s[from]] && (isDigit[last] || bracket) && !t.listed(from, to)
	case before == ':' || before == '=':
		word, sign := lastWord(t.s[max(0, from-codeBytes) : from-1])
		return before == '=' && last != ' ' && !ties.get().has(word) || isAlnum[last] && (sign != "" || !ties.get().has(word))
	case before == '.':
		return from > 1 && last != '.'
	case before == ',':
		return isAlnum[last]
	case before == ')': // a telephone number
		return isDigit[last]
	}
	return before == '#' && (last == '&' || to-from == 6 && extend(t.s, from, to, isHex) == to && extend(t.s, from, to, isDigit) < to)
}

// isBold reports whether a word stands in the signs for bold letters, or is
// "*4719#".
func (t *text) isBold(from, to int) bool {
	mark := t.s[from-1]
	return (mark == '*' || mark == '_') && to < len(t.s) && (t.s[to] == mark || mark == '*' && t.s[to] == '#')
}

// goesOn reports whether what stands behind a word does so.
func (t *text) goesOn(from, to int) bool {
	if to == len(t.s) {
		return false
	}
	after, next := t.s[to], byte(0)
	if to+1 < len(t.s) {
		next = t.s[to+1]
	}
	switch {
	case after == '.' && isUpper[next] && isDigit[t.s[to-1]] && to+2 < len(t.s) && isLower[t.s[to+2]]:
		return false // the next sentence
	case isOnward[after]:
		return !(from > 0 && t.isBold(from, to))
	case strings.IndexByte(".,:-", after) >= 0:
		return isAlnum[next]
	case after == ' ':
		return isDigit[t.s[to-1]] && isDigit[next] && !t.listed(from, to)
	}
	return beginsWithLetter(t.s[to:])
}

// isJoint are the signs that tie a word to what stands before them, isOnward those
// that tie it to what follows.
var (
	isJoint  = setOf("+/*_@&%$^~\\-")
	isOnward = setOf("/%_@=&")
)

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
