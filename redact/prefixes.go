package redact

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// prefix describes a key by how it goes on after its first letters, or after the
// mark in it.
type prefix struct {
	text string // as written, case included
	// ahead is how many bytes of the set before stand before it.
	ahead  int
	before *[256]bool
	// after is the set of the bytes that follow, at least min of them; exact
	// when no more may follow.
	after *[256]bool
	min   int
	exact bool
	// numbered: they begin with a plain number, which may count.
	numbered bool
	// mixed: one of them is a digit, so that words never match.
	mixed bool
}

//go:embed services.txt
var serviceTable string

// services returns an anchor for each beginning in services.txt.
func services() (anchors []anchor) {
	sets := map[string]*[256]bool{
		"upnum": isUpNum, "hex": isHex, "alnum": isAlnum, "b64": isB64, "b64url": isB64URL, "dotted": isDotted, "token": isToken,
		"percent": isPercent, "dollar": setOf(lower + digits + "$"), "piped": setOf(letters + digits + "_-|"), "hexdash": setOf(digits + "abcdefABCDEF-"),
	}
	before := map[bool]*[256]bool{false: isAlnum, true: isToken}
	for line := range strings.Lines(serviceTable) {
		row := strings.Fields(line)
		if row[0] == "#" {
			continue
		}
		p := prefix{after: sets[row[2]], before: before[strings.Contains(row[4], "t")], exact: strings.Contains(row[4], "e"), mixed: strings.Contains(row[4], "m"), numbered: strings.Contains(row[4], "n")}
		p.ahead, _ = strconv.Atoi(row[1]) // a test reads the table
		p.min, _ = strconv.Atoi(row[3])
		for _, text := range row[5:] {
			p.text = strings.ReplaceAll(text, "+", " ")
			anchors = append(anchors, anchor{text: strings.ToLower(p.text), kind: row[0], check: checkPrefix, prefix: p})
		}
	}
	return anchors
}

// prefixBits is the least entropy of what follows the first letters, in bits a
// byte, so that "xxxxxxxx" is no key. 14 random letters have 3.5 on average.
const prefixBits = 2.2

// checkPrefix verifies a key known by its first letters.
func checkPrefix(t *text, a *anchor, from, to int) (Span, bool) {
	p := &a.prefix
	begin := from - p.ahead
	if t.s[from:to] != p.text || begin < t.base || extend(t.s, begin, from, p.before) != from || isAlnum[t.at(begin-1)] {
		return Span{}, false
	}
	enough := extend(t.s, to, to+p.min, p.after)
	if enough-to < p.min || p.mixed && !hasDigit(t.s[to:extend(t.s, enough, enough+p.min, p.after)]) ||
		p.ahead == 0 && bits(t.s[to:enough]) < prefixBits || p.ahead > 14 && bits(t.s[begin:from]) < prefixBits {
		return Span{}, false
	}
	if !p.numbered && p.ahead == 0 && isMadeUp(t.s[to:extend(t.s, enough, enough+entropyBytes, p.after)]) {
		return Span{}, false
	}
	if p.exact {
		return Span{begin, enough, a.kind}, !isAlnum[t.at(enough)] && !p.after[t.at(enough)]
	}
	end := extend(t.s, enough, len(t.s), p.after)
	return Span{begin, trimTail(t.s, enough, end), a.kind}, true
}

// trimTail takes punctuation that ends a sentence off a key.
func trimTail(s string, min, end int) int {
	return min + len(strings.TrimRight(s[min:max(min, end)], ".-/"))
}

// shaped are the keys that only their shape tells, by the length of the run that they
// begin with and by what follows that.
var shaped = []struct {
	kind        string
	least, most int
	first       *[256]bool
	next        byte // 0 for any
	shape       func() *regexp.Regexp
}{
	{"telegram", 8, 10, isDigit, ':', lazy.Regexp(`^([0-9]+:[\w-]{35})(?:[^\w-]|$)`)},
	{"discord", 23, 28, setOf("MNO"), '.', lazy.Regexp(`^([MNO][\w+/-]+\.[\w-]{6}\.[\w-]{27,63})`)},
	{"mailgun", 50, 50, isHex, 0, lazy.Regexp(`^([0-9a-fA-F]{32}-[0-9a-fA-F]{8}-[0-9a-fA-F]{8})`)},
	// a seed of NATS: account, cluster, server, operator, user, curve
	{"nkey", 58, 58, setOf("S"), 0, lazy.Regexp(`^(S[ACNOUXP][A-Z2-7]{56})`)},
}

// shapedLeast is the length of the shortest run that begins one, shapedBytes
// is how much of such a key is read.
const (
	shapedLeast = 8
	shapedBytes = 128
)

// shapedKey verifies a run that begins a key of a known shape.
func (t *text) shapedKey(from, to int) (Span, bool) {
	for i := range shaped {
		k := &shaped[i]
		if n := to - from; n < k.least || n > k.most || !k.first[t.s[from]] || k.next != 0 && k.next != t.at(to) {
			continue
		}
		if m := k.shape().FindStringSubmatchIndex(head(t.s[from:], shapedBytes)); m != nil {
			return Span{from, from + m[3], k.kind}, true
		}
	}
	return Span{}, false
}

func hasDigit(s string) bool { return has(s, isDigit) }
