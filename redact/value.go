package redact

import "strings"

// value is what is assigned to a name: t.s[from:to], of which at most
// valueBytes were read.
type value struct {
	from, to int
	quote    string // what closes it; "" where it is bare
	cut      bool   // it goes on
	option   bool   // its name is an option of a command ("--token")
	spaced   bool   // it is assigned as code is, with space around the sign
	member   bool   // its name is that of a member: "self.password"
}

// opened are the quotes that may open a value, and what closes each.
var opened = []struct{ open, close string }{
	{`\\"`, `\\"`}, {`\"`, `\"`}, {`"""`, `"""`}, {`'''`, `'''`}, {`"`, `"`}, {`'`, `'`}, {"`", "`"},
	{"&quot;", "&quot;"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"**", "**"}, {"<![CDATA[", "]]>"},
}

// value reads the value that begins at i.
func (t *text) value(i int, sep separator) (value, bool) {
	i = t.skipLiteral(t.skipType(i))
	if from, quote := t.opening(i); quote != "" {
		if to, ok := t.closing(from, quote); ok {
			return value{from: from, to: to, quote: quote}, to > from
		}
		i = from
	}
	to := i
	limit := min(len(t.s), i+valueBytes)
	for to < limit && !(mayStop[t.s[to]] && t.stops(i, to, sep)) {
		to++
	}
	v := value{from: i, to: to, cut: to == limit && to < len(t.s)}
	for !v.cut && v.to > v.from && strings.IndexByte(".,;:!?", t.s[v.to-1]) >= 0 && sep != sepAssign {
		v.to--
	}
	return v, v.to > v.from
}

// opening returns what closes the quote at i and where the quoted begins; "" where
// no quote is.
func (t *text) opening(i int) (from int, quote string) {
	if i >= len(t.s) || !mayQuote[t.s[i]] {
		return i, ""
	}
	for _, q := range opened {
		if strings.HasPrefix(t.s[i:], q.open) {
			return i + len(q.open), q.close
		}
	}
	return i, ""
}

// mayQuote are the first bytes of those that open.
var mayQuote = setOf("\\\"'`&*<\xe2\xc2")

// literals may stand before a quote.
var literals = beginningsIn("literals")

// skipLiteral steps over what marks the quote behind it as a literal.
func (t *text) skipLiteral(i int) int {
	if i >= len(t.s) {
		return i
	}
	for _, before := range *literals.get().with(t.s[i:]) {
		next := i + len(before)
		if next < len(t.s) && (t.s[next] == '"' || t.s[next] == '\'') && strings.HasPrefix(t.s[i:], before) {
			return next
		}
	}
	return i
}

// skipType steps over the type in "password: str = …".
func (t *text) skipType(i int) int {
	end := extend(t.s, i, i+16, isName)
	if end == i || end >= len(t.s) {
		return i
	}
	if valueTypes.get().hasFolded(t.s[i:end]) {
		if next := t.skipBlank(end, end+4); t.at(next) == '=' && t.at(next+1) != '=' {
			return t.skipBlank(next+1, next+gapBytes)
		}
		if next := t.skipBlank(end, end+4); t.at(next) == '"' && next > end {
			return next
		}
	}
	return i
}

var valueTypes = setOfWords("valueTypes")

// closing finds the closing quote, on the same line unless the quote is one
// that spans lines.
func (t *text) closing(i int, quote string) (int, bool) {
	lines := len(quote) == 3
	for limit := min(len(t.s), i+valueBytes); i < limit; i++ {
		switch {
		case t.s[i] == quote[0] && strings.HasPrefix(t.s[i:], quote):
			return i, true
		case t.s[i] == '\n' && !lines:
			return 0, false
		case t.s[i] == '\\' && quote[0] != '\\' && i+1 < limit:
			i++
		}
	}
	return 0, false
}

// mayStop are the first bytes of what ends a bare value.
var mayStop = setOf(" \t\n\r\v\f\x00\"'`<>&;,)]}\\#\xc2\xe2\xe3")

