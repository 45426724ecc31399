package message

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
)

func mustParse(t testing.TB, raw string) Message {
	t.Helper()
	m, err := Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNoMessage(t *testing.T) {
	for _, raw := range []string{"", "\r\n", "\n\n\n", "hello", "hello\n\nworld", "\r\nFrom: a@example.org\r\n", "From nobody\n\nx", "\x00\x01", ": x\n\n"} {
		if _, err := Parse([]byte(raw)); !errors.Is(err, ErrNoMessage) {
			t.Errorf("%q: %v, want ErrNoMessage", raw, err)
		}
	}
}

// TestCutAnywhere: a message that ends anywhere behind its first field is read as
// far as it goes.
func TestCutAnywhere(t *testing.T) {
	whole := mailOf("multipart/mixed; boundary=b", "--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"+
		"Gr=C3=BC=C3=9Fe\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+SGVsbG8gPGI+QWxleDwvYj48L3A+\r\n--b--\r\n")
	for n := len("From: M"); n < len(whole); n++ {
		m := mustParse(t, whole[:n])
		check(t, m)
		if n > strings.Index(whole, "\r\nTo:") && m.From.Addr != "mallory@example.org" {
			t.Errorf("cut at %d: from %q", n, m.From)
		}
	}
	if got := mustParse(t, whole).Text; got != "Grüße\n\nHello Alex" {
		t.Errorf("the whole text is %q", got)
	}
}

func TestDecodeWords(t *testing.T) {
	cases := []struct{ value, want string }{
		{"plain", "plain"},
		{"=?utf-8?q?caf=C3=A9?=", "café"},
		{"=?UTF-8?B?Y2Fmw6k=?=", "café"},
		{"=?utf-8?q?caf=C3?= =?utf-8?q?=A9?=", "café"},
		{"=?utf-8?b?Y2Fmww==?=\t=?utf-8?b?qQ==?=", "café"},
		{"=?iso-8859-1?q?caf=E9?= and =?windows-1252?q?=80?=", "café and €"},
		{"=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"},
		{"=?gb18030?b?xOO6ww==?=", "你好"},
		{"=?koi8-r?b?8NLJ18XU?=", "Привет"},
		{"=?utf-16?b?/v8AaABp?=", "hi"},
		{"=?nobody-knows?q?caf=C3=A9?=", "café"},
		{"=?iso-8859-1?q?caf=C3=A9?=", "café"}, // wrong label
		{"=?utf-8*de?q?gr=C3=BCn?=", "grün"},
		{"=?utf-8?q?broken", "broken"},
		{"=?utf-8?q?broken in the middle", "=?utf-8?q?broken in the middle"},
		{"=?utf-8?x?abc?=", "=?utf-8?x?abc?="},
		{"=?utf-8?q?a?=b=?utf-8?q?c?=", "abc"},
		{"=?=?=?", "=?=?=?"},
		{"caf\xe9", "café"},
		{"caf\xc3\xa9", "café"},
	}
	for _, c := range cases {
		if got := line(decodeWords(c.value), maxSubject); got != c.want {
			t.Errorf("%q is read as %q, want %q", c.value, got, c.want)
		}
	}
}

// addressCases are fields of addresses, as the standard has them and as they are met.
var addressCases = []struct {
	value string
	want  []Address
}{
	{"jana@Example.ORG", []Address{{"", "jana@example.org"}}},
	{"Jana <jana@example.org>, alex@example.com (Alex)", []Address{{"Jana", "jana@example.org"}, {"Alex", "alex@example.com"}}},
	{`"Beispiel, Jana" <jana@example.org>`, []Address{{"Beispiel, Jana", "jana@example.org"}}},
	{`"Bob \"B\"" <bob@example.net>`, []Address{{`Bob "B"`, "bob@example.net"}}},
	{`"'Bob'" <bob@example.net>`, []Address{{"Bob", "bob@example.net"}}},
	{`"=?utf-8?q?J=C3=B6rg?=" <j@example.org>`, []Address{{"Jörg", "j@example.org"}}},
	{"(a comment) carol@example.net", []Address{{"a comment", "carol@example.net"}}},
	{"friends: a@example.org, b@example.org;, c@example.org", []Address{{"", "a@example.org"}, {"", "b@example.org"}, {"", "c@example.org"}}},
	{"undisclosed-recipients:;", nil},
	{"Jana <>", nil},
	{"Jana", nil},
	{"<jana@example.org", []Address{{"", "jana@example.org"}}},
	{`"unclosed, jana@example.org`, []Address{{"", "jana@example.org"}}},
	{"(unclosed, jana@example.org", []Address{{"", "jana@example.org"}}},
	{"a b@example.org", nil},
	{"j\u202eana@example.org", nil},
	{"support@bank.example <mallory@example.net>", []Address{{"support@bank.example", "mallory@example.net"}}},
	{strings.Repeat("x", 400) + "@example.org", nil},
	// Comments.
	{`sam (Sam \(the\) Mason) <sam@example.com>`, []Address{{"sam", "sam@example.com"}}},
	{`sam@example.com (Sam \(the\) Mason)`, []Address{{"Sam (the) Mason", "sam@example.com"}}},
	{"sam@example.com (Sam (the) Mason), b@example.net (B (b, b))", []Address{{"Sam (the) Mason", "sam@example.com"}, {"B (b, b)", "b@example.net"}}},
	{"(x) sam(y)@(z)example.com (Sam)", []Address{{"Sam", "sam@example.com"}}},
	{"Sam <sam(at home)@example.com> (<mallory@example.net>)", []Address{{"Sam", "sam@example.com"}}},
	{"sam@example.com (was <old@example.net>)", []Address{{"was <old@example.net>", "sam@example.com"}}},
	{"(Sam) <sam@example.com>", []Address{{"Sam", "sam@example.com"}}},
	{`"Sam (the) Mason" <sam@example.com>`, []Address{{"Sam (the) Mason", "sam@example.com"}}},
	{"=?utf-8?q?Sam_(the)_M=C3=A4son?= <sam@example.com>", []Address{{"Sam (the) Mäson", "sam@example.com"}}},
	{"sam@example.com (=?utf-8?q?M=C3=A4son?=)", []Address{{"Mäson", "sam@example.com"}}},
	{"Sam (Sales <sam@example.com>", []Address{{"Sam (Sales", "sam@example.com"}}},
	// Names without their quotes.
	{"Mason, Sam <sam@example.com>", []Address{{"Mason, Sam", "sam@example.com"}}},
	{"Mason, Sam, Jr. <sam@example.com>, Doe, Jane (x, y) <jane@example.com>, b@example.net", []Address{{"Mason, Sam, Jr.", "sam@example.com"}, {"Doe, Jane", "jane@example.com"}, {"", "b@example.net"}}},
	{"Dr. Sam Mason <sam@example.com>", []Address{{"Dr. Sam Mason", "sam@example.com"}}},
	{"Sam [Mason] <sam@example.com>", []Address{{"Sam [Mason]", "sam@example.com"}}},
	{"Mason, sam@example.com", []Address{{"", "sam@example.com"}}},
	{"Jana <>, alex@example.com", []Address{{"", "alex@example.com"}}},
	{", , sam@example.com,", []Address{{"", "sam@example.com"}}},
	{strings.Repeat("(", 8000) + "sam@example.com", nil},
}

func TestAddresses(t *testing.T) {
	for _, c := range addressCases {
		var notes cuts
		if got := addresses([]string{c.value}, &notes); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is read as %q, want %q", c.value, got, c.want)
		}
	}
}

