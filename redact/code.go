package redact

import "strings"

// codeReach is how far from its word a one-time code may stand, in bytes.
const codeReach = 56

// codeWords announce a one-time code. Those that are ambiguous alone ("code",
// "pin", "tan") need a qualifier; see qualified.
var codeWords = []string{
	"code", "código", "codigo", "CÓdigo", "otp", "pin", "tan", "mtan", "one-time password", "one time password",
	"einmalpasswort", "einmalkennwort", "mot de passe à usage unique", "contraseña de un solo uso", "codes",
}

// codeBefore may stand in the 24 bytes before a word like "code" or in one word
// with it; codeAfter in the 28 bytes behind.
var (
	codeBefore = newWords("verif", "securit", "login", "log-in", "sign-in", "sign in", "confirmation", "access", "auth",
		"one-time", "one time", "2fa", "your", "ihr", "dein", "euer", "votre", "ton ", "tu ", "su ", "bestätigungs",
		"bestaetigungs", "sicherheits", "anmelde", "zugangs", "einmal", "prüf", "freigabe", "verifizierungs", "recovery",
		"temporary", "pairing", "activation", "aktivierungs", "mtan", "sms-", "sms ")
	codeAfter = newWords("de vérif", "de verif", "de sécu", "de secu", "de confirm", "de connex", "de valid", "d'accès",
		"d’accès", "de segur", "de acceso", "de inicio", "à usage", "de un solo", "d'authent", "de autent", "to sign in",
		"to log in", "to verify", "zum anmelden", "zur bestätigung", "zur anmeldung", "pour vous connecter", "for your", "für ihr")
	// notCodes make "code 1234" something else whatever stands around.
	notCodes = newWords("error", "zip", "exit", "status", "postal", "area", "country", "source", "response", "http",
		"discount", "promo", "coupon", "voucher", "product", "fehler", "bar", "qr", "return")
)

// markCodeWord remembers a word that announces a code; it is no secret itself.
func markCodeWord(t *text, a *anchor, from, to int) (Span, bool) {
	if t.at(to) >= 0x80 || isLower[t.at(to)] {
		return Span{}, false
	}
	if before := t.at(from - 1); len(a.text) < 5 && a.text != "code" && (isAlnum[before] || before >= 0x80) {
		return Span{}, false
	}
	if t.qualified(from, to) || len(a.text) > 8 || a.text == "otp" || a.text == "mtan" {
		t.codeWord = to
	}
	return Span{}, false
}

// qualified reports whether what stands around a word makes it announce a
// one-time code.
func (t *text) qualified(from, to int) bool {
	begin := from
	for limit := max(t.base, from-24); begin > limit && !endsSentence[t.s[begin-1]]; {
		begin--
	}
	last := from
	for last > begin && isJoint[t.s[last-1]] {
		last--
	}
	if notCodes.ends(t.s[begin:last]) {
		return false
	}
	return codeBefore.in(t.s[begin:from]) || codeAfter.in(head(t.s[to:], 28))
}

var (
	endsSentence = setOf(".!?\n")
	isJoint      = setOf(" -_")
)

// code verifies 4 to 8 digits (or two groups of three) near a word that
// announces a one-time code.
func (t *text) code(from, to int) (Span, bool) {
	if !isDigit[t.s[from]] && !t.isLetterCode(from, to) {
		return Span{}, false
	}
	end := to
	digitsEnd := extend(t.s, from, to, isDigit)
	if digitsEnd == to && to == from+3 && t.at(to) == ' ' && extend(t.s, to+1, to+5, isDigit) == to+4 && !isAlnum[t.at(to+4)] {
		end = to + 4 // 123 456
	}
	if n := end - from; n < 4 || n > 9 {
		return Span{}, false
	}
	switch {
	case digitsEnd == to && to-from <= 8:
	case digitsEnd == from+3 && to == from+7 && t.s[from+3] == '-' && extend(t.s, from+4, to, isDigit) == to:
	case t.isLetterCode(from, to):
	default:
		return Span{}, false
	}
	if before := t.at(from - 1); before == '.' || before == ',' || before == '#' || before == '$' || before >= 0x80 && before != 0xa0 ||
		before == ':' && isDigit[t.at(from-2)] {
		return Span{}, false
	}
	if after := t.at(end); after == ':' && isDigit[t.at(end+1)] || after == '.' && isDigit[t.at(end+1)] || after == '%' {
		return Span{}, false
	}
	if t.announced(from) || digitsEnd == to && t.announcedAfter(end) {
		return Span{from, end, "code"}, true
	}
	return Span{}, false
}

// isLetterCode reports whether the run is a code of capitals and digits.
func (t *text) isLetterCode(from, to int) bool {
	return to-from >= 6 && to-from <= 9 && extend(t.s, from, to, isUpNumDash) == to && hasDigit(t.s[from:to]) && t.codeWord >= 0
}

var isUpNumDash = setOf(upper + digits + "-")

// announced reports whether the last word that announces a code stands close
// before from, with no other number between.
func (t *text) announced(from int) bool {
	if t.codeWord < t.base || from-t.codeWord > codeReach || t.codeWord > from {
		return false
	}
	between := t.s[t.codeWord:from]
	if hasDigit(between) || strings.ContainsAny(between, "!?") || strings.Contains(between, ". ") {
		return false
	}
	said := strings.TrimRight(between, " \t\r\n:=*\"'>-")
	if strings.ContainsAny(between[len(said):], ":=\n") {
		return true
	}
	for _, verb := range codeVerbs {
		if strings.HasSuffix(foldASCII(said), verb) {
			return true
		}
	}
	return false
}

// codeVerbs may stand right before a code.
var codeVerbs = []string{" is", " ist", " lautet", " est", " es", " is now", " ist nun"}

// announcedAfter reports whether such a word follows ("123456 is your code").
func (t *text) announcedAfter(to int) bool {
	if !hasFold(t.s[to:], " i") && !hasFold(t.s[to:], " e") {
		return false
	}
	after := foldASCII(head(t.s[to:], codeReach))
	if stop := strings.IndexAny(after, ".!?\n,;"); stop >= 0 {
		after = after[:stop]
	}
	for _, verb := range [...]string{" is your", " is the ", " ist ihr", " ist dein", " est votre", " est ton", " es tu", " es su"} {
		if strings.HasPrefix(after, verb) {
			return strings.Contains(after, "code") || strings.Contains(after, "código") || strings.Contains(after, "codigo") ||
				strings.Contains(after, "passcode") || strings.Contains(after, " otp") || strings.Contains(after, " pin")
		}
	}
	return false
}

// checkG verifies "G-123456", as Google writes its codes.
func checkG(t *text, a *anchor, from, to int) (Span, bool) {
	end := extend(t.s, to, to+7, isDigit)
	if end-to != 6 || joinsNumber(t.at(from-1)) || isAlnum[t.at(end)] || t.at(end) == '-' || t.s[from] != 'G' {
		return Span{}, false
	}
	return Span{from, end, a.kind}, true
}
