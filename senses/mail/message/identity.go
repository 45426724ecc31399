package message

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/subconsciousd/subconsciousd/redact"
)

// identity returns the identity that a Message-ID is, "" where it cannot be one:
// empty, too long, or with characters that do not belong there. A "#" behind the
// last "@" is refused too, for that is how the sense names what it derives. One
// that looks like a secret goes by its hash: it is stored and shown, and the same
// everywhere.
func identity(value string) string {
	value = strings.TrimSpace(value)
	if start := strings.LastIndexByte(value, '<'); start >= 0 {
		value = value[start+1:]
		value, _, _ = strings.Cut(value, ">")
		value = strings.TrimSpace(value)
	}
	if value == "" || len(value) > maxIdentity {
		return ""
	}
	for i := 0; i < len(value); i++ {
		if c := value[i]; c <= ' ' || c > '~' || c == '<' || c == '>' {
			return ""
		}
	}
	at := strings.LastIndexByte(value, '@')
	if strings.Contains(value[at+1:], "#") {
		return ""
	}
	if at >= 0 {
		value = value[:at] + strings.ToLower(value[at:])
	}
	if redact.Text(value) != value {
		return hashed(value)
	}
	return strings.Clone(value) // keeps nothing of the message
}

// hashed is a name that says nothing, and looks like no secret.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:20])
}

// madeIdentity names a message without a usable Message-ID by what is the same
// wherever it lies.
func madeIdentity(h header) string {
	var whole strings.Builder
	for _, name := range []string{"from", "date", "subject", "to", "received"} {
		for _, value := range h.all(name) {
			whole.WriteString(name + ":" + strings.Join(strings.Fields(value), " ") + "\n")
		}
	}
	return hashed(whole.String())
}

// identities reads the identities of a References or In-Reply-To field, each
// once. Of more than maxThread the first stays, which names the thread, and the
// last ones.
func identities(values []string) []string {
	var found []string
	seen := map[string]bool{}
	add := func(word string) {
		if id := identity(word); id != "" && !seen[id] {
			seen[id] = true
			found = append(found, id)
		}
	}
	for _, value := range values {
		if !strings.Contains(value, "<") {
			// Some writers leave the brackets away.
			for _, word := range strings.Fields(value) {
				if strings.Contains(word, "@") {
					add(strings.Trim(word, ",;"))
				}
			}
			continue
		}
		for closed := true; closed; {
			var id string
			_, value, _ = strings.Cut(value, "<")
			if id, value, closed = strings.Cut(value, ">"); closed {
				add(id)
			}
		}
	}
	if len(found) > maxThread {
		found = append(found[:1], found[len(found)-maxThread+1:]...)
	}
	return found
}
