package redact

import (
	"strings"
	"unicode"
)

// passwordAhead is how far behind its word a password may stand, in bytes.
const passwordAhead = 72

// passwords adds the passwords that a mail tells to a person, of which
// checkAssigned knows only those that stand as in a file: "the password of the
// wifi is …", "clé …".
func (t *text) passwords() {
	last := 0
	for i, q := range t.cues {
		if q.roles&(1<<passwords) == 0 || q.from < last {
			continue
		}
		limit := min(len(t.s), q.to+passwordAhead)
		if i+1 < len(t.cues) && t.cues[i+1].roles&(1<<passwords) != 0 {
			limit = min(limit, t.cues[i+1].from)
		}
		if span, ok := t.passwordBehind(q.to, limit); ok {
			t.found = append(t.found, span)
			last = span.End
		}
	}
}

// passwordBehind looks up to limit, in the sentence that goes on at from, for a
// word that is tied to what stands before it and is made up as passwords are.
func (t *text) passwordBehind(from, limit int) (Span, bool) {
	for i := from; i < limit; i++ {
		if t.s[i] == '\n' {
			return t.passwordBelow(i, t.tied(from, i))
		}
		if t.endsSentence(i) {
			return Span{}, false
		}
		if t.s[i] != ' ' {
			continue
		}
		begin := extend(t.s, i+1, len(t.s), isPasswordOpen)
		end, telling := begin, false
		for ; end < min(len(t.s), begin+codeBytes+1) && t.s[end] > ' '; end++ {
			telling = telling || t.s[end] < 'A'
		}
		if !telling && end-begin != 4 {
			continue // a word
		}
		word := strings.TrimRight(t.s[begin:end], ".,;:?)\"'“”»«")
		if (madeUp(word) || isLongNumber(word)) && t.tied(from, i) {
			return Span{begin, begin + len(word), "password"}, true
		}
		if end := t.letterGroups(begin); end > 0 && t.tied(from, i) {
			return Span{begin, end, "password"}, true
		}
	}
	return Span{}, false
}

var isPasswordOpen = setOf("\"'(")

// passwordBelow looks for a password alone on the next line that is not empty.
func (t *text) passwordBelow(i int, announced bool) (Span, bool) {
	ahead := head(t.s[i:], passwordAhead)
	begin := i + len(ahead) - len(strings.TrimLeft(ahead, " \t\r\n>*`\"'-"))
	end := extend(t.s, begin, begin+codeBytes+1, isWord)
	word := strings.TrimRight(t.s[begin:end], ".*`\"'")
	next := t.skipBlank(end, end+gapBytes)
	alone := next >= len(t.s) || t.s[next] == '\n' || t.s[next] == '\r'
	return Span{begin, begin + len(word), "password"}, announced && alone && madeUp(word)
}

// tied reports whether what stands between a word and another ties them: nothing,
// a sign, a verb.
func (t *text) tied(from, to int) bool {
	between := strings.TrimRight(t.s[from:to], " \r\u00a0*")
	if between == "" || strings.IndexByte(":=/,", between[len(between)-1]) >= 0 || strings.HasSuffix(between, "：") {
		return true
	}
	word, sign := lastWord(between)
	return sign == "" && verbs.get().has(word)
}

// madeUp reports whether a word has letters, and digits or signs among them, and
// is no address, no number with its unit and no expression.
func madeUp(s string) bool {
	if len(s) < 5 || len(s) > codeBytes || strings.ContainsAny(s, "/=()[]{}<>|,:*\\") || isPlaceholder(s) || standards.get().folded(s) > 0 {
		return false
	}
	letters, figures := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		} else if r >= '0' && r <= '9' {
			figures++
		}
	}
	if strings.IndexByte(s, '@') >= 0 && strings.IndexByte(s, '.') >= 0 {
		return false
	}
	return letters >= 2 && figures >= 1 && !hasUnit(s) || letters >= 4 && strings.ContainsAny(s[:len(s)-1], "!#$%&+?@^") || letters >= 12 && strings.Count(s, "-") >= 2
}

// isLongNumber reports whether s is a number as the keys of wireless networks are.
func isLongNumber(s string) bool {
	return len(s) >= 8 && len(s) <= 24 && extend(s, 0, len(s), isDigit) == len(s)
}

// letterGroups returns the end of four groups of four small letters, as
// passwords of applications are written; 0 where there are none.
func (t *text) letterGroups(i int) int {
	for group := 0; ; group++ {
		end := extend(t.s, i, i+5, isLower)
		if end != i+4 {
			return 0
		}
		if group == 3 {
			return end
		}
		if t.at(end) != ' ' {
			return 0
		}
		i = end + 1
	}
}
