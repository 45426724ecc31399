package redact

import (
	"strconv"
	"strings"
	"sync"
)

// card verifies the number of a payment card: 13 to 19 digits, plain or in the
// groups that cards have, with the check digit of Luhn, and not a part of a
// longer number.
func (t *text) card(from, to int) (Span, bool) {
	if !isDigit[t.s[from]] || t.s[from] < '2' || t.s[from] > '6' || joinsNumber(t.at(from-1)) {
		return Span{}, false
	}
	var number [19]byte
	var groups [8]int
	n, g := 0, 0
	sep := byte(0)
	i := from
	for ; i < len(t.s); i++ {
		c := t.s[i]
		if isDigit[c] {
			if n == len(number) {
				return Span{}, false
			}
			number[n] = c - '0'
			n++
			groups[g]++
			continue
		}
		if c != ' ' && c != '-' || sep != 0 && c != sep || !isDigit[t.at(i+1)] || g == len(groups)-1 {
			break
		}
		if groups[g] != 4 && !(g == 1 && (groups[1] == 6 || groups[1] == 5)) {
			break
		}
		sep = c
		g++
	}
	if isAlnum[t.at(i)] || t.at(i) == '_' || t.at(i) == '.' && isDigit[t.at(i+1)] || (t.at(i) == '-' || t.at(i) == '/') && isAlnum[t.at(i+1)] {
		return Span{}, false
	}
	if !isCardNumber(number[:n], groups[:g+1]) {
		return Span{}, false
	}
	return Span{from, i, "card"}, true
}

// joinsNumber reports whether a number that follows c is part of something.
func joinsNumber(c byte) bool {
	return isAlnum[c] || c == '_' || c == '.' || c == '-' || c == '/' || c == '+' || c >= 0x80
}

// isCardNumber checks length, issuer and grouping, and the check digit.
func isCardNumber(number []byte, groups []int) bool {
	n := len(number)
	if n < 13 {
		return false
	}
	lead := int(number[0])*1000 + int(number[1])*100 + int(number[2])*10 + int(number[3])
	two := lead / 100
	switch {
	case number[0] == 4 && (n == 13 || n == 16 || n == 19):
	case (two == 34 || two == 37) && n == 15:
	case (two == 36 || two == 38 || two == 39 || two == 30) && n == 14:
	case lead >= 2221 && lead <= 2720 && n == 16, two >= 51 && two <= 55 && n == 16:
	case two == 35 && n == 16, two == 62 && n >= 16, two >= 60 && two <= 65 && n == 16, two >= 56 && two <= 69 && n >= 16:
	default:
		return false
	}
	if len(groups) > 1 && len(groups) < 3 {
		return false
	}
	sum := 0
	same := true
	for i := range n {
		d := int(number[n-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		same = same && number[i] == number[0]
	}
	return sum%10 == 0 && !same
}

// ibanLengths are the lengths of account numbers by country, in bytes without
// spaces, from the SWIFT registry.
var ibanLengths = sync.OnceValue(func() map[string]int {
	lengths := map[string]int{}
	for _, entry := range list("ibanLengths") {
		lengths[entry[:2]], _ = strconv.Atoi(entry[2:])
	}
	return lengths
})

// iban verifies an account number: country, length, and the remainder 1 of ISO
// 7064 mod 97-10; plain or in groups between single spaces or hyphens.
func (t *text) iban(from, _ int) (Span, bool) {
	s := t.s
	if len(s)-from < 15 || !isLetter(s[from]) || !isLetter(s[from+1]) || !isDigit[s[from+2]] || !isDigit[s[from+3]] {
		return Span{}, false
	}
	length := ibanLengths()[strings.ToUpper(s[from:from+2])]
	if length == 0 || isAlnum[t.at(from-1)] || t.at(from-1) >= 0x80 {
		return Span{}, false
	}
	var account [34]byte
	n, i := 0, from
	for ; n < length && i < len(s); i++ {
		switch c := s[i]; {
		case isAlnum[c]:
			account[n] = c
			n++
		case (c == ' ' || c == '-') && n > 3 && isAlnum[t.at(i+1)]:
		default:
			return Span{}, false
		}
	}
	if n < length || isAlnum[t.at(i)] || mod97(account[:n]) != 1 {
		return Span{}, false
	}
	return Span{from, i, "iban"}, true
}

func isLetter(c byte) bool { return isLower[c] || isUpper[c] }

// mod97 computes the remainder of an account number, its first four bytes
// moved to the end, letters read as 10 to 35.
func mod97(account []byte) int {
	rest := 0
	for i := range account {
		c := account[(i+4)%len(account)]
		switch {
		case isDigit[c]:
			rest = (rest*10 + int(c-'0')) % 97
		case isLower[c]:
			rest = (rest*100 + int(c-'a') + 10) % 97
		default:
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest
}