func TestIdentity(t *testing.T) {
	cases := []struct{ value, want string }{
		{"<A.b@Example.ORG>", "A.b@example.org"},
		{"  <a@b@C>  ", "a@b@c"},
		{"a@B", "a@b"},
		{"<no-domain>", "no-domain"},
		{"comment <a@b> comment", "a@b"},
		{"<a b@c>", ""},
		{"<a\x00@c>", ""},
		{"<a\u00e4@c>", ""},
		{"<>", ""},
		{"", ""},
		{"<a@b#promise>", ""},
		{"<no-domain#awaiting>", ""},
		{"<a#b@c>", "a#b@c"},
		{"<ghp_16C7e42F292c6912E7710c838347Ae178B4a@Example.org>", hashed("ghp_16C7e42F292c6912E7710c838347Ae178B4a@example.org")},
		{"<" + strings.Repeat("x", 500) + "@example.org>", ""},
	}
	for _, c := range cases {
		if got := identity(c.value); got != c.want {
			t.Errorf("%q is %q, want %q", c.value, got, c.want)
		}
	}
}

// TestMadeIdentity: the same message has the same identity in two folders, and
// another one has another.
func TestMadeIdentity(t *testing.T) {
	base := "Received: from a by b; Sat, 21 Nov 2026 09:00:00 +0100\r\nFrom: jana@example.org\r\nDate: Sat, 21 Nov 2026 09:00:00 +0100\r\nSubject: x\r\n"
	first := mustParse(t, base+"X-Folder: a\r\n\r\nbody")
	for name, raw := range map[string]string{
		"another folder":     "X-Folder: b\r\n" + base + "\r\nbody",
		"header alone":       base,
		"unusable":           base + "Message-ID: <\x01 >\r\n\r\nbody",
		"folded differently": strings.Replace(base, "by b;", "by\r\n\tb;", 1) + "\r\n",
	} {
		if m := mustParse(t, raw); !m.Made || m.ID != first.ID {
			t.Errorf("%s: %q, want %q", name, m.ID, first.ID)
		}
	}
	for i := range 100 {
		if m := mustParse(t, base+"To: "+strconv.Itoa(i)+"@example.org\r\n\r\n"); redact.Text(m.ID) != m.ID {
			t.Errorf("it looks like a secret: %s", m.ID)
		}
	}
	for name, raw := range map[string]string{
		"another subject": strings.Replace(base, "x", "y", 1),
		"another way":     strings.Replace(base, "from a", "from c", 1),
	} {
		if m := mustParse(t, raw); !m.Made || m.ID == first.ID {
			t.Errorf("%s: the same identity", name)
		}
	}
}

