package redact

import "strings"

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
