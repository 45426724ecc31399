package redacttest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/unicode"
)

// lineBytes is the least length of a line of a secret that is looked for by
// itself.
const lineBytes = 16

// form is one way in which a secret may stand in data.
type form struct {
	name  string
	bytes []byte
}

// Leaks returns, for each secret and form in which data holds it, what was found
// and where: plain, in base64 (both alphabets, at any alignment), in hexadecimal,
// URL-encoded, escaped for JSON, in UTF-16. Of secrets with several lines, each
// long line counts. It never returns the secret itself.
func Leaks(data []byte, secrets []Secret) []string {
	var found []string
	for _, secret := range secrets {
		for _, part := range parts(secret.Value) {
			for _, f := range forms(part) {
				if at := bytes.Index(data, f.bytes); at >= 0 {
					found = append(found, fmt.Sprintf("%s, %s, at byte %d", secret.Kind, f.name, at))
				}
			}
		}
	}
	return found
}

// parts are a value, or its long lines.
func parts(value string) []string {
	if !strings.Contains(value, "\n") {
		return []string{value}
	}
	var long []string
	for line := range strings.SplitSeq(value, "\n") {
		if len(line) >= lineBytes {
			long = append(long, line)
		}
	}
	return long
}

// forms are all distinct forms of a value.
func forms(value string) []form {
	all := []form{{"plain", []byte(value)}}
	add := func(name string, data []byte) {
		for _, have := range all {
			if bytes.Equal(have.bytes, data) {
				return
			}
		}
		all = append(all, form{name, data})
	}
	for _, escaped := range jsonForms(value) {
		add("escaped for JSON", []byte(escaped))
	}
	query, path := url.QueryEscape(value), url.PathEscape(value)
	for _, escaped := range []string{query, path, lowerEscapes(query), lowerEscapes(path), everyEscape(value)} {
		add("URL-encoded", []byte(escaped))
	}
	for skip := range 3 {
		add("base64", aligned(base64.StdEncoding, value, skip))
		add("base64 for URLs", aligned(base64.URLEncoding, value, skip))
	}
	add("hexadecimal", []byte(hex.EncodeToString([]byte(value))))
	add("hexadecimal", []byte(strings.ToUpper(hex.EncodeToString([]byte(value)))))
	for name, order := range map[string]unicode.Endianness{"UTF-16, little-endian": unicode.LittleEndian, "UTF-16, big-endian": unicode.BigEndian} {
		if units, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().String(value); err == nil {
			add(name, []byte(units))
		}
	}
	return all
}

// jsonForms are a value as it stands between quotes in JSON, once and twice
// escaped, with and without what web pages need.
func jsonForms(value string) []string {
	var all []string
	for _, forWeb := range []bool{true, false} {
		once := inJSON(value, forWeb)
		all = append(all, once, inJSON(once, forWeb), strings.ReplaceAll(once, "/", `\/`))
	}
	return append(all, asciiOnly(value))
}

func inJSON(value string, forWeb bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(forWeb)
	if err := encoder.Encode(value); err != nil {
		return value // a string always encodes
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// asciiOnly escapes what is beyond ASCII, as many encoders do.
func asciiOnly(value string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(inJSON(value, false))) {
		if unit < 0x80 {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

var anyEscape, anyByte = regexp.MustCompile("%.."), regexp.MustCompile("..")

// lowerEscapes writes %2F as %2f.
func lowerEscapes(escaped string) string {
	return anyEscape.ReplaceAllStringFunc(escaped, strings.ToLower)
}

// everyEscape escapes every byte.
func everyEscape(value string) string {
	return anyByte.ReplaceAllString(fmt.Sprintf("%X", value), "%$0")
}

// aligned is what is sure to stand in base64 of data in which value comes after
// a multiple of three bytes and skip more: the characters that are made of its
// bits alone.
func aligned(encoding *base64.Encoding, value string, skip int) []byte {
	encoded := encoding.EncodeToString(append(make([]byte, skip), value...))
	first := (skip*8 + 5) / 6
	return []byte(encoded[first : (skip+len(value))*8/6])
}
