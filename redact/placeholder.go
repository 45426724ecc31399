package redact

import (
	"strconv"
	"strings"
)

// brackets are what models put around a placeholder, the form that Mask writes
// first. Both are replaced alike, so that text which has such a form survives.
var brackets = []struct{ open, close string }{
	{"[", "]"}, {`\[`, `\]`}, {"<", ">"}, {"(", ")"}, {"{", "}"}, {"⟨", "⟩"}, {"‹", "›"}, {"【", "】"}, {"〈", "〉"},
	{"&lt;", "&gt;"}, {`\u003c`, `\u003e`}, {`\u27e8`, `\u27e9`},
}

// mayOpen are the first bytes of brackets.
var mayOpen = setOf("[\\<({&\xe2\xe3")

// dashes may stand in a placeholder where Mask writes a hyphen.
var dashes = []string{"-", "_", "‐", "‑", "–"}

var maskKinds = []string{maskMail, maskPhone, maskName, maskText}

const numberDigits = 6

// placeholderAt returns the placeholder at i as Mask names it ("mail-1") and
// where it ends; 0 where there is none.
func placeholderAt(text string, i int) (name string, end int) {
	if !mayOpen[text[i]] {
		return "", 0
	}
	for _, b := range brackets {
		if b.open[0] != text[i] || !strings.HasPrefix(text[i:], b.open) {
			continue
		}
		name, at := placeholderName(text, extend(text, i+len(b.open), i+len(b.open)+2, isBlank))
		if name == "" {
			continue
		}
		if at = extend(text, at, at+2, isBlank); strings.HasPrefix(text[at:], b.close) {
			return name, at + len(b.close)
		}
	}
	return "", 0
}

// placeholderName reads "mail-1" or "mail-1-2" in any case.
func placeholderName(text string, i int) (name string, end int) {
	for _, kind := range maskKinds {
		if !hasFold(text[i:], kind) {
			continue
		}
		number, at := placeholderNumber(text, i+len(kind))
		if number == "" {
			return "", 0
		}
		if spelling, after := placeholderNumber(text, at); spelling != "" {
			return kind + number + spelling, after
		}
		return kind + number, at
	}
	return "", 0
}

// placeholderNumber reads a dash and a number.
func placeholderNumber(text string, i int) (number string, end int) {
	for _, dash := range dashes {
		if !strings.HasPrefix(text[i:], dash) {
			continue
		}
		from := i + len(dash)
		end = extend(text, from, from+numberDigits, isDigit)
		n, err := strconv.Atoi(text[from:end])
		if err != nil || end < len(text) && isDigit[text[end]] {
			return "", 0
		}
		return "-" + strconv.Itoa(n), end
	}
	return "", 0
}

// findPlaceholders finds what Restore would take for a placeholder.
func findPlaceholders(spans []Span, text string, from, to int) []Span {
	for i := from; i < to; {
		_, end := placeholderAt(text, i)
		if end == 0 || end > to {
			i++
			continue
		}
		spans = append(spans, Span{i, end, maskText})
		i = end
	}
	return spans
}

// findOwn finds what is never masked: references with their citations, and
// marks.
func findOwn(spans []Span, text string, from, to int) []Span {
	for i := from; i < to; i++ {
		start, end := 0, 0
		switch text[i] {
		case ':':
			start, end = referenceAround(text, i, from)
		case '[':
			if !strings.HasPrefix(text[i:], markOpen) {
				continue
			}
			if first, last := nextMark(text[i:min(to, i+len(markOpen)+kindBytes+1)], 0); first == 0 {
				start, end = i, i+last
			}
		}
		if end > i && end <= to {
			spans = append(spans, Span{start, end, maskKeep})
			i = end - 1
		}
	}
	return spans
}

const (
	referenceHash  = 10
	referenceSense = 32
)

// referenceAround returns the bounds of the reference whose colon is at colon:
// a sense's name before it, ten characters of base32 and perhaps "@42" behind.
func referenceAround(text string, colon, base int) (start, end int) {
	start = colon
	for start > base && colon-start < referenceSense && isReferenceName[text[start-1]] {
		start--
	}
	end = extend(text, colon+1, colon+1+referenceHash, isReferenceHash)
	if start == colon || end != colon+1+referenceHash || end < len(text) && isAlnum[text[end]] {
		return 0, 0
	}
	if end < len(text) && text[end] == '@' {
		if number := extend(text, end+1, end+20, isDigit); number > end+1 && (number == len(text) || !isAlnum[text[number]]) {
			end = number
		}
	}
	return start, end
}

var (
	isReferenceName = setOf(lower + digits + "_-")
	isReferenceHash = setOf(lower + "234567")
)
