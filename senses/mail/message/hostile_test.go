package message

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// mailOf is a message of a kind.
func mailOf(kind, body string) string {
	return "From: Mallory <mallory@example.org>\r\nTo: jana@example.com\r\nSubject: Hello\r\nMessage-ID: <1@example.org>\r\n" +
		"Date: Sat, 21 Nov 2026 09:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: " + kind + "\r\n\r\n" + body
}

func htmlMail(body string) string { return mailOf("text/html; charset=utf-8", body) }

// fill repeats s until it fills a message.
func fill(s string) string { return strings.Repeat(s, maxMessage/len(s)) }

// nested makes a message of parts within parts.
func nested(levels int, kind string) string {
	var b strings.Builder
	b.WriteString("From: mallory@example.org\r\n")
	for i := range levels {
		fmt.Fprintf(&b, "Content-Type: %s; boundary=%d\r\n\r\n--%d\r\n", kind, i, i)
	}
	b.WriteString("\r\ndeep\r\n")
	return b.String()
}

// hostile makes messages that are meant to cost much. They are longer than what
// is read of one, so that the bound is met too.
func hostile() map[string]func() string {
	zip := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return map[string]func() string{
		"10,000 nested parts":        func() string { return nested(10_000, "multipart/mixed") },
		"10,000 nested alternatives": func() string { return nested(10_000, "multipart/alternative") },
		"one boundary on all levels": func() string { return strings.ReplaceAll(nested(4000, "multipart/mixed"), "boundary=1", "boundary=0") },
		"5,000 messages in messages": func() string { return fill("From: m@example.org\r\nContent-Type: message/rfc822\r\n\r\n") },
		"messages in base64":         func() string { return encodedMessages(12) },
		"50,000 empty parts":         func() string { return mailOf("multipart/mixed; boundary=x", strings.Repeat("--x\r\n", 50_000)) },
		"100 parts of HTML":          func() string { return manyParts("<b>", 100) },
		"almost boundaries":          func() string { return mailOf("multipart/mixed; boundary=x", fill("\n--xx")) },
		"a boundary of dashes":       func() string { return mailOf("multipart/mixed; boundary=-", fill("-")) },
		"a boundary in one line":     func() string { return mailOf("multipart/mixed; boundary=x", fill("--x")) },
		"no boundary":                func() string { return mailOf("multipart/mixed", fill("--x\r\nContent-\r\n")) },
		"a header line of 200 KB":    func() string { return "From: m@example.org\r\nX: " + strings.Repeat("x", 200_000) },
		"a folded line of 200 KB":    func() string { return "From: m@example.org\r\nSubject: x" + fill("\r\n ") },
		"100,000 fields":             func() string { return fill("a:\n") },
		"fields without colons":      func() string { return "From: m@example.org\r\n" + fill("a\n") + "\nTo: x" },
		"encoded words without end":  func() string { return "Subject: " + fill("=?utf-8?q?") },
		"encoded words":              func() string { return "Subject: " + fill("=?utf-8?q?a?= =?iso-2022-jp?b?GyRC?= ") },
		"charsets":                   func() string { return fill("To: =?gb18030?q?=81?= =?big5?q?=81?= <a@example.org>\r\n") },
		"brackets in addresses":      func() string { return fill("To: " + strings.Repeat("(", 8000) + "\r\n") },
		"quotes in addresses":        func() string { return fill("Cc: " + strings.Repeat("\\\"(<", 2000) + "\r\n") },
		"many addresses":             func() string { return fill("To: " + strings.Repeat("a@b.example,", 600) + "\r\n") },
		"commas":                     func() string { return fill("To: " + strings.Repeat(",", 8000) + "\r\n") },
		"references":                 func() string { return fill("References: " + strings.Repeat("<a@b>", 1600) + "\r\n") },
		"parameters": func() string {
			return mailOf("multipart/mixed"+strings.Repeat(";a=b", 2000)+strings.Repeat(";b*0*=utf-8''%41", 300), fill("x"))
		},
		"an endless line":              func() string { return mailOf("text/plain", fill("x")) },
		"empty lines":                  func() string { return mailOf("text/plain", fill("\n")) },
		"quotation marks":              func() string { return mailOf("text/plain", fill("> \n")) },
		"nested quotation marks":       func() string { return mailOf("text/plain; format=flowed", fill(">")) },
		"flowed lines":                 func() string { return mailOf("text/plain; format=flowed", fill("> \n>> \n")) },
		"attributions":                 func() string { return mailOf("text/plain", fill("On 1 <a@\n")) },
		"header blocks":                func() string { return mailOf("text/plain", fill("From: a\nx\n")) },
		"rules":                        func() string { return mailOf("text/plain", fill("----------\n")) },
		"words of small print":         func() string { return mailOf("text/plain", fill("unsubscribe confidential http://\n\n")) },
		"one paragraph of small print": func() string { return mailOf("text/plain", fill("unsubscribe confidential http://\n")) },
		"long words of small print":    func() string { return mailOf("text/plain", fill("a\n"+strings.Repeat("x", 240)+"\n\n")) },
		"long introductions":           func() string { return mailOf("text/plain", fill("On 1 "+strings.Repeat("x", 290)+"\n")) },
		"names and warnings":           func() string { return mailOf("text/plain", fill("[a]\nexternal email: this\n\n")) },
		"signatures":                   func() string { return mailOf("text/plain", fill("-- \n")) },
		"control characters":           func() string { return mailOf("text/plain", fill("\x00\x01\x7f")) },
		"characters without width":     func() string { return mailOf("text/plain; charset=utf-8", fill("\u200b\u202e")) },
		"invalid UTF-8":                func() string { return mailOf("text/plain; charset=utf-8", fill("\xff")) },
		"Latin as wide as it gets":     func() string { return mailOf("text/plain; charset=windows-1252", fill("\x80")) },
		"UTF-16":                       func() string { return mailOf("text/plain; charset=utf-16", fill("\xd8")) },
		"ISO-2022 escapes":             func() string { return mailOf("text/plain; charset=iso-2022-jp", fill("\x1b$B\x1b(B")) },
		"GB18030":                      func() string { return mailOf("text/plain; charset=gb18030", fill("\x81\x30\x81\x30")) },
		"unknown charset":              func() string { return mailOf("text/plain; charset="+strings.Repeat("x", 5000), fill("\xe4")) },
		"base64 with junk":             func() string { return mailOf("text/plain\r\nContent-Transfer-Encoding: base64", fill("QQ=!\n ")) },
		"quoted-printable without end": func() string { return mailOf("text/plain\r\nContent-Transfer-Encoding: quoted-printable", fill("= ")) },
		"a calendar of one line":       func() string { return mailOf("text/calendar", "BEGIN:VEVENT\nX:"+fill("\n x")) },
		"PGP marks": func() string {
			return mailOf("text/plain", fill("-----BEGIN PGP SIGNED MESSAGE-----\n")+"-----BEGIN PGP SIGNATURE-----")
		},
		"100,000 nested tags":  func() string { return htmlMail(fill("<b>")) },
		"nested blocks":        func() string { return htmlMail(fill("<div>a")) },
		"nested tables":        func() string { return htmlMail(fill("<table><tr><td>")) },
		"nested cells":         func() string { return htmlMail(strings.Repeat("<i>", 390) + fill("<td>a</td>")) },
		"end tags":             func() string { return htmlMail(strings.Repeat("<i>", 390) + fill("</b>")) },
		"paragraphs in deep":   func() string { return htmlMail(strings.Repeat("<i>", 390) + fill("<p>a")) },
		"formatting":           func() string { return htmlMail(fill("<a><b><p>x</a>")) },
		"quotations":           func() string { return htmlMail(fill("<blockquote>a")) },
		"lists":                func() string { return htmlMail(fill("<ol><li>a")) },
		"attributes of 200 KB": func() string { return htmlMail("<p style=\"" + fill("color:red;")) },
		"many attributes":      func() string { return htmlMail("<p" + fill(" a=b") + ">") },
		"the same attribute":   func() string { return htmlMail(fill("<p" + strings.Repeat(" style=color:red;", 60) + ">")) },
		"styles": func() string {
			return htmlMail(fill("<p style='display:block;color:#fff;background:url(x) #000;font:12px x'>a"))
		},
		"entities":       func() string { return htmlMail(fill("&CounterClockwiseContourIntegral")) },
		"ampersands":     func() string { return htmlMail(fill("&#")) },
		"rules of style": func() string { return htmlMail("<style>" + fill(".a{display:none}")) },
		"many classes": func() string {
			return htmlMail("<style>" + classes(6000) + "</style>" + fill("<p class='c1 c2 c3 c4 c5 c6 c7 c8 c9'>a"))
		},
		"braces":               func() string { return htmlMail("<style>" + fill("{") + "</style>") },
		"comments in style":    func() string { return htmlMail("<style>" + fill("/*") + "</style>") },
		"selectors":            func() string { return htmlMail("<style>" + fill("a,") + "{display:none}</style>") },
		"style sheets":         func() string { return htmlMail(fill("<style>a{}</style>")) },
		"comments":             func() string { return htmlMail(fill("<!--a-->")) },
		"comments without end": func() string { return htmlMail(fill("<!--")) },
		"scripts":              func() string { return htmlMail("<script>" + fill("<!--<script>")) },
		"titles":               func() string { return htmlMail(fill("<title>")) },
		"tags without end":     func() string { return htmlMail(fill("<a")) },
		"less-than signs":      func() string { return htmlMail(fill("<")) },
		"links":                func() string { return htmlMail(numbered("<a href='https://example.org/%d'>a</a>")) },
		"long links": func() string {
			return htmlMail(numbered("<a href='https://example.org/" + strings.Repeat("x", 900) + "%d'>a</a>"))
		},
		"links within links":      func() string { return htmlMail(numbered("<a href='https://example.org/%d'>a")) },
		"HTML in base64":          func() string { return mailOf("text/html\r\nContent-Transfer-Encoding: base64", zip(fill("<p>"))) },
		"HTML as wide as it gets": func() string { return mailOf("text/html; charset=windows-1252", fill("\x80")) },
		"pictures":                func() string { return htmlMail(fill("<img alt='words of it'>")) },
	}
}

