package message

import (
	"bytes"
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"
)

func TestToUTF8(t *testing.T) {
	cases := []struct{ text, label, want string }{
		{"plain", "", "plain"},
		{"gr\xfcn", "iso-8859-1", "grün"},
		{"gr\xfcn", "", "grün"},
		{"gr\xfcn", "us-ascii", "grün"},
		{"gr\xfcn", "utf-8", "grün"}, // wrong label
		{"gr\xc3\xbcn", "iso-8859-1", "grün"},
		{"gr\xc3\xbcn", "ISO-8859-15", "grün"},
		{"gr\xc3\xbcn", "Windows-1252", "grün"},
		{"gr\xc3\xbcn", "nobody-knows", "grün"},
		{"gr\xfcn", "nobody-knows", "grün"},
		{"gr\xc3\xbcn und wei\xc3", "utf-8", "grün und wei\uFFFD"}, // cut in a character
		{"5 \x80", "iso-8859-1", "5 €"},
		{"\xa4", "iso-8859-15", "€"},
		{"\xc4\xe3\xba\xc3", "gb2312", "你好"},
		{"\xc4\xe3\xba\xc3", "gb18030", "你好"},
		{"\x1b$BF|K\\\x1b(B", "iso-2022-jp", "日本"},
		{"\xf0\xd2\xc9\xd7\xc5\xd4", "koi8-r", "Привет"},
		{"\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "Привет"},
		{"h\x00i\x00", "utf-16le", "hi"},
		{"\x00h\x00i", "utf-16", "hi"},
		{"h\x00i\x00", "utf-16", "hi"},
		{"\xff\xfeh\x00i\x00", "us-ascii", "hi"},
		{"\xef\xbb\xbfhi", "iso-8859-1", "hi"},
		{"\xd8\x00", "utf-16be", "\uFFFD"},
		{"\"quoted\"", "\"utf-8\"", "\"quoted\""},
	}
	for _, c := range cases {
		if got := toUTF8(c.text, c.label); got != c.want {
			t.Errorf("%q as %q is %q, want %q", c.text, c.label, got, c.want)
		}
	}
}

func TestDecodeTransfer(t *testing.T) {
	cases := []struct{ content, encoding, want string }{
		{"SGVsbG8=", "base64", "Hello"},
		{"SGVs\r\n bG8=\r\n-- \r\n\x00*", "BASE64", "Hello"},
		{"SGVsbG8", "base64", "Hello"},
		{"SGVsbG8gQ!", "base64", "Hello "},
		{"SGVsbG8=SGVsbG8=", "base64", "HelloHello"},
		{"!!!", "base64", ""},
		{"a=3Db=\r\nc", "quoted-printable", "a=bc"},
		{"a=  \nb", "quoted-printable", "ab"},
		{"a=zz =3", "quoted-printable", "a=zz =3"},
		{"a=", "quoted-printable", "a"},
		{"a=3Db", "7bit", "a=3Db"},
		{"a=3Db", "x-nobody-knows", "a=3Db"},
		{"a=3Db", " \"Quoted-Printable\" ; x", "a=b"},
	}
	for _, c := range cases {
		if got := decodeTransfer(c.content, c.encoding); got != c.want {
			t.Errorf("%q in %s is %q, want %q", c.content, c.encoding, got, c.want)
		}
	}
}

// TestBase64Agrees: of well-formed content the decoder makes what the standard
// library does.
func TestBase64Agrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		if got := decodeBase64(base64.StdEncoding.EncodeToString(want)); !bytes.Equal(got, want) {
			t.Fatalf("%x, want %x", got, want)
		}
	})
}

func TestClean(t *testing.T) {
	cases := []struct{ text, want string }{
		{"a\r\nb\rc\n\td", "a\nb\nc\n\td"},
		{"a\x00b\x1b[31mc\x7f\u0085d", "ab[31mc\nd"},
		{"z\u200be\u200dr\ufeffo\u00ad", "zero"},
		{"\u202eleft\u2066right\u2069", "leftright"},
		{"a\u00a0b\u3000c\u2009d", "a b c d"},
		{"a\u2028b", "a\nb"},
		{"\xff", "\uFFFD"},
		{"❤\ufe0f", "❤"},
		{"tag\U000e0041", "tag"},
	}
	for _, c := range cases {
		if got := clean(c.text); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}
