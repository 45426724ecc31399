package redact

import "strings"

const (
	authorityBytes = 512
	linkBytes      = 2048
	// keyInLink is the length of the shortest key that a link carries.
	keyInLink = 6
	// linkSaid is how far before a link is read what it is for.
	linkSaid = 100
	// linkTold is how far behind a link that is read.
	linkTold = 60
)

// checkURL verifies a URL: credentials before its host, and links that are
// themselves a key (password resets, magic links, invitations).
func checkURL(t *text, _ *anchor, from, to int) (Span, bool) {
	if span, ok := t.userinfo(to); ok {
		return span, true
	}
	return t.link(from, to)
}

// userinfo finds the password in "//user:password@host".
func (t *text) userinfo(to int) (Span, bool) {
	limit := min(len(t.s), to+authorityBytes)
	colon, at := -1, -1
	for i := to; i < limit && isURL[t.s[i]] && t.s[i] != '?' && t.s[i] != '#'; i++ {
		switch t.s[i] {
		case '/':
			// A slash ends the authority, unless the password holds it.
			if colon < 0 || extend(t.s, colon+1, i, isDigit) == i || strings.IndexByte(head(t.s[i:], 64), '@') < 0 || strings.IndexByte(head(t.s[i:], 64), ' ') >= 0 {
				limit = i
			} else if !t.atBeforeSlash(i + 1) {
				limit = i
			}
		case ':':
			if colon < 0 && at < 0 {
				colon = i
			}
		case '@':
			at = i
		}
	}
	switch {
	case at < 0:
		return Span{}, false
	case colon < 0 || colon > at:
		name := t.s[to:at]
		return Span{to, at, "url-password"}, len(name) >= 16 && looksSecret(name, false)
	case isExamplePassword(t.s[colon+1 : max(at, colon+1)]):
		return Span{}, false
	}
	return Span{colon + 1, at, "url-password"}, at > colon+1
}

// isExamplePassword reports whether a password in a URL only says that one
// stands there.
func isExamplePassword(s string) bool {
	return examplePasswords.get().hasFolded(s) || isPlaceholder(s) || isTemplate(s)
}

var examplePasswords = setOfWords("examplePasswords")

// atBeforeSlash reports whether an "@" comes before the next slash or colon.
func (t *text) atBeforeSlash(i int) bool {
	rest := t.s[i:extend(t.s, i, i+64, isURL)]
	at := strings.IndexAny(rest, "@/:")
	return at >= 0 && rest[at] == '@'
}

var (
	// linkWords make a link that carries a token one that opens something;
	// linkOccasions say in the words around a link what it is for.
	linkWords     = finder("linkWords")
	linkOccasions = finder("linkOccasions")
)

// link finds the token in a link that opens an account to whoever has it.
func (t *text) link(from, to int) (Span, bool) {
	if to <= t.linkEnd {
		return Span{}, false
	}
	end := extend(t.s, to, to+linkBytes, isLink)
	t.linkEnd = end
	path := strings.IndexAny(t.s[to:end], "/?#")
	if path < 0 {
		return Span{}, false
	}
	said := linkOccasions.get().in(t.s[max(t.base, from-linkSaid):from]) || linkOccasions.get().in(head(t.s[end:], linkTold))
	if !said && !linkWords.get().in(t.s[to:end]) {
		return Span{}, false
	}
	first, last := -1, -1
	for i := to + path; i < end; {
		part := extend(t.s, i, end, isLinkToken)
		if part-i >= keyInLink && looksKey(t.s[i:part]) {
			part = extend(t.s, part, end, isLinkTail)
			if last = trimTail(t.s, i+keyInLink, part); first < 0 {
				first = i
			}
		}
		i = part + 1
	}
	return Span{first, last, "link"}, first >= 0
}

var (
	isLinkToken = setOf(letters + digits + "_-~")
	isLinkTail  = setOf(letters + digits + "_-~.%=")
	isLink      = func() *[256]bool {
		set := except('!', urlEnds+")];")
		clear(set[0x80:])
		return set
	}()
	isQuery = except('!', urlEnds+"&#")
)

// looksKey reports whether a part of a link is a token and not a slug: figures
// and letters that change often, a hexadecimal number, or letters of both cases
// that make no words.
func looksKey(s string) bool {
	if hex := strings.ReplaceAll(s, "-", ""); len(hex) >= 12 && extend(hex, 0, len(hex), isHex) == len(hex) && (len(hex) >= 24 || hasDigit(hex) && changes(hex) >= 3) {
		return true
	}
	if wordy(s) >= 0.3 {
		return false
	}
	return changes(s)*4 >= len(s) && hasDigit(s) || len(s) >= 12 && changes(s)*3 >= len(s) && strings.ToLower(s) != s && strings.ToUpper(s) != s && !strings.ContainsAny(s, "-_")
}

// checkQuery verifies a query parameter that holds a secret.
func checkQuery(t *text, a *anchor, from, to int) (Span, bool) {
	if a.text[0] != '?' && a.text[0] != '&' && isLower[t.at(from-1)] {
		return Span{}, false
	}
	enough := extend(t.s, to, to+valueBytes, isQuery)
	v := t.s[to:enough]
	if strings.HasSuffix(a.text, "user_code=") && len(v) >= 6 && !isPlaceholder(v) {
		return Span{to, enough, "url-secret"}, true
	}
	if len(v) < 6 || isPlaceholder(v) || !looksSecret(v, false) && !(len(v) >= 6 && extend(v, 0, len(v), isDigit) == len(v)) {
		return Span{}, false
	}
	return Span{to, trimTail(t.s, to+1, extend(t.s, enough, len(t.s), isQuery)), "url-secret"}, true
}
