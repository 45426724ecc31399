package account

import (
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Names of folders come in modified UTF-7 (RFC 3501, 5.1.3). At one that does not
// the library ends the connection, and with it what all others hold. It is shown
// names in which there is nothing to decode, and they are decoded here.

// masked stands for each byte of a name that the library could stumble over.
const masked = '`'

// mask masks what is part of an answer to LIST, in place.
func (l *lexer) mask(data []byte) {
	if l.at < inFields || string(l.word) != "LIST" {
		return
	}
	for i, b := range data {
		if b == '&' || b >= 0x7f || b < ' ' && b != '\r' && b != '\n' {
			data[i] = masked
		}
	}
}

var (
	shifted = regexp.MustCompile("`[A-Za-z0-9+,]*-")
	utf7    = base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,").WithPadding(base64.NoPadding)
)

// folderName decodes a name that was masked. One that cannot be decoded is not ok,
// and as it came.
func folderName(name string) (decoded string, ok bool) {
	ok = true
	decoded = shifted.ReplaceAllStringFunc(name, func(s string) string {
		if len(s) == 2 {
			return "&"
		}
		b, err := utf7.DecodeString(s[1 : len(s)-1])
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(b[2*i:])
		}
		text := string(utf16.Decode(units))
		ok = ok && err == nil && len(b)%2 == 0 && !strings.ContainsRune(text, utf8.RuneError)
		return text
	})
	if !ok || strings.ContainsRune(decoded, masked) {
		return strings.ReplaceAll(name, string(masked), "&"), false
	}
	return decoded, true
}
