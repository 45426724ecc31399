package redact

import "strings"

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
