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
	case c.length < 4, (c.length > 20 || letters == 0 && c.length > 10) && !evenGroups(s):
		return false
	case c.figures == 0: // "WDJB-MJHT": such codes have no vowels
		return c.smalls == 0 && c.parts <= 2 && c.length >= 6 && c.length <= 12 && !strings.ContainsAny(s, "AEIOU")
	case s[0] == '0' && (s[1] == 'x' || s[1] == 'o'), standards.ofFolded(s), hasUnit(s):
		return false
	case letters == 0:
		return !c.isDate(s) && (c.figures <= 8 || c.parts <= 2 || evenGroups(s))
	}
	return c.lettersShaped(s)
}

// isDate reports whether figures alone are grouped as a date is, or as a year
// with another number.
func (c codeToken) isDate(s string) bool {
	switch {
	case c.parts == 3 && len(s) == 10:
		return s[2] == '-' || s[4] == '-'
	case c.parts == 2 && len(s) == 7:
		return s[4] == '-' && (s[:2] == "19" || s[:2] == "20")
	}
	return false
}

// lettersShaped reports whether letters and figures are mixed otherwise than in
// names ("UTF-8", "covid-19", "step2") and words.
func (c codeToken) lettersShaped(s string) bool {
	if c.figures == 1 {
		capitals := c.capitals >= 4 && c.smalls == 0 && c.parts == 1
		halves := c.parts == 2 && len(s) >= 7 && s[len(s)/2] == '-'
		if !capitals && !halves {
			return false
		}
	}
	if c.smalls == 0 {
		return true
	}
	if c.capitals > 0 && c.length > 4 && c.capitals+c.smalls > 2*c.figures || c.smalls > 1 && hasWord(s) {
		return false
	}
	turns := changes(strings.ReplaceAll(s, "-", "")) >= 2 || c.figures >= 3 && c.parts == 1
	return c.figures >= 2 && turns
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

// standards are how the names of norms begin.
var standards = newBeginnings("iso-", "iso8", "utf-", "rfc", "cve-", "din-", "sha", "md5", "mp3", "cp12", "can-", "aes", "a-z", "10-base")

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
