package redact_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/redact"
)

// everything masks all that can be masked.
func everything() redact.MaskOptions {
	return redact.MaskOptions{MailAddresses: true, PhoneNumbers: true, Names: []string{
		"Anna Müller", "Anna", "Müller", "Jean-Luc O'Neill", "Will", "王小明", "Ségolène", "Ольга Иванова", "Strauß",
	}}
}

// masks runs examples of what Mask makes of a text; each must come back.
func masks(t *testing.T, options redact.MaskOptions, examples map[string]string) {
	t.Helper()
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for in, want := range examples {
		t.Run(in, func(t *testing.T) {
			mask := redact.NewMask(options)
			got := mask.Mask(in)
			if got != want {
				t.Errorf("Mask(%q)\n got %q\nwant %q", in, got, want)
			}
			if back := mask.Restore(got); back != in {
				t.Errorf("Restore(%q)\n got %q\nwant %q", got, back, in)
			}
		})
	}
}

// kept runs examples that stay as they are.
func kept(t *testing.T, options redact.MaskOptions, texts ...string) {
	t.Helper()
	same := map[string]string{}
	for _, s := range texts {
		same[s] = s
	}
	masks(t, options, same)
}

func TestMaskMailAddresses(t *testing.T) {
	options := redact.MaskOptions{MailAddresses: true}
	masks(t, options, map[string]string{
		"write to ann@example.com.":                 "write to [mail-1].",
		"<ann@example.com>, 'bob+x@example.co.uk'":  "<[mail-1]>, '[mail-2]'",
		"ann@example.com and ANN@example.com":       "[mail-1] and [mail-1-2]",
		"ann@example.com ann@example.com":           "[mail-1] [mail-1]",
		"mailto:o'brien@example.org?subject=x":      "mailto:[mail-1]?subject=x",
		"jörg@müller.de; 用户@例子.公司":                  "[mail-1]; [mail-2]",
		"user_1@sub.xn--mller-kva.de, a@b.xn--p1ai": "[mail-1], [mail-2]",
		`{"to":"line\nann@example.com"}`:            `{"to":"line\n[mail-1]"}`,
		"?to=ann%40example.com&x":                   "?to=[mail-1]&x",
		"To:^ann@example.com^(Ann)":                 "To:^[mail-1]^(Ann)",
		"“ann@example.com”":                         "“[mail-1]”",
		"ann@example.com@example.net":               "[mail-1]@example.net",
	})
	kept(t, options, "files:abcdefghij@42", "see mail:abcdefghij@7.", "@ann", "ann@localhost", "a@b", "pkg@v1.2.3", "golang.org/x/text@v0.28.0",
		"logo@2x.png", "getty@tty1.service", "git@github.com:a/b.git", "[redacted:password]", "@", "a@.com", "a.@b.com", "a@b..com")
}

func TestMaskPhoneNumbers(t *testing.T) {
	options := redact.MaskOptions{PhoneNumbers: true}
	masks(t, options, map[string]string{
		"call +49 170 1234567 now":            "call [phone-1] now",
		"+49 (0)30 123456-78.":                "[phone-1].",
		"+1-212-555-0123, +14155550123":       "[phone-1], [phone-2]",
		"0049 170 1234567 and +491701234567":  "[phone-1] and [phone-1-2]",
		"030/1234567 or 0170 123 45 67":       "[phone-1] or [phone-2]",
		"(030) 123456":                        "[phone-1]",
		"(212) 555-0123":                      "[phone-1]",
		"212-555-0123; 1-800-555-0199":        "[phone-1]; [phone-2]",
		"06 12 34 56 78":                      "[phone-1]",
		"Tel.: 612 345 678":                   "Tel.: [phone-1]",
		"my phone is 5550123":                 "my phone is [phone-1]",
		"tel:+49-30-123456":                   "tel:[phone-1]",
		"+49^170^1234567":                     "[phone-1]",
		"+49\u00a0170\u00a01234567":           "[phone-1]",
		"01701234567":                         "[phone-1]",
		`"phone":"+33 1 23 45 67 89"`:         `"phone":"[phone-1]"`,
		"+44 20 7946 0958\n+44 20 7946 0958":  "[phone-1]\n[phone-1]",
		"ring me (+49 170 1234567) tomorrow.": "ring me ([phone-1]) tomorrow.",
	})
	kept(t, options, "2026-03-01 10:00:00", "01.02.2026", "1.2.2026 10", "01/02/2026", "2026/03/01", "10:30-12:45", "1700000000", "1,234,567.89", "12 345 678 EUR",
		"0.123456789", "192.168.100.200", "010.010.010.010", "v1.234.5678901", "files:2345672345@42", "id 123456789", "#01234567890", "abc01234567890",
		"550e8400-e29b-41d4-a716-446655440000", "0-306-40615-2", "0900-1700", "+123", "00000000", "order 0012345", "00-11-22-33-44-55", "048.1371540",
		"2026-11-21T10:00:00.000000Z", "3 + 1234567", "0x01234567", "01234567890123456789", "[redacted:card]", "0123456 €", "1234 5678 9012", "01 02 03")
}

