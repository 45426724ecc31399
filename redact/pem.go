package redact

import (
	"encoding/base64"
	"strings"
)

const pemBytes = 64 << 10

// checkPEM verifies a block of a private key and takes all of it, up to its
// end line, or as far as its lines look like one where the end is missing.
func checkPEM(t *text, _ *anchor, from, to int) (Span, bool) {
	label := extend(t.s, to, to+64, isLabel)
	if !strings.HasPrefix(t.s[label:], "-----") && len(t.s)-label >= 5 {
		return Span{}, false
	}
	name := t.s[to:label]
	private := privateKey.get().in(name) && !notKeys.get().in(name)
	body := min(label+5, len(t.s))
	rest := t.s[body:min(len(t.s), body+pemBytes)]
	if next := strings.Index(rest, "-----BEGIN"); next >= 0 {
		rest = rest[:next]
	}
	end := strings.Index(rest, "-----END")
	if !private {
		t.publicEnd = body + max(end, 0)
		return Span{}, false
	}
	if end < 0 {
		end = truncated(rest)
		return Span{from, body + end, "private-key"}, hasBody(rest[:end])
	}
	if isAbbreviated(rest[:end]) {
		t.publicEnd = body + end
		return Span{}, false
	}
	if !hasBody(rest[:end]) {
		return Span{}, false
	}
	end += len("-----END")
	end = extend(rest, end, end+64, isLabel)
	end = extend(rest, end, end+5, isDash)
	return Span{from, body + end, "private-key"}, true
}

// notKeys in the label say of a block that it is no key.
var (
	notKeys    = finder("notKeys")
	privateKey = finder("privateKey")
	isLabel    = setOf(letters + digits + " ")
	isDash     = setOf("-")
	isKeyByte  = setOf(letters + digits + "+/=\\")
)

// hasBody reports whether there is anything of a key, and not its first and
// last line alone.
func hasBody(body string) bool { return longest(body, isB64) >= 16 }

// abbreviatedBytes is the length under which a key that leaves something out
// ("MIIEow…XQ==") shows nothing that opens anything.
const abbreviatedBytes = 200

func isAbbreviated(body string) bool {
	return len(body) < abbreviatedBytes && (strings.Contains(body, "...") || strings.Contains(body, "…"))
}

// truncated returns how much of rest still looks like the body of a key: lines
// of base64, however quoted and indented, and the headers of old keys.
func truncated(rest string) int {
	end := 0
	for line := range strings.Lines(rest) {
		if !isKeyLine(line) {
			break
		}
		end += len(line)
	}
	return end
}

func isKeyLine(line string) bool {
	line = strings.Trim(line, " \t\r\n\"'`+,;\\#/*|>")
	for _, header := range [...]string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:"} {
		if strings.HasPrefix(line, header) {
			return true
		}
	}
	if strings.ContainsAny(line, " \t") {
		return false
	}
	return extend(line, 0, len(line), isKeyByte) == len(line) && (len(line) == 0 || len(line) >= 16 || strings.HasSuffix(line, "="))
}

// checkEncodedPEM verifies a private key in PEM that is base64 once more, on one
// line.
func checkEncodedPEM(t *text, a *anchor, from, to int) (Span, bool) {
	if t.s[from:to] != "LS0tLS1CRUdJTi" || isB64[t.at(from-1)] {
		return Span{}, false
	}
	end := extend(t.s, to, len(t.s), isB64)
	if t.at(end) == '\n' || t.at(end) == '\r' {
		end += len(strings.TrimRight(head(t.s[end:], truncated(t.s[end:min(len(t.s), end+pemBytes)])), " \t\r\n"))
	}
	begin, err := base64.RawStdEncoding.DecodeString(t.s[from : from+min(extend(t.s, from, len(t.s), isB64)-from, 64)/4*4])
	if err != nil || !strings.Contains(string(begin), "PRIVATE KEY") || end-from < 100 {
		return Span{}, false
	}
	return Span{from, extend(t.s, end, end+2, isPadding), a.kind}, true
}

// checkSealed finds no secret: it moves the end of what is public behind values
// that somebody encrypted, as sops ("ENC[…]"), jasypt, Spring's configuration
// server, Ansible and Kubernetes' SealedSecret write them.
func checkSealed(t *text, a *anchor, _, to int) (Span, bool) {
	if to <= t.publicEnd {
		return Span{}, false
	}
	end := to
	switch a.text {
	case "encrypteddata":
		end = t.sealedPairs(to)
	case "$ansible_vault;":
		end = extend(t.s, to, len(t.s), isSealed)
		end = extend(t.s, end, len(t.s), isHexLines)
	default:
		end = extend(t.s, to, len(t.s), isSealed)
	}
	t.publicEnd = max(t.publicEnd, end)
	return Span{}, false
}

// sealedPairs returns the end of the "name: Ag…" in YAML or JSON from i on: what
// kubeseal writes begins so.
func (t *text) sealedPairs(i int) int {
	for {
		name := extend(t.s, i, len(t.s), isBetween)
		value := extend(t.s, extend(t.s, name, name+nameBytes, isName), len(t.s), isBetween)
		if !strings.HasPrefix(t.s[value:], "Ag") {
			return i
		}
		i = extend(t.s, value, len(t.s), isToken)
	}
}

var (
	isSealed   = setOf(letters + digits + "+/=_-.,:;")
	isHexLines = setOf(digits + "abcdef \t\r\n")
	isBetween  = setOf(" \t\r\n\"'\\{,:")
)
