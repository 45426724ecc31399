package redact

import (
	"strconv"
	"strings"
)

// looks adds how a code looks.
func (c codeToken) looks(s string, to *traits) {
	digitsOnly := c.figures == c.length
	to.add(sixFigures, digitsOnly && c.figures == 6)
	to.add(eightFigures, digitsOnly && (c.figures == 7 || c.figures == 8))
	to.add(fiveFigures, digitsOnly && c.figures == 5)
	to.add(fourFigures, digitsOnly && c.figures == 4)
	to.add(groupedFigures, digitsOnly && c.parts > 1)
	to.add(capitalLetters, c.capitals > 0 && c.smalls == 0)
	to.add(smallLetters, c.smalls > 0)
	to.add(lettersAlone, c.figures == 0)
	to.add(unevenGroups, digitsOnly && c.parts > 1 && !sameGroups(s))
	to.add(partedLetters, !digitsOnly && c.parts > 1)
	to.add(wordAndNumber, c.isWordAndNumber(s))
	to.add(oneFigure, c.figures == 1)
	to.add(manyFigures, digitsOnly && c.figures > 8)
	to.add(likeRange, digitsOnly && isRange(s))
	to.add(likeHour, digitsOnly && isHour(s))
	to.add(likeYear, digitsOnly && isYear(s))
}

// isWordAndNumber reports whether c is made as vouchers are: "SAVE20".
func (c codeToken) isWordAndNumber(s string) bool {
	word := extend(s, 0, len(s), isUpper)
	return word >= 4 && c.parts == 1 && c.figures <= 3 && c.figures > 0 && word+c.figures == len(s)
}

// isModel reports whether s is what models and consignments are called:
// "WX-220".
func isModel(s string) bool {
	word := extend(s, 0, 3, isUpper)
	return word > 0 && word+1 < len(s) && s[word] == '-' && extend(s, word+1, len(s), isDigit) == len(s)
}

// sameGroups reports whether the groups of s between hyphens are as long as each
// other.
func sameGroups(s string) bool {
	first, rest, more := strings.Cut(s, "-")
	for more {
		var next string
		next, rest, more = strings.Cut(rest, "-")
		if len(next) != len(first) {
			return false
		}
	}
	return true
}

// isHour reports whether s is an hour as timetables have it: "1645".
func isHour(s string) bool {
	return len(s) == 4 && s < "2400" && s[2] < '6' && (s[3] == '0' || s[3] == '5')
}

// isYear reports whether s is a year of these times.
func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") }

// isRange reports whether s is two numbers of which the second is somewhat
// greater: "100-140".
func isRange(s string) bool {
	first, second, two := strings.Cut(s, "-")
	low, err := strconv.Atoi(first)
	high, err2 := strconv.Atoi(second)
	return two && err == nil && err2 == nil && low < high && high-low <= 100
}
