package account

import (
	"encoding/base64"
	"strings"
	"unicode"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxWords bounds what is repeated of a server's own words.
const maxWords = 200

// words makes a server's words fit for a message: one line, of bounded length,
// printable.
func words(text string) string {
	text = strings.ToValidUTF8(text, "�")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxWords {
		return text
	}
	return subconscious.Head(text, maxWords) + "…"
}

// minHidden is the length below which a password is not looked for in a server's
// words: blanking each "a" hides nothing and spoils the message.
const minHidden = 3

// hidden are what must not be seen of a sign-in, wherever a server repeats it.
type hidden []string

// add hides a secret, plain and in base64 at each alignment.
func (h *hidden) add(secret string) {
	if len(secret) < minHidden {
		return
	}
	*h = append(*h, secret)
	for shift := range 3 {
		if len(secret) < 8 {
			break
		}
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), secret...))
		from, to := (shift*8+5)/6, len(text)
		if (shift+len(secret))%3 != 0 {
			to-- // its last character depends on what follows
		}
		*h = append(*h, text[from:to])
	}
}

// clean takes the secrets out of text.
func (h hidden) clean(text string) string {
	for _, secret := range h {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}
