package redact

import "strings"

const (
	nameBytes  = 48 // of a name that are looked at, each side of the word in it
	gapBytes   = 24 // between a name and what is assigned to it
	valueBytes = 512
)

// checkAssigned verifies a word that names a secret: "db_password: …",
// `"apiKey": "…"`, `<token>…</token>`, "your password is …".
func checkAssigned(t *text, a *anchor, from, to int) (Span, bool) {
	end, ok := t.nameAround(a, from, to)
	if !ok || from < t.publicEnd {
		return Span{}, false
	}
	at, sep := t.separator(end)
	if sep == sepNone || sep != sepAssign && t.inPath(from, end) || t.isOutcome(from, to) {
		return Span{}, false
	}
	if a.kind == "api-key" && t.isPublicName(from) {
		return Span{}, false
	}
	v, ok := t.value(at, sep)
	if !ok || v.quote == "" && strings.HasSuffix(t.s[t.base:end], t.s[v.from:v.to]) {
		return Span{}, false
	}
	name := t.s[t.nameBegin(from):]
	v.option = name[0] == '-'
	v.member = strings.HasPrefix(name, "self.") || strings.HasPrefix(name, "this.")
	v.spaced = t.at(end) == ' ' && t.at(at-1) == ' '
	if !v.accepted(t, a, sep) {
		return Span{}, false
	}
	hashed := a.kind == "password" && checksums.get().in(t.s[from:end]) // "password_md5" guards what it is of
	return Span{v.from, v.end(t), a.kind}, hashed || !t.isChecksum(v.from, v.to)
}

// checkBehind verifies what stands right behind words that leave little doubt:
// SQL's "IDENTIFIED BY" and "WITH mysql_native_password BY", and names of cookies.
// In small letters, as in prose, a password has to look like one.
func checkBehind(t *text, a *anchor, from, to int) (Span, bool) {
	v, ok := t.value(t.skipBlank(to, to+gapBytes), sepAssign)
	if !ok || t.s[to-1] == 'y' && !looksSecret(t.s[v.from:v.to], true) || !v.accepted(t, a, sepAssign) {
		return Span{}, false
	}
	return Span{v.from, v.end(t), a.kind}, true
}

const (
	jwkBytes    = 512 // of a JSON Web Key that are looked at
	jwkKeyBytes = 16  // the shortest key, in base64, that is taken for one
)

// checkJWK verifies the key of a symmetric JSON Web Key: {"kty":"oct","k":"…"}.
func checkJWK(t *text, a *anchor, from, to int) (Span, bool) {
	at, sep := t.separator(to)
	v, ok := t.value(at, sep)
	if !ok || sep != sepAssign || v.quote == "" || v.to-v.from < jwkKeyBytes || extend(t.s, v.from, v.to, isB64URL) != v.to {
		return Span{}, false
	}
	before, after := t.s[max(t.base, from-jwkBytes):from], head(t.s[v.to:], jwkBytes)
	before = before[strings.LastIndexByte(before, '{')+1:]
	after, _, _ = strings.Cut(after, "}")
	return Span{v.from, v.to, a.kind}, strings.Contains(before, `"oct`) || strings.Contains(after, `"oct`)
}

// inPath reports whether the name is a part of a path or has the ending of a
// file: what follows it by a space alone is another.
func (t *text) inPath(from, end int) bool {
	for i := from; i > t.base && i > from-nameBytes && (isName[t.s[i-1]] || t.s[i-1] == '/'); i-- {
		if t.s[i-1] == '/' {
			return true
		}
	}
	dot := strings.LastIndexByte(t.s[from:end], '.')
	return dot > 0 && end-from-dot <= 5
}

// isPublicName reports whether the name around i is that of a public key.
func (t *text) isPublicName(i int) bool {
	before := t.s[max(t.base, i-8):i]
	return publicNames.get().in(before)
}

var publicNames = finder("publicNames")

// isOutcome: "--- PASS: TestLoad (0.00s)".
func (t *text) isOutcome(from, to int) bool {
	before := t.s[max(t.base, from-4):from]
	return t.s[from:to] == "PASS" && (before == "--- " || before == "=== ")
}

// nameBegin returns where the name around i begins, of which nameBytes are
// looked at.
func (t *text) nameBegin(i int) int {
	for limit := i - nameBytes; i > t.base && i > limit && isName[t.s[i-1]]; {
		i--
	}
	return i
}

// nameAround returns where the name ends that the word at [from,to) is part
// of; not ok where the name says that it is no secret ("tokenizer", "token_count").
func (t *text) nameAround(a *anchor, from, to int) (end int, ok bool) {
	if a.level == alone || a.level == aloneLikely {
		before, after := t.at(from-1), t.at(to)
		camel := isLower[before] && isUpper[t.s[from]]
		if isAlnum[before] && !camel && !isDigit[before] || before >= 0x80 || isLower[after] || after >= 0x80 {
			return 0, false
		}
		if isUpper[after] && isUpper[t.s[to-1]] {
			return 0, false
		}
	}
	end = extend(t.s, to, to+nameBytes, isName)
	if end == to {
		return end, true
	}
	tail := strings.TrimRight(t.s[to:end], ".-")
	if end = to + len(tail); tail == "" {
		return end, true
	}
	joined := isLower[t.s[to-1]] && isLower[t.s[to]] || isUpper[t.s[to-1]] && isUpper[t.s[to]]
	if otherNames.get().folded(strings.TrimLeft(tail, "_-.")) > 0 || joined && !secretTails.get().hasFolded(tail) {
		return 0, false
	}
	return end, true
}

