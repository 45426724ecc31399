package redact

import "strings"

// wordLetters is the least mean length, in letters, of the pieces of a name in
// code. Random text of both cases has 1.7 on average: of 10⁶ draws of 24
// characters of base 62, fewer than one in 10⁴ reach 2.7.
const wordLetters = 2.7

// isIdentifier reports whether s is a name as programs have them, a file's or a
// path: words in camel case or between signs, with short numbers
// ("ConvertToUint32x4", "cpan/Meta_1_4", "ed25519.PrivateKey").
func isIdentifier(s string) bool {
	pieces, letters, figures, run, vowels := 0, 0, 0, 0, 0
	last := byte(0)
	for i := range min(len(s), valueBytes) {
		c := s[i]
		class := classOf(c)
		switch class {
		case 'l', 'u':
			letters++
			run = 0
			if strings.IndexByte("aeiouyAEIOUY", c) >= 0 {
				vowels++
			}
			// A piece begins after anything else, at a capital behind a small
			// letter, and at the last of several capitals ("HTTPServer").
			if last != 'l' && last != 'u' || class == 'u' && last == 'l' || class == 'l' && last == 'u' && i > 1 && isUpper[s[i-2]] {
				pieces++
			}
		case 'd':
			figures++
			if run++; run > 4 {
				return false
			}
		case 'o':
			return false
		default:
			run = 0
		}
		last = class
	}
	return letters > 0 && float64(letters) >= wordLetters*float64(pieces) && vowels*6 >= letters && figures*2 <= letters
}

// classOf: small letter, capital, digit, a sign that joins words, other.
func classOf(c byte) byte {
	switch {
	case isLower[c]:
		return 'l'
	case isUpper[c]:
		return 'u'
	case isDigit[c]:
		return 'd'
	case c == '_' || c == '-' || c == '.' || c == '/' || c == '|' || c == ':' || c == ',':
		return 's'
	}
	return 'o'
}

// isMixed reports whether s has letters of both cases.
func isMixed(s string) bool {
	lowers, uppers := 0, 0
	for i := range len(s) {
		switch {
		case isLower[s[i]]:
			lowers++
		case isUpper[s[i]]:
			uppers++
		}
	}
	return lowers > 0 && uppers > 0
}

// isSequence reports whether s mostly counts up or down, or repeats itself:
// "0123456789abcdef", "aaaaaaaa".
func isSequence(s string) bool {
	steps := 0
	for i := 1; i < len(s); i++ {
		if d := int(s[i]) - int(s[i-1]); d >= -1 && d <= 1 {
			steps++
		}
	}
	return len(s) > 3 && steps*10 >= (len(s)-1)*8
}

// isTypeName reports whether s is a type or an algorithm: "uint32", "*int64",
// "utf-8", "sha-1".
func isTypeName(s string) bool {
	s = foldASCII(strings.TrimLeft(s, "*&[]?"))
	base := strings.TrimRight(s, digits)
	if len(s)-len(base) > 4 {
		return false
	}
	switch strings.TrimSuffix(strings.TrimSuffix(base, "_"), "-") {
	case "int", "uint", "float", "complex", "utf", "sha", "md", "char", "varchar", "nvarchar", "base", "ascii", "latin", "aes", "rsa", "ed",
		"i", "u", "f", "iso", "http", "bool", "string", "byte":
		return true
	}
	return false
}

// isPath reports whether s is a path or a URL: its parts are words.
func isPath(s string) bool {
	for _, begin := range [...]string{"http://", "https://", "file://", "tag:", "urn:", "../"} {
		if hasFold(s, begin) {
			return true
		}
	}
	return strings.Count(s, "/") >= 2 && isIdentifier(s)
}

// isTemplate reports whether s is filled in later: "%s:%s", "{user}-{id}".
func isTemplate(s string) bool {
	for _, verb := range [...]string{"%s", "%d", "%v", "%q", "{}", "%x"} {
		if i := strings.Index(s, verb); i >= 0 && !hasDigit(s) {
			return true
		}
	}
	open := strings.IndexByte(s, '{')
	return open >= 0 && strings.IndexByte(s[open:], '}') > 1 && !hasDigit(s) && strings.Count(s, "{") == strings.Count(s, "}")
}

// isVariable reports whether a bare value is a name of code that has no number
// in it: "user_pass", "passwordField".
func isVariable(s string) bool {
	if extend(s, 0, len(s), isVariableByte) != len(s) {
		return false
	}
	if strings.IndexByte(strings.Trim(s, "_"), '_') > 0 {
		return isLower[s[0]] || s[0] == '_'
	}
	folded := foldASCII(s)
	return isLower[s[0]] && isMixed(s) && isIdentifier(s) && containsAny(folded, []string{"pass", "pwd", "secret", "token", "key", "cred"})
}

var isVariableByte = setOf(letters + "_")
