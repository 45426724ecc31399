package deliberate_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/publicsuffix"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
)

func TestDefang(t *testing.T) {
	for text, want := range map[string]string{
		"":                                              "",
		"The backup failed.":                            "The backup failed.",
		"https://a.b":                                   "hxxps://a[.]b",
		"HTTP://Evil.Example/x?y=1.2":                   "hxxp://Evil[.]Example/x?y=1[.]2",
		"ftp://files.example.com":                       "ftp[:]//files[.]example[.]com",
		"see example.com.":                              "see example[.]com.",
		"www.example.com/a":                             "www[.]example[.]com/a",
		"www.1.2":                                       "www[.]1[.]2",
		"eve@example.com":                               "eve[@]example[.]com",
		"mailto:eve@example.com":                        "mailto[:]eve[@]example[.]com",
		"javascript:alert(1)":                           "javascript[:]alert(1)",
		"data:text/html,<b>":                            "data[:]text/html,<b>",
		"tel:+49170":                                    "tel[:]+49170",
		"intent://x#Intent":                             "intent[:]//x#Intent",
		"x-custom+scheme.v2:do":                         "x-custom+scheme[.]v2[:]do",
		"http:\u200b//evil.exam\u00adple":               "hxxp://evil[.]example",
		"h\u034fttps://evil\ufe0f.example":              "hxxps://evil[.]example",
		"https\uff1a\uff0f\uff0fevil\uff0ecom":          "hxxps://evil[.]com",
		"example[.]com":                                 "example[.]com",
		"example[.].com":                                "example[.][.]com",
		"hxxps://a[.]b":                                 "hxxps://a[.]b",
		"münchen.de and пример.рф":                      "münchen[.]de and пример[.]рф",
		"例え。テスト":                                        "例え。 テスト",
		"xn--mnchen-3ya.de":                             "xn--mnchen-3ya[.]de",
		"at 192.168.0.1:80 now":                         "at 192[.]168[.]0[.]1:80 now",
		"1.2.3.4a":                                      "1[.]2[.]3[.]4a",
		"localhost:8080":                                "localhost[:]8080",
		`\\server\share`:                                `\server\share`,
		"At 10:30 it is 3.5 GB, e.g. z.B. 99.9%":        "At 10:30 it is 3.5 GB, e.g. z.B. 99.9%",
		"22.11.2026 at 07:15: late":                     "22.11.2026 at 07:15: late",
		"due 2026-11-22T10:00:00Z (Sun)":                "due 2026-11-22T10:00:00Z (Sun)",
		"2026-11-22T10:00+01:00":                        "2026-11-22T10:00+01:00",
		"x2026-11-22T10:00 T10:00 2026-11-22T10:00evil": "x2026-11-22T10[:]00 T10[:]00 2026-11-22T10[:]00evil",
		"Note: it is full":                              "Note: it is full",
		"[redacted:password] was there":                 "[redacted:password] was there",
		"one\ntwo\t\x1b[31mthree":                       "one two [31mthree",
		"@anna said":                                    "[@]anna said",
		"ask @evilbot now":                              "ask [@]evilbot now",
		"(@evilbot) [@evilbot] @@evilbot":               "([@]evilbot) [[@]evilbot] [@][@]evilbot",
		"@\u200bevil\uff20bot [@]evilbot":               "[@]evil[@]bot [@]evilbot",
		"3 apples @ 2.50, meet @ noon @":                "3 apples @ 2.50, meet @ noon @",
		"call +49 170 1234567 or 030/123456-78":         "call +49 170 1234567 or 030/123456-78",
		"order 4711-0815-2026, v1.2.3, 1.299,00 €":      "order 4711-0815-2026, v1.2.3, 1.299,00 €",
		"report.pdf":                                    "report.pdf",
		"subconscious.json was not written":             "subconscious.json was not written",
		"as /home/me/.local/mind/subconscious.json.rejected-20261122T1000": "as /home/me/.local/mind/subconscious.json.rejected-20261122T1000",
		"backup.service, notes/.env, plan.PDF.":                            "backup.service, notes/.env, plan.PDF.",
		"report.pdf.com/x, a.jsonx, x.json@evil":                           "report[.]pdf[.]com/x, a[.]jsonx, x[.]json[@]evil",
		"https://evil.json, www.evil.json":                                 "hxxps://evil[.]json, www[.]evil[.]json",
		"evil.com.json evil.md evil.zip evil.sh":                           "evil[.]com[.]json evil[.]md evil[.]zip evil[.]sh",
		"。www.1":                                                           "。 www[.]1",
		"❤.ws":                                                             "❤[.]ws",
		"[x](https://evil.example)":                                        "[x](hxxps://evil[.]example)",
	} {
		if got := deliberate.Defang(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

var (
	// schemes are what programs open: a name, a colon, and something behind it.
	schemes = regexp.MustCompile(`(?i)(^|[^a-z0-9+.-])([a-z][a-z0-9+.-]*):[^\s]`)
	domains = regexp.MustCompile(`(?i)[\pL\pN_-]\.[\pL][\pL\pN-]+`)
	mails   = regexp.MustCompile(`@\S`) // but for "[@]"
	numbers = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+`)
	// files are endings of the names of files alone.
	files = regexp.MustCompile(`(?i)\.(?:` + strings.Join(deliberate.Endings, "|") + `)(?:$|[^\pL\pN\pM_])`)
)

// TestEndings: none of the endings that are left alone is one of a domain.
func TestEndings(t *testing.T) {
	for _, name := range deliberate.Endings {
		if _, domain := publicsuffix.PublicSuffix("x." + name); domain {
			t.Errorf("there is a domain .%s", name)
		}
	}
}

// checkDefanged wants a text in which nothing can be followed.
func checkDefanged(t interface{ Fatalf(string, ...any) }, text string) {
	got := deliberate.Defang(text)
	for _, found := range schemes.FindAllStringSubmatch(got, -1) {
		if name := strings.ToLower(found[2]); name != "hxxp" && name != "hxxps" && name != "redacted" {
			t.Fatalf("%q: a scheme is left in %q: %q", text, got, found[0])
		}
	}
	for _, shape := range []*regexp.Regexp{domains, numbers} {
		if found := shape.FindString(files.ReplaceAllString(got, "")); found != "" {
			t.Fatalf("%q: an address is left in %q: %q", text, got, found)
		}
	}
	if found := mails.FindString(strings.ReplaceAll(got, "[@]", "[at]")); found != "" {
		t.Fatalf("%q: a name is left in %q: %q", text, got, found)
	}
	for _, r := range got {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			t.Fatalf("%q: %q has the character %U", text, got, r)
		}
	}
	if again := deliberate.Defang(got); again != got {
		t.Fatalf("%q: %q becomes %q", text, got, again)
	}
}

// TestDefangProperty breaks addresses that are put together of all their parts.
func TestDefangProperty(t *testing.T) {
	piece := rapid.SampledFrom([]string{"http", "https", "hxxp", "ftp", "mailto", "javascript", "tel", "redacted", ":", "://", "//", ".", "[.]", "[", "]", "[:]", "@", "[@]",
		"www", "www.", "example", "com", "de", "xn--a", "рф", "例え", "。", "．", "：", "／", "＠", "\u200b", "\u00ad", "\u2024", "\u034f", "\ufe0f", "\\", "\\\\", " ", "\n",
		"1", "192", "0x7f", "-", "_", "+", "%2e", "é", "e\u0301", "❤", "(", ")", "\"", "…", "a", "Z", "\u202e", "\x00", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		checkDefanged(t, strings.Join(rapid.SliceOfN(piece, 1, 24).Draw(t, "pieces"), ""))
	})
}

func FuzzDefang(f *testing.F) {
	for _, seed := range []string{"https://a.b", "eve@example.com", "http：//x．y", "1.2.3.4", "www.a", "\\\\a\\b", "a。b", "[redacted:x]", "javascript:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkDefanged(t, text) })
}
