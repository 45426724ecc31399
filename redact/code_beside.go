package redact

import (
	"strings"
	"unicode/utf8"
)

// partOfOther reports whether what adjoins a word makes it a part of something
// longer: a number, an address, a path, an assignment.
func (t *text) partOfOther(from, to int) bool {
	off := t.setOff(from, to)
	return !off && from > 0 && (t.isColour(from, to) || t.goesBack(from, to)) || t.goesOn(from, to, off)
}

// isColour reports whether a word is a colour: "#4a90e2".
func (t *text) isColour(from, to int) bool {
	return t.s[from-1] == '#' && to-from == 6 && extend(t.s, from, to, isHex) == to && extend(t.s, from, to, isDigit) != to
}

// goesBack reports whether a word goes on to the left.
func (t *text) goesBack(from, to int) bool {
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
	case before == '-': // a zone of time, a boundary
		return true
	case before == '.':
		return from > 1 && last != '.'
	case before == ',' || before == ':':
		return isAlnum[last]
	case before == ')': // a telephone number
		return isDigit[last]
	}
	return before == '#' && last == '&' // an entity
}

// goesOn reports whether a word, which may be set off, goes on to the right.
func (t *text) goesOn(from, to int, off bool) bool {
	if to == len(t.s) {
		return false
	}
	after, next := t.s[to], byte(0)
	if to+1 < len(t.s) {
		next = t.s[to+1]
	}
	number := extend(t.s, from, to, isDigit) == to
	switch {
	case after == '.' && number && isUpper[next] && to+2 < len(t.s) && isLower[t.s[to+2]]:
		return false // the next sentence
	case isOnward[after]:
		return !off
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
	isJoint  = setOf("+/*_@=&%$^~\\")
	isOnward = setOf("/%_@=&")
)

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
