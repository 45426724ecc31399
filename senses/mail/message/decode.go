package message

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/emersion/go-message/charset"
	"golang.org/x/text/encoding/charmap"
)

// decodeTransfer undoes a Content-Transfer-Encoding. It never returns more bytes
// than it was given. An unknown encoding leaves the content as it is.
func decodeTransfer(content, encoding string) string {
	encoding, _, _ = strings.Cut(encoding, ";")
	switch strings.ToLower(strings.Trim(encoding, " \t\"'")) {
	case "base64":
		return string(decodeBase64(content))
	case "quoted-printable":
		return unquotePrintable(content)
	}
	return content
}

// unquotePrintable decodes quoted-printable and leaves what is none as it is.
func unquotePrintable(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, rest, _ := strings.Cut(text, "=")
		out.WriteString(before)
		b, err := hex.DecodeString(rest[:min(2, len(rest))])
		switch skip := softBreak(rest); {
		case rest == "":
			return out.String()
		case err == nil && len(b) == 1:
			out.Write(b)
			text = rest[2:]
		case skip > 0:
			text = rest[skip:]
		default:
			out.WriteByte('=')
			text = rest
		}
	}
}

// softBreak returns the length of the line end at the beginning of s, with the
// spaces that a server may have put before it; 0 where there is none.
func softBreak(s string) int {
	const mostSpaces = 100
	for i := 0; i < len(s) && i < mostSpaces; i++ {
		switch s[i] {
		case ' ', '\t', '\r':
		case '\n':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// toUTF8 decodes text of a charset. The label is not believed blindly: what says
// that it is Latin, ASCII or nothing at all and is valid UTF-8 beyond ASCII is
// UTF-8, and of what a label cannot decode, or nobody knows the label of, UTF-8 is
// tried, and then Windows-1252, which reads anything.
func toUTF8(text, label string) string {
	label = strings.ToLower(strings.Trim(label, " \t\"'"))
	if decoded, ok := byMark(text, label); ok {
		return decoded
	}
	if singleByte(label) && utf8.ValidString(text) {
		return text
	}
	switch label {
	case "utf-8", "utf8", "unicode-1-1-utf-8", "us-ascii", "ascii", "", "iso-8859-1", "latin1", "unknown-8bit", "default_charset", "x-unknown":
		// ISO-8859-1 is Windows-1252 in practice: the range where they differ holds
		// control characters that nobody writes.
		if (label == "utf-8" || label == "utf8") && mostlyUTF8(text) {
			return strings.ToValidUTF8(text, "\uFFFD")
		}
		return windows(text)
	}
	r, err := charset.Reader(label, strings.NewReader(text))
	if err != nil {
		return lastResort(text)
	}
	// No charset makes more than 4 bytes of one.
	decoded, err := io.ReadAll(io.LimitReader(r, int64(4*len(text)+4)))
	if err != nil {
		return lastResort(text)
	}
	if bad := bytes.Count(decoded, []byte("\uFFFD")); bad > 2 && bad > len(text)/200 && utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(string(decoded), "\uFFFD")
}

func lastResort(text string) string {
	if utf8.ValidString(text) || mostlyUTF8(text) {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return windows(text)
}

// byMark decodes by the byte order mark, or by zero bytes where they show UTF-16.
func byMark(text, label string) (string, bool) {
	switch {
	case strings.HasPrefix(text, "\xEF\xBB\xBF"):
		return strings.ToValidUTF8(text[3:], "\uFFFD"), true
	case strings.HasPrefix(text, "\xFF\xFE"):
		return utf16String(text[2:], binary.LittleEndian), true
	case strings.HasPrefix(text, "\xFE\xFF"):
		return utf16String(text[2:], binary.BigEndian), true
	}
	switch label {
	case "utf-16le", "utf16le":
		return utf16String(text, binary.LittleEndian), true
	case "utf-16be", "utf16be":
		return utf16String(text, binary.BigEndian), true
	case "utf-16", "utf16", "unicode":
		// Without a mark it is big-endian by RFC 2781; most that leave the mark
		// away are not.
		if len(text) > 1 && text[0] != 0 && text[1] == 0 {
			return utf16String(text, binary.LittleEndian), true
		}
		return utf16String(text, binary.BigEndian), true
	}
	return "", false
}

func utf16String(text string, order binary.ByteOrder) string {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16([]byte{text[2*i], text[2*i+1]})
	}
	return string(utf16.Decode(units))
}

// singleByte tells of which labels valid UTF-8 is a likelier reading.
func singleByte(label string) bool {
	switch label {
	case "", "us-ascii", "ascii", "utf-8", "utf8", "latin1", "unknown-8bit", "default_charset", "x-unknown", "ansi_x3.4-1968":
		return true
	}
	return strings.HasPrefix(label, "iso-8859-") || strings.HasPrefix(label, "windows-125") || strings.HasPrefix(label, "cp125")
}

// mostlyUTF8 tells whether text is UTF-8 with few faults, as where it was cut in
// the middle of a character.
func mostlyUTF8(text string) bool {
	good, bad := 0, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		i += size
	}
	return bad == 0 || good > 0 && bad <= 1+good/10
}

func windows(text string) string {
	decoded, _ := charmap.Windows1252.NewDecoder().String(text) // which reads anything
	return decoded
}