func TestMaskNames(t *testing.T) {
	masks(t, everything(), map[string]string{
		"Anna Müller met Anna":                   "[name-1] met [name-2]",
		"ANNA met anna's Anna":                   "[name-1] met [name-1-2]'s [name-1-3]",
		"Anna^Müller and Anna\n Müller":          "[name-1] and [name-1-2]",
		"Mu\u0308ller, MÜLLER":                   "[name-1], [name-1-2]",
		"Joanna, Annabel, Anna2, _anna, Müllers": "Joanna, Annabel, Anna2, _anna, Müllers",
		"jean-luc o’neill and Jean Luc O'Neill":  "[name-1] and [name-1-2]",
		"I will ask Will":                        "I will ask [name-1]",
		"我和王小明去了":                                "我和[name-1]去了",
		"Ольга Иванова":                          "[name-1]",
		"Strauss or STRAUSS":                     "[name-1] or [name-1-2]",
		`"line\nAnna"`:                           `"line\n[name-1]"`,
		"anna@example.com is Anna":               "[mail-1] is [name-1]",
		"files:annaannaab@4 by Anna":             "files:annaannaab@4 by [name-1]",
		"Anna, +49 170 1234567, a@example.com":   "[name-1], [phone-1], [mail-1]",
	})
}

// TestMaskTextThatLooksLikeAPlaceholder: it survives, and is never taken for
// one that Mask gave out.
func TestMaskTextThatLooksLikeAPlaceholder(t *testing.T) {
	masks(t, everything(), map[string]string{
		"[mail-1] is not a@example.com":          "[text-1] is not [mail-1]",
		"<Mail-1> a@example.com (mail-1)":        "[text-1] [mail-1] [text-2]",
		"[text-1][text-1] a@example.com":         "[text-1][text-1] [mail-1]",
		`\[name-1\] {phone-2} Anna`:              `[text-1] [text-2] [name-1]`,
		"<a@example.com>":                        "<[mail-1]>",
		"[a@example.com]":                        "[[mail-1]]",
		`\[a@example.com\]`:                      `\[[mail-1]\]`,
		"[mail-a@example.com]":                   "[[mail-1]]",
		"[mail-1 a@example.com] [mail-] [email]": "[mail-1 [mail-1]] [mail-] [email]",
		"see [1] and [notes] (a-1) <b>":          "see [1] and [notes] (a-1) <b>",
	})
}

func TestRestoreToleratesWhatModelsDo(t *testing.T) {
	mask := redact.NewMask(everything())
	if got := mask.Mask("a@example.com, ANNA, Anna, +49 170 1234567"); got != "[mail-1], [name-1], [name-1-2], [phone-1]" {
		t.Fatal(got)
	}
	for in, want := range map[string]string{
		"ask [Mail-1]":            "ask a@example.com",
		"<mail-1>, (MAIL-1)":      "a@example.com, a@example.com",
		"⟨mail-1⟩ {mail_1}":       "a@example.com a@example.com",
		`\[mail-1\]`:              "a@example.com",
		"[ mail-1 ]":              "a@example.com",
		"[mail‑1] [mail-01]":      "a@example.com a@example.com",
		"&lt;mail-1&gt;":          "a@example.com",
		`"\u003cmail-1\u003e"`:    `"a@example.com"`,
		"[name-1] [name-1-2]s":    "ANNA Annas",
		"[[phone-1]](x)":          "[+49 170 1234567](x)",
		"[mail-2] stays [name-9]": "[mail-2] stays [name-9]",
		"mail-1 stays, e-mail-1":  "mail-1 stays, e-mail-1",
		"[mail-1> stays":          "[mail-1> stays",
		"[mail-1":                 "[mail-1",
		"[mail-1-9] [mail-1x]":    "[mail-1-9] [mail-1x]",
		"[mail-99999999999]":      "[mail-99999999999]",
		"nothing":                 "nothing",
	} {
		if got := mask.Restore(in); got != want {
			t.Errorf("Restore(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMaskIsStableWithinAConversationAndNewInAnother(t *testing.T) {
	first := redact.NewMask(everything())
	a, b := first.Mask("a@example.com"), first.Mask("b@example.com, then a@example.com")
	if a != "[mail-1]" || b != "[mail-2], then [mail-1]" {
		t.Errorf("%q, %q", a, b)
	}
	second := first.New()
	if got := second.Mask("b@example.com, Anna"); got != "[mail-1], [name-1]" {
		t.Errorf("another conversation: %q", got)
	}
	if got := second.Restore("[mail-2]"); got != "[mail-2]" {
		t.Errorf("another conversation knows %q", got)
	}
}

func TestMaskNothingByDefault(t *testing.T) {
	kept(t, redact.MaskOptions{}, "a@example.com +49 170 1234567 Anna [mail-1]")
}

func TestMaskIsSafeForGoroutines(t *testing.T) {
	mask := redact.NewMask(everything())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprintf("a%d@example.com Anna a0@example.com", i)
			if got := mask.Restore(mask.Mask(text)); got != text {
				t.Errorf("%q came back as %q", text, got)
			}
		})
	}
	all.Wait()
}