var (
	// secretTails may go on after the word without a separator.
	secretTails = setOfWords("secretTails")
	// otherNames begin the rest of names that are about a secret and are none.
	otherNames = beginningsIn("otherNames")
	proseWords = beginningsIn("proseWords")
)

type separator int

const (
	sepNone   separator = iota
	sepAssign           // = : := =>
	sepXML              // >
	sepProse            // is, lautet, est, es
	sepSpace            // nothing but space
	sepLine             // the next line
)

// separator reads what stands between a name and its value, and returns where
// the value begins.
func (t *text) separator(i int) (int, separator) {
	limit := min(len(t.s), i+gapBytes)
	start := i
	for i < limit && (t.s[i] == '\\' || t.s[i] == '"' || t.s[i] == '\'' || t.s[i] == '`' || t.s[i] == ']' || t.s[i] == ')' || t.s[i] == '*') {
		i++
	}
	quoted := i > start
	if i < limit && t.s[i] == '>' {
		return i + 1, sepXML
	}
	space := i
	i = t.skipBlank(i, limit)
	blank := i > space
	switch {
	case i >= limit:
		return i, sepNone
	case strings.HasPrefix(t.s[i:], "："):
		return t.skipBlank(i+len("："), limit), sepAssign
	case t.s[i] == '=' || t.s[i] == ':':
		return t.afterSign(i, limit)
	case t.s[i] == '|' && (blank || quoted || t.at(i+1) == ' '):
		return t.skipBlank(i+1, limit), sepProse
	case blank && strings.HasPrefix(t.s[i:], "->"):
		return t.skipBlank(i+2, limit), sepAssign
	case t.s[i] == ',':
		// add("password", "…"), setopt(OPT_PASSWORD, "…")
		next := t.skipBlank(i+1, limit)
		if c := t.at(next); quoted || c == '"' || c == '\'' {
			return next, sepProse
		}
		return i, sepNone
	case blank && t.forWhom(i) > 0:
		return t.afterSign(t.forWhom(i), len(t.s))
	case (blank || quoted) && hasFold(t.s[i:], "value"):
		return t.separatorAfterValue(i+5, limit)
	case !quoted && t.s[i] == '\n':
		j := t.skipBlank(i+1, limit)
		if hasFold(t.s[j:], "value:") {
			return t.skipBlank(j+6, limit), sepAssign
		}
		return i, sepNone
	}
	if !blank {
		return i, sepNone
	}
	if n := proseWords.get().folded(t.s[i:]); n > 0 {
		return t.skipBlank(i+n, limit), sepProse
	}
	return t.wordsBetween(i), sepSpace
}

var forWords = beginningsIn("forWords")

// forWhom returns where the sign stands in "password for USER: …", or 0.
func (t *text) forWhom(i int) int {
	n := forWords.get().folded(t.s[i:])
	if n == 0 {
		return 0
	}
	end := extend(t.s, i+n, i+n+nameBytes, isUser)
	if c := t.at(end); end > i+n && (c == ':' || c == '=') {
		return end
	}
	return 0
}

var isUser = setOf(letters + digits + "_-.@\\'")

// wordsBetween skips what qualifies a name behind it: a type, or a bracket.
func (t *text) wordsBetween(i int) int {
	if t.at(i) != '(' {
		return i
	}
	for j := i + 1; j < min(len(t.s), i+gapBytes); j++ {
		if t.s[j] == ')' {
			if next := t.skipBlank(j+1, j+gapBytes); t.at(next) == ':' || t.at(next) == '=' {
				return t.skipBlank(next+1, next+gapBytes)
			}
			return i
		}
	}
	return i
}

// afterSign reads "=", ":", ":=", "==", "=>", and the line break that may
// follow a colon.
func (t *text) afterSign(i, limit int) (int, separator) {
	colon := t.s[i] == ':'
	for n := 0; n < 3 && i < limit && (t.s[i] == '=' || t.s[i] == ':' || t.s[i] == '>' && n > 0); n++ {
		i++
	}
	i = t.skipBlank(i, i+gapBytes)
	if !colon || t.at(i) != '\n' && t.at(i) != '\r' {
		return i, sepAssign
	}
	for n := 0; n < 4 && i < len(t.s) && (t.s[i] == '\n' || t.s[i] == '\r'); n++ {
		i = t.skipBlank(i+1, i+gapBytes)
	}
	return i, sepLine
}

// separatorAfterValue reads `value="…"` of an XML attribute.
func (t *text) separatorAfterValue(i, limit int) (int, separator) {
	i = t.skipBlank(i, limit)
	if c := t.at(i); c == '=' || c == ':' {
		return t.skipBlank(i+1, i+gapBytes), sepAssign
	}
	return i, sepNone
}

func (t *text) skipBlank(i, limit int) int {
	for i < min(limit, len(t.s)) {
		switch {
		case t.s[i] == ' ' || t.s[i] == '\t':
			i++
		case strings.HasPrefix(t.s[i:], "\u00a0"):
			i += len("\u00a0")
		default:
			return i
		}
	}
	return i
}
