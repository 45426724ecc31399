package redact

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// cardDigits is the length of the longest number of a card.
const cardDigits = 19

// card verifies the number of a payment card: 13 to 19 digits, plain or in the
// groups that cards have, with the check digit of Luhn, and not a part of a
// longer number.
func (t *text) card(from, to int) (Span, bool) {
	if !isDigit[t.s[from]] || t.s[from] < '2' || t.s[from] > '6' || joinsNumber(t.at(from-1)) {
		return Span{}, false
	}
	number, groups, sep, i := make([]byte, 0, cardDigits), 0, byte(0), from
	for {
		end := extend(t.s, i, i+cardDigits+1, isDigit)
		size := end - i
		if len(number)+size > cardDigits {
			return Span{}, false
		}
		number = append(number, t.s[i:end]...)
		groups++
		i = end
		c := t.at(i)
		if c != ' ' && c != '-' || sep != 0 && c != sep || !isDigit[t.at(i+1)] || groups == 8 ||
			size != 4 && !(groups == 2 && (size == 6 || size == 5)) {
			break
		}
		sep = c
		i++
	}
	if isAlnum[t.at(i)] || t.at(i) == '_' || t.at(i) == '.' && isDigit[t.at(i+1)] || (t.at(i) == '-' || t.at(i) == '/') && isAlnum[t.at(i+1)] {
		return Span{}, false
	}
	if groups == 2 || !isCardNumber(number) {
		return Span{}, false
	}
	return Span{from, i, "card"}, true
}

// joinsNumber reports whether a number that follows c is part of something.
func joinsNumber(c byte) bool {
	return isAlnum[c] || c == '_' || c == '.' || c == '-' || c == '/' || c == '+' || c >= 0x80
}

// isCardNumber checks length and issuer, and the check digit.
func isCardNumber(number []byte) bool {
	n := len(number)
	if n < 13 {
		return false
	}
	lead, _ := strconv.Atoi(string(number[:4])) // digits
	two := lead / 100
	switch {
	case number[0] == '4' && (n == 13 || n == 16 || n == 19):
	case (two == 34 || two == 37) && n == 15:
	case (two == 36 || two == 38 || two == 39 || two == 30) && n == 14:
	case lead >= 2221 && lead <= 2720 && n == 16, two >= 51 && two <= 55 && n == 16:
	case two == 35 && n == 16, two == 62 && n >= 16, two >= 60 && two <= 65 && n == 16, two >= 56 && two <= 69 && n >= 16:
	default:
		return false
	}
	sum := 0
	for i := range n {
		d := int(number[n-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && bytes.Count(number, number[:1]) < n
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
