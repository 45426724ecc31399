package redact

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

const (
	// wordLetters is the least mean length, in letters, of the pieces of a name
	// in code. Random text of both cases has 1.7 on average.
	wordLetters = 2.3
	// spokenPairs is the least part of the pairs of letters in a name that words
	// have; random letters have 0.24 of them.
	spokenPairs = 0.6
)

// followers are, by letter, those that follow it in four of five pairs of
// letters in the words of the Go and Python sources.
var followers = [26]string{
	"bcdgilmnprst", "aeilu", "aehiklort", "adeios", "acdefglmnprstvx", "efilo", "eors", "aeio", "acdefglmnoprstvz",
	"", "e", "adeilosy", "aeiop", "acdefgiost", "cdlmnoprstuvw", "aeilorst", "u", "aeimorst",
	"acehiopstuy", "aehiorstuy", "lmnrst", "ae", "a", "", "p", "e",
}

// isIdentifier reports whether s is a name as programs have them, a file's or a
// path: words in camel case or between signs, with short numbers
// ("ConvertToUint32x4", "cpan/Meta_1_4", "ed25519.PrivateKey").
func isIdentifier(s string) bool {
	s = head(s, valueBytes)
	pieces, letters, pairs, spoken, figures := 0, 0, 0, 0, 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case isDigit[c]:
			end := extend(s, i, len(s), isDigit)
			if figures += end - i; end-i > 5 {
				return false
			}
			i = end
		case isNameSign[c]:
			i++
		case !isASCIILetter[c]:
			return false
		default:
			end := pieceEnd(s, i)
			pieces++
			letters += end - i
			for i++; i < end; i++ {
				pairs++
				if strings.IndexByte(followers[s[i-1]|' '-'a'], s[i]|' ') >= 0 {
					spoken++
				}
			}
		}
	}
	return pairs > 0 && float64(letters) >= wordLetters*float64(pieces) && float64(spoken) >= spokenPairs*float64(pairs) && figures*2 <= letters
}

// pieceEnd returns where the word of a name ends that begins at i: before a
// capital behind a small letter, and before the last of several capitals that a
// small letter follows ("HTTPServer").
func pieceEnd(s string, i int) int {
	if isLower[s[i]] {
		return extend(s, i, len(s), isLower)
	}
	end := extend(s, i, len(s), isUpper)
	switch {
	case end == len(s) || !isLower[s[end]]:
		return end
	case end > i+1:
		return end - 1
	}
	return extend(s, end, len(s), isLower)
}

// isMixed reports whether s has letters of both cases.
func isMixed(s string) bool {
	return has(s, isLower) && has(s, isUpper)
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

// madeUpRun is how many bytes in a row, each one up, one down or the same, tell a
// key that a person typed. 32 random hexadecimal bytes hold six that count up or
// down once in 5,000 keys, 40 of base 62 once in 10⁷.
const madeUpRun = 6

// isMadeUp reports whether a key counts or repeats in a long stretch of it
// ("abcdef", "7654321", "oooooo"). Zeros, in figures and in base64, are common in
// real ones.
func isMadeUp(s string) bool {
	run, step := 1, 0
	for i := 1; i < len(s); i++ {
		d := int(s[i]) - int(s[i-1])
		switch {
		case d < -1 || d > 1 || !isAlnum[s[i]] || d == 0 && (s[i] == 'A' || s[i] == '0'):
			run = 1
		case run == 1 || d == step:
			run++
		default:
			run = 2
		}
		if step = d; run >= madeUpRun {
			return true
		}
	}
	return false
}

// isTypeName reports whether s is a type or an algorithm: "uint32", "*int64",
// "utf-8", "sha-1".
func isTypeName(s string) bool {
	if len(s) > 16 {
		return false
	}
	s = s[extend(s, 0, len(s), isTypeSign):]
	word := extend(s, 0, len(s), isASCIILetter)
	number := s[word:]
	number = strings.TrimPrefix(strings.TrimPrefix(number, "-"), "_")
	return len(number) <= 4 && extend(number, 0, len(number), isDigit) == len(number) && typeNames.get().hasFolded(s[:word])
}

var (
	isTypeSign    = setOf("*&[]?")
	isNameSign    = setOf("_-./|:,")
	isASCIILetter = setOf(letters)
)

var typeNames = setOfWords("typeNames")

// isPath reports whether s is a path or a URL: its parts are words.
func isPath(s string) bool {
	if strings.IndexByte(s, ':') < 0 && strings.IndexByte(s, '/') < 0 {
		return false
	}
	if pathBegins.get().folded(s) > 0 {
		return true
	}
	return strings.Count(s, "/") >= 2 && isIdentifier(s)
}

var pathBegins = beginningsIn("pathBegins")

// isExample reports whether s says that a secret belongs in its place:
// "your_api_key_here", "changeme", "AKIA…EXAMPLE".
func isExample(s string) bool {
	begin := head(s, 64)
	if exampleWords.get().in(begin) {
		return true
	}
	if hasFold(s, "your") && !hasDigit(s) && (len(s) == 4 || !isLower[s[4]] || yourWords.get().in(begin)) {
		return true
	}
	here := len(begin) - len("-here")
	return here >= 0 && (begin[here] == '_' || begin[here] == '-') && hasFold(begin[here+1:], "here")
}

var (
	exampleWords = finder("exampleWords")
	yourWords    = finder("yourWords")
)

// isUUID reports whether s is one, in hexadecimal digits and hyphens.
func isUUID(s string) bool {
	s = strings.Trim(s, "{}")
	return len(s) == 36 && uuid().MatchString(s)
}

var uuid = lazy.Regexp(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// isVersion matches what begins with a version ("v1.2.3-rc1"), with a time in ISO
// 8601, or with a port and a path, as in "api:8443/v1".
var isVersion = lazy.Regexp(`^(?:v?[0-9]+\.[0-9]+\.|v?[0-9]{4}-[0-9]{2}-|[0-9]{2,6}/)`)

// isPattern reports whether s is a regular expression.
func isPattern(s string) bool {
	for _, sign := range [...]string{"(?:", "(?P", "[^", "[a-z", "[A-Z", "[0-9", `\d`, `\w`, `\s`, ".*"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

// isTemplate reports whether s is filled in later: "%s:%s", "{user}-{id}".
func isTemplate(s string) bool {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '{') < 0 || hasDigit(s) {
		return false
	}
	_, after, open := strings.Cut(s, "{")
	return fillers().MatchString(s) || open && strings.IndexByte(after, '}') > 0 && strings.Count(s, "{") == strings.Count(s, "}")
}

var fillers = lazy.Regexp(`%[sdvqx]|\{\}`)

// isVariable reports whether a bare value is a name of code that has no number
// in it: "user_pass", "passwordField".
func isVariable(s string) bool {
	if extend(s, 0, len(s), isVariableByte) != len(s) {
		return false
	}
	if strings.IndexByte(strings.Trim(s, "_"), '_') > 0 {
		return isLower[s[0]] || s[0] == '_'
	}
	return isLower[s[0]] && isMixed(s) && isIdentifier(s) && variableWords.get().in(s)
}

var variableWords = finder("variableWords")

var isVariableByte = setOf(letters + "_")