// stops reports whether a bare value that began at from ends before i.
func (t *text) stops(from, i int, sep separator) bool {
	next := t.at(i + 1)
	ends := next == 0 || next == ' ' || next == '\n' || next == '\r' || next == '\t'
	switch t.s[i] {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', 0, '\v', '\f':
		return true
	case '<':
		return i > from || sep == sepXML
	case '>':
		return true
	case '&':
		return t.assigns(i + 1)
	case ';', ',':
		return ends || isClosing(next) || t.assigns(i+1)
	case ')', ']', '}':
		return ends || isClosing(next)
	case '\\':
		return next == '"' || next == '\'' || next == 'n' || next == 'r' || next == '\n'
	case '#':
		return i > from && t.s[i-1] == ' '
	}
	if t.s[i] < 0x80 {
		return false
	}
	for _, end := range [...]string{"\u00a0", "”", "“", "»", "«", "\u2028", "\u3000", "…"} {
		if strings.HasPrefix(t.s[i:], end) {
			return true
		}
	}
	return false
}

func isClosing(c byte) bool { return strings.IndexByte("\"'`)]};,<", c) >= 0 }

// assigns reports whether another "name=" begins at i.
func (t *text) assigns(i int) bool {
	end := extend(t.s, i, i+32, isNameOrBlank)
	return end > i && (t.at(end) == '=' || t.at(end) == ':' && t.at(end+1) == ' ')
}

// end returns where the secret ends; one that was cut goes on to the next
// space.
func (v value) end(t *text) int {
	if !v.cut {
		return v.to
	}
	return extend(t.s, v.to, len(t.s), isUncut)
}

var (
	isNameOrBlank = setOf(letters + digits + "_-. ")
	isUncut       = except('!', "\"'")
)

// accepted reports whether the value may be the secret that the anchor speaks
// of.
func (v value) accepted(t *text, a *anchor, sep separator) bool {
	s := t.s[v.from:v.to]
	sure := a.level == surely || a.level == alone
	if !sure && !looksSecret(s, false) || isPlaceholder(s) || isTypeName(s) || isTemplate(s) || isPath(s) ||
		v.quote == "" && (isExpression(s) || isNumberOfCode(s)) {
		return false
	}
	if (sep != sepAssign || a.level == alone) && isAmount(s) {
		return false
	}
	if a.level == aloneLikely && isUUID(s) {
		return false // a key by which something is found
	}
	if !sure && (isPattern(s) || (isDigit[s[0]] || s[0] == 'v') && isVersion().MatchString(s) || s[0] == '#' || isSequence(s) || (v.quote == "" || isMixed(s)) && isIdentifier(s)) {
		return false
	}
	if v.quote == "" && v.spaced && (isVariable(s) || v.member && extend(s, 0, len(s), isVariableByte) == len(s)) {
		return false
	}
	switch sep {
	case sepXML:
		if t.at(v.to) != '<' {
			return false // not a tag and what it holds
		}
	case sepSpace, sepLine, sepProse:
		if sep == sepSpace && !sure && !v.option && len(s) < keyBytes {
			return false
		}
		if !sure {
			return !isAddress(s) // above it looked like a secret
		}
		if sep == sepSpace && a.level == alone && !v.option {
			sure = false // "all tests pass 1234"
		}
		return looksSecret(s, sure) && !isAddress(s)
	}
	if !sure {
		return len(s) >= 12 || a.level != aloneLikely && len(s) >= 6
	}
	if strings.IndexByte(s, ' ') >= 0 {
		return !isSentence(s)
	}
	if looksSecret(s, true) {
		return true
	}
	if v.quote != "" {
		return len(s) >= 4 && !isSentence(s)
	}
	return len(s) >= 4 && t.endsLine(v.to)
}

// endsLine reports whether nothing but closing signs and another assignment
// follow on the line, as after a value and not as after a word of a sentence.
func (t *text) endsLine(i int) bool {
	for n := 0; n < 8 && i < len(t.s); n++ {
		switch c := t.s[i]; {
		case c == '\n' || c == '\r' || c == '&' || c == '#' || c == '<' || c == '\\':
			return true
		case c == ';' || c == ',':
			return t.at(i+1) != ' ' || t.assigns(t.skipBlank(i+1, i+4))
		case c == ' ' || c == '\t' || isClosing(c):
			i++
		default:
			return c >= 0x80 || t.assigns(i)
		}
	}
	return i >= len(t.s)
}