func classes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ".c%d{color:red}", i)
	}
	return b.String()
}

func numbered(format string) string {
	var b strings.Builder
	for i := 0; b.Len() < maxMessage; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func manyParts(content string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("--x\r\nContent-Type: text/html\r\n\r\n" + strings.Repeat(content, maxMessage/n/len(content)-20) + "\r\n")
	}
	return mailOf("multipart/mixed; boundary=x", b.String())
}

// encodedMessages encloses messages that are encoded each in the other.
func encodedMessages(levels int) string {
	inner := "From: m@example.org\r\n\r\ndeep\r\n" + strings.Repeat("x", 5000)
	for range levels {
		inner = "From: m@example.org\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
			base64.StdEncoding.EncodeToString([]byte(inner))
	}
	return inner
}

// mostAllocated bounds what parsing one message may allocate in all, and so what
// of it can be in memory at once.
const mostAllocated = 32 << 20

// TestHostileAllocation: no message makes Parse allocate more than that.
func TestHostileAllocation(t *testing.T) {
	for name, write := range hostile() {
		t.Run(name, func(t *testing.T) {
			raw := []byte(write())
			var m Message
			if got := allocated(func() { m, _ = Parse(raw) }); got > mostAllocated {
				t.Errorf("%d KB allocated, want at most %d KB", got>>10, mostAllocated>>10)
			}
			check(t, m)
		})
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkHostile shows what each costs.
func BenchmarkHostile(b *testing.B) {
	for name, write := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			raw := []byte(write())
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(raw)
			}
		})
	}
}
