package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	mailLocalBytes  = 128
	mailDomainBytes = 253
)

// The ASCII of the part before the "@" that is in use, and of domains; letters
// of other scripts may stand in both (RFC 6531).
var (
	isMailLocal  = setOf(letters + digits + "._+-'&/")
	isMailSign   = setOf(".+-'&/")
	isMailDomain = setOf(letters + digits + ".-")
)

// notMailEnds are last parts of what is written like an address and is none:
// files and services with an "@" in their names.
var notMailEnds = setOfWords("notMailEnds")

// findMails finds mail addresses.
func findMails(spans []Span, text string, from, to int) []Span {
	for i := from; i < to; i++ {
		width := 1
		switch {
		case text[i] == '@':
		case text[i] == '%' && strings.HasPrefix(text[i:to], "%40"):
			width = 3
		default:
			continue
		}
		start, end := mailAround(text, i, i+width, from, to)
		if end == 0 {
			continue
		}
		spans = append(spans, Span{start, end, maskMail})
		from = end // no address begins in another
		i = end - 1
	}
	return spans
}

// mailAround returns the bounds of the address whose "@" is text[at:after].
func mailAround(text string, at, after, from, to int) (start, end int) {
	start = at
	for start > from && at-start < mailLocalBytes {
		r, size := utf8.DecodeLastRuneInString(text[from:start])
		if !isMailRune(r, isMailLocal) {
			break
		}
		start -= size
	}
	if start > from && start < at-1 && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
		start++ // the rest of an escape
	}
	start = extend(text, start, at, isMailSign)
	end = domainEnd(text, after, min(to, after+mailDomainBytes))
	if start == at || end == 0 || text[at-1] == '.' || text[start:at] == "git" {
		return 0, 0
	}
	return start, end
}

// isMailRune: of ASCII what is in the set.
func isMailRune(r rune, set *[256]bool) bool {
	return r < utf8.RuneSelf && set[r] || r >= utf8.RuneSelf && isWordRune(r)
}

// domainEnd returns where the domain ends that begins at from, before end: behind
// the last part that may be a top-level domain. 0 where there is none.
func domainEnd(text string, from, end int) int {
	end -= len(strings.TrimLeftFunc(text[from:end], func(r rune) bool { return isMailRune(r, isMailDomain) }))
	for end > from {
		dot := strings.LastIndexByte(text[from:end], '.')
		if dot <= 0 {
			return 0
		}
		last := text[from+dot+1 : end]
		if isTopLevel(last) && !strings.Contains(text[from:end], "..") && text[from] != '-' {
			if notMailEnds.get().hasFolded(last) {
				return 0
			}
			return end
		}
		end = from + dot
	}
	return 0
}

// isTopLevel: letters, at least two, or punycode.
func isTopLevel(s string) bool {
	if hasFold(s, "xn--") {
		return len(s) > 4 && s[len(s)-1] != '-'
	}
	if len(s) < 2 {
		return false
	}
	for i := range len(s) {
		if !isLower[s[i]] && !isUpper[s[i]] && s[i] < 0x80 {
			return false
		}
	}
	return true
}