// looksSecret reports whether s is unlike a word: digits among letters, both
// cases mixed otherwise than in names, or signs inside. sure lowers the bar.
func looksSecret(s string, sure bool) bool {
	if strings.IndexByte(s, ' ') >= 0 {
		return false
	}
	n, changes := count(head(s, valueBytes), classesInNames)
	words, figures, signs := n[small]+n[capital], n[figure], n[sign]
	switch {
	case sure && len(s) >= 4 && figures > 0 && words+signs > 0, sure && len(s) >= 6 && signs > 0 && words+figures > 0:
		return true
	case sure && figures >= 4 && words == 0:
		return true
	case figures > 0 && words > 0 && changes >= 3 && len(s) >= 8, figures >= 3 && words >= 3 && len(s) >= 8:
		return true
	case n[small] > 0 && n[capital] > 1 && len(s) >= 12 && changes*3 > len(s):
		return true
	}
	return signs > 0 && figures > 0 && words > 0 && len(s) >= 6
}

// classesInNames pass over what stands between the words of names, and over what is
// not ASCII.
var classesInNames = func() *[256]uint8 {
	pass := except(0x80, "")
	for _, c := range []byte("-_./:") {
		pass[c] = true
	}
	return classOf(pass)
}()

// isPlaceholder reports whether s stands for a secret, or says that there is
// none.
func isPlaceholder(s string) bool {
	if isMasked(s) || standIns.get().of(s) {
		return true
	}
	if len(s) > 1 && s[0] == '$' && extend(s, 1, len(s), isName) == len(s) && !hasDigit(s) || len(s) == 2 && s[0] == '%' {
		return true
	}
	if isExample(s) {
		return true
	}
	word := head(s, 32)
	for word != "" && strings.IndexByte("):;,", word[len(word)-1]) >= 0 {
		word = word[:len(word)-1]
	}
	return notSecrets.get().hasFolded(word)
}

// standIns are how references to secrets begin.
var standIns = beginningsIn("standIns")

// isMasked reports whether there is nothing in s but what hides a secret.
func isMasked(s string) bool {
	s = s[extend(s, 0, len(s), isMask):]
	return s == "" || strings.HasPrefix(s, "•") && isMasked(s[len("•"):])
}

var isMask = setOf("*xX.-_ ?#")

var notSecrets = setOfWords("notSecrets")

// isAddress reports whether s begins with an IP address or a time.
func isAddress(s string) bool {
	end := extend(s, 0, len(s), isAddressByte)
	return end >= 5 && strings.ContainsAny(s[:end], ".:") && (end == len(s) || s[end] == '/' || s[end] == ',')
}

var isAddressByte = setOf(digits + ".:")

// isAmount reports whether s is a sum of money: "$400", "€45.50".
func isAmount(s string) bool {
	number := s[currencies.get().folded(s):]
	return len(number) < len(s) && extend(number, 0, len(number), isAmountByte) == len(number)
}

var (
	currencies   = beginningsIn("currencies")
	isAmountByte = setOf(digits + ".,-")
)

// isExpression reports whether a bare value is code: a call, an index or a
// name of names.
func isExpression(s string) bool {
	name := extend(s, 0, len(s), isName)
	if name > 0 && name < len(s) {
		switch c := s[name]; {
		case c == '(' || c == '[' || c == '{', (c == '!' || c == '?') && name+1 < len(s) && s[name+1] == '(':
			return true
		}
	}
	if s[len(s)-1] == '(' || strings.HasPrefix(s, "*(") || s[0] == '!' && strings.IndexByte(s, '[') > 0 {
		return true
	}
	if (s[0] == '+' || s[0] == '*') && extend(s, 1, len(s), isName) == len(s) && !hasDigit(s) {
		return true // goes on from a string, points to a type
	}
	if s[0] == '[' || s[0] == '{' || s[0] == '(' || s[0] == '&' && !hasDigit(s) {
		return true
	}
	return name == len(s) && strings.IndexByte(s, '.') > 0 && (!hasDigit(s) || isIdentifier(s) && (isLower[s[0]] || s[0] == '_'))
}

// isNumberOfCode reports whether a bare value is a short hexadecimal number.
func isNumberOfCode(s string) bool {
	return len(s) <= 10 && hasFold(s, "0x") && extend(s, 2, len(s), isHex) == len(s)
}

var sentenceWords = finder("sentenceWords")

// isSentence reports whether a quoted value speaks to a person about a secret.
func isSentence(s string) bool {
	if !hasDigit(s) && sentenceWords.get().in(s) {
		return true
	}
	if last := s[len(s)-1]; strings.IndexByte(s, ' ') >= 0 && (last == '.' || last == '?' || last == '!' || last == ':') {
		return true
	}
	return strings.Count(s, " ") > 5
}