// personal draws texts with personal data, near misses and noise.
func personal() *rapid.Generator[string] {
	pieces := []string{"a@example.com", "A@example.com", "b.c+d@sub.example.org", "+49 170 1234567", "030 1234567", "212-555-0123", "Anna", "anna müller", "WILL",
		"will", "王小明", "[mail-1]", "[text-1]", "<name-1>", "(phone-1)", "⟨mail-2⟩", `\[`, `\]`, "[", "]", "<", ">", "mail-1", "-1", "name", "files:abcdefghij@42",
		"[redacted:card]", " ", "\n", "^", "@", ".", "-", ",", "x", "0", "170", "é", "\xff", "\xe2\x9f", "%40", "&lt;mail-1&gt;", `\u003c`, "'", "example.com"}
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 14).Draw(t, "pieces") {
			if rapid.IntRange(0, 9).Draw(t, "noise") == 0 {
				b.WriteString(rapid.String().Draw(t, "text"))
			} else {
				b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			}
		}
		return b.String()
	})
}

// TestMaskComesBack: whatever the texts of a conversation, each comes back.
func TestMaskComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := redact.NewMask(everything())
		texts := rapid.SliceOfN(personal(), 1, 4).Draw(t, "texts")
		masked := make([]string, len(texts))
		for i, text := range texts {
			masked[i] = mask.Mask(text)
		}
		for i, text := range texts {
			if got := mask.Restore(masked[i]); got != text {
				t.Fatalf("%q\nmasked %q\ncame back as %q", text, masked[i], got)
			}
			if again := mask.Mask(text); again != masked[i] {
				t.Fatalf("%q is %q, and then %q", text, masked[i], again)
			}
		}
	})
}

// TestMaskLeavesNoValue: no address, number or name that stands by itself is
// left.
func TestMaskLeavesNoValue(t *testing.T) {
	values := []string{"ann.lee@example.com", "jörg@example.de", "+49 170 1234567", "030 / 1234567", "(212) 555-0123", "Anna Müller", "Ségolène", "ОЛЬГА ИВАНОВА"}
	edges := []string{" ", "\n", "(", ")", "\"", ", ", "; ", "<", ">", "^", "\t", "!", "“", "\u00a0"}
	rapid.Check(t, func(t *rapid.T) {
		text := " "
		for _, value := range rapid.SliceOfN(rapid.SampledFrom(values), 1, 6).Draw(t, "values") {
			text += rapid.StringMatching(`[a-z ]{0,20}`).Draw(t, "between") + " " + rapid.SampledFrom(edges).Draw(t, "before") + value + rapid.SampledFrom(edges).Draw(t, "after")
		}
		masked := redact.NewMask(everything()).Mask(text)
		for _, value := range values {
			if strings.Contains(masked, value) {
				t.Fatalf("%q\nmasked %q\nholds %q", text, masked, value)
			}
		}
	})
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"", "a@example.com", "[mail-1] a@b.co", "+49 170 1234567", "Anna Müller", "[text-1]<text-2>", "files:abcdefghij@42", "王小明", "\xff@\xfe", `\[mail-1\]`, "0@0.00", "(0)1-1-1-1-1-1-1-1-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mask := redact.NewMask(everything())
		masked := mask.Mask(text)
		if got := mask.Restore(masked); got != text {
			t.Fatalf("%q\nmasked %q\ncame back as %q", text, masked, got)
		}
	})
}

// personalTexts are what the bounds and benchmarks read.
func personalTexts() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, 1+64<<10/len(s)) }
	return map[string]string{
		"prose":    fill("Anna wrote to ann@example.com about the meeting on 01.02.2026 at 14:30; call +49 170 1234567 or ask Will.\n"),
		"ats":      fill("@"),
		"locals":   fill("a@"),
		"dots":     "a@" + fill("a."),
		"digits":   fill("0"),
		"groups":   fill("012 "),
		"words":    fill("anna "),
		"word":     fill("a"),
		"brackets": fill("["),
		"opened":   fill("[mail-"),
		"colons":   fill("aaaa:"),
		"marks":    fill("[redacted:"),
		"han":      fill("王小"),
		"accents":  fill("é"),
		"bytes":    fill("\xff"),
	}
}

// TestMaskLongTexts masks texts that are made to take long; BenchmarkMask measures
// how long.
func TestMaskLongTexts(t *testing.T) {
	for name, s := range personalTexts() {
		t.Run(name, func(t *testing.T) {
			mask := redact.NewMask(everything())
			if mask.Restore(mask.Mask(s)) != s {
				t.Fatal("it did not come back")
			}
		})
	}
}

func BenchmarkMask(b *testing.B) {
	for name, s := range personalTexts() {
		b.Run(name, func(b *testing.B) {
			base := redact.NewMask(everything())
			for b.Loop() {
				mask := base.New()
				mask.Restore(mask.Mask(s))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(len(s))/1024), "ns/KB")
		})
	}
}