func TestReferences(t *testing.T) {
	var many strings.Builder
	for i := range 100 {
		many.WriteString("<" + strconv.Itoa(i) + "@example.org>\r\n ")
	}
	m := mustParse(t, "From: jana@example.org\r\nReferences: "+many.String()+"\r\nIn-Reply-To: Your message of \"Sat\" <99@example.org>\r\n\r\n")
	if len(m.References) != maxThread || m.References[0] != "0@example.org" || m.References[1] != "69@example.org" || m.References[maxThread-1] != "99@example.org" {
		t.Errorf("references %q", m.References)
	}
	if !reflect.DeepEqual(m.InReplyTo, []string{"99@example.org"}) {
		t.Errorf("in reply to %q", m.InReplyTo)
	}
	if got := identities([]string{"a@b c@d junk"}); !reflect.DeepEqual(got, []string{"a@b", "c@d"}) {
		t.Errorf("without brackets: %q", got)
	}
}

func TestReadDate(t *testing.T) {
	want := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for _, value := range []string{"Sat, 21 Nov 2026 09:00:00 +0100", "21 Nov 2026 08:00:00 GMT", "Sat, 21 Nov 2026 09:00:00 +0100 (CET)", "Sat,  21 Nov 2026\t09:00:00 +0100",
		"Sat, 21 Nov 2026 09:00:00 +0100 (CET (winter))", "Sat (a \\) day), 21 Nov (the 11th) 2026 09:00:00 +0100 (" + strings.Repeat("(x)", 60) + ")", "(x) 21 Nov 26 08:00:00 +0000", "21 Nov 2026 08:00:00 GMT (",
		"Sat, 21 Nov 26 08:00:00 +0000", "Sat Nov 21 08:00:00 2026", "2026-11-21 08:00:00", "2026-11-21T09:00:00+01:00"} {
		if got := readDate(value); !got.Equal(want) {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	for _, value := range []string{"", "yesterday", "Sat, 41 Nov 2026 09:00:00 +0100", "1 Jan 0001 00:00:00 +0000", "1 Jan 9999 00:00:00 +0000", strings.Repeat("x", 10_000)} {
		if got := readDate(value); !got.IsZero() {
			t.Errorf("%.20q is %s, want none", value, got)
		}
	}
}

func TestHeaderBounds(t *testing.T) {
	cases := []struct{ name, raw, cut string }{
		{"a long value", "Subject: " + strings.Repeat("x", 10_000) + "\n\nbody", "header values beyond their first 8 KiB"},
		{"a folded value", "Subject: x" + strings.Repeat("\n y", 10_000) + "\n\nbody", "header values beyond their first 8 KiB"},
		{"many fields", "From: a@example.org\n" + strings.Repeat("x: y\n", 2000) + "\nbody", "the header beyond its first 1,000 fields"},
		{"a long header", "From: a@example.org\n" + strings.Repeat("x: "+strings.Repeat("y", 1000)+"\n", 100) + "\nbody", "the header beyond its first 64 KiB"},
		{"many recipients", "To: " + strings.Repeat("a@example.org,", 100) + "\n\nbody", "addresses beyond the first 64 of a field"},
		{"many files", mailOf("multipart/mixed; boundary=b", strings.Repeat("--b\nContent-Disposition: attachment\n\nx\n", 30)+"--b\n\nbody\n--b--"), "names of attachments beyond the first 20"},
		{"many parts", mailOf("multipart/mixed; boundary=b", "--b\n\nbody\n"+strings.Repeat("--b\n\n", 200)+"--b--"), "parts beyond the first 100"},
		{"a long message", mailOf("text/plain", "body\n>"+strings.Repeat("x", maxMessage)), "the message beyond its first 256 KiB; the text beyond its first 64 KiB"},
		{"nested parts", nested(60, "multipart/mixed") + "\nbody", "what follows a part without an end; parts nested more than 50 deep"},
	}
	for _, c := range cases {
		m := mustParse(t, c.raw)
		check(t, m)
		if got := strings.Join(m.Cut, "; "); got != c.cut {
			t.Errorf("%s: cut %q, want %q", c.name, got, c.cut)
		}
		if c.name != "nested parts" && !strings.HasPrefix(m.Text, "body") {
			t.Errorf("%s: the text is %.40q", c.name, m.Text)
		}
	}
}

func TestLineEnds(t *testing.T) {
	for name, end := range map[string]string{"CRLF": "\r\n", "LF": "\n", "CR": "\r"} {
		m := mustParse(t, strings.ReplaceAll("From: jana@example.org\nSubject: a\n b\n\none\ntwo\n", "\n", end))
		if m.Subject != "a b" || m.Text != "one\ntwo" {
			t.Errorf("%s: subject %q, text %q", name, m.Subject, m.Text)
		}
	}
	m := mustParse(t, "From: jana@example.org\nSubject: a\rBcc: b\x00c\n\none\rtwo")
	if m.Subject != "a Bcc: bc" || m.Text != "one\ntwo" {
		t.Errorf("bare CRs: subject %q, text %q", m.Subject, m.Text)
	}
}
