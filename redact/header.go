package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// checkAuthorization verifies an Authorization header of any scheme.
func checkAuthorization(t *text, _ *anchor, _, to int) (Span, bool) {
	i := extend(t.s, to, to+8, isOpening)
	word := extend(t.s, i, i+32, isDotted)
	kind := "authorization"
	if scheme := strings.ToLower(t.s[i:word]); scheme == "bearer" || scheme == "basic" {
		kind = scheme
	}
	if t.at(word) == ' ' && word > i {
		i = t.skipBlank(word, word+8)
	}
	end := extend(t.s, i, len(t.s), isToken)
	if v := t.s[i:end]; len(v) < 6 || isPlaceholder(v) || !looksSecret(v, false) && len(v) < 16 {
		return Span{}, false
	}
	return Span{i, trimTail(t.s, i, end), kind}, true
}

var (
	isQuote   = setOf("\"'")
	isOpening = setOf(" \"'\\")
	isAccount = setOf(letters + digits + "_-.@")
	isCookie  = except(0, "\n\r\"'")
)

// checkScheme verifies "Bearer TOKEN" and "Basic BASE64" outside of a header.
func checkScheme(t *text, a *anchor, from, to int) (Span, bool) {
	if isAlnum[t.at(from-1)] {
		return Span{}, false
	}
	i := t.skipBlank(to, to+4)
	enough := extend(t.s, i, i+valueBytes, isToken)
	v := t.s[i:enough]
	if len(v) < 8 || isPlaceholder(v) {
		return Span{}, false
	}
	if a.kind == "basic" && !isUserPassword(v) && !isEncoded(v) || a.kind == "bearer" && !(len(v) >= 12 && looksSecret(v, false)) {
		return Span{}, false
	}
	return Span{i, trimTail(t.s, enough, extend(t.s, enough, len(t.s), isToken)), a.kind}, true
}

// isUserPassword reports whether s is base64 of "user:password".
func isUserPassword(s string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && bytes.IndexByte(plain, ':') >= 0 && !bytes.ContainsFunc(plain, func(r rune) bool { return r < ' ' })
}

// isEncoded reports whether s is base64 of something, and no word.
func isEncoded(s string) bool {
	_, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && len(s) >= 16 && hasDigit(s) && isMixed(s) && !isIdentifier(s)
}

// checkCookie verifies a Cookie or Set-Cookie header: its values are one secret.
func checkCookie(t *text, _ *anchor, from, to int) (Span, bool) {
	i := t.skipBlank(to, to+4)
	name := extend(t.s, i, i+64, isName)
	if name == i || t.at(name) != '=' {
		return Span{}, false
	}
	end := extend(t.s, name+1, len(t.s), isCookie)
	return Span{name + 1, end, "cookie"}, end > name+5
}

// checkCurl verifies "-u user:password" of a command line.
func checkCurl(t *text, _ *anchor, from, to int) (Span, bool) {
	if before := t.at(from - 1); before != ' ' && before != '\t' && before != 0 && before != '\n' {
		return Span{}, false
	}
	i := extend(t.s, t.skipBlank(to, to+4), to+6, isQuote)
	colon := extend(t.s, i, i+64, isAccount)
	if t.at(colon) != ':' || colon == i {
		return Span{}, false
	}
	end := extend(t.s, colon+1, colon+1+valueBytes, isURL)
	v := t.s[colon+1 : end]
	if len(v) < 4 || isPlaceholder(v) || extend(v, 0, len(v), isDigit) == len(v) {
		return Span{}, false
	}
	return Span{colon + 1, end, "password"}, true
}

// checkJWT verifies a JSON web token: base64url parts between dots, the first
// of which is a JSON object.
func checkJWT(t *text, _ *anchor, from, _ int) (Span, bool) {
	if t.s[from:from+3] != "eyJ" || isAlnum[t.at(from-1)] {
		return Span{}, false
	}
	head := extend(t.s, from, from+2048, isB64URL)
	if head-from < 12 || t.at(head) != '.' || !isObject(t.s[from:head]) {
		return Span{}, false
	}
	end := extend(t.s, head+1, len(t.s), isB64URL)
	if end-head-1 < 8 && t.at(end) != '.' {
		return Span{}, false
	}
	for n := 0; n < 3 && t.at(end) == '.' && isB64URL[t.at(end+1)]; n++ {
		end = extend(t.s, end+1, len(t.s), isB64URL)
	}
	return Span{from, end, "jwt"}, true
}

// isObject reports whether s is base64 of the beginning of a JSON object.
func isObject(s string) bool {
	s = s[:min(len(s), 64)/4*4]
	var encoded [64]byte
	var plain [48]byte
	n, err := base64.RawURLEncoding.Decode(plain[:], encoded[:copy(encoded[:], s)])
	return err == nil && n > 2 && plain[0] == '{' && strings.IndexByte("\" \r\n\t", plain[1]) >= 0
}
