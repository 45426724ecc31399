package subconscious_test

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

func refOf(id string) subconscious.Ref {
	sum := sha256.Sum256([]byte(id))
	return subconscious.Ref(strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10])
}

func TestSummary(t *testing.T) {
	words := func(n int, word string) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	for text, want := range map[string]string{
		"":                                "",
		" \t\n ":                          "",
		"a  b\n\tc\u00a0d":                "a b c d",
		"bell\a and \u202eright-to\ufeff": "bell and right-to",
		"broken \xff\xfe bytes":           "broken bytes",
		words(19, "ab"):                   words(19, "ab"),
		words(20, "ab"):                   words(19, "ab") + "…",
		strings.Repeat("x", 140):          strings.Repeat("x", 140),
		strings.Repeat("x", 141):          strings.Repeat("x", 137) + "…",
		strings.Repeat("ä", 71):           strings.Repeat("ä", 68) + "…",
		strings.Repeat("語", 50):           strings.Repeat("語", 45) + "…",
		// Cut at a word where that loses less than half.
		strings.Repeat("x", 100) + " " + strings.Repeat("y", 100): strings.Repeat("x", 100) + "…",
		strings.Repeat("x", 70) + " " + strings.Repeat("y", 100):  strings.Repeat("x", 70) + " " + strings.Repeat("y", 66) + "…",
		// Nothing hangs over at the end.
		words(18, "ab") + " cd, - ef":      words(18, "ab") + " cd…",
		strings.Repeat("-", 200):           "",
		strings.Repeat(" ", 5000) + "late": "",
	} {
		if got := subconscious.Summary(text); got != want {
			t.Errorf("%.60q…\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestSummaryBounds: whatever the text, a summary is within its bounds, can be
// printed, and is its own summary.
func TestSummaryBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.StringOfN(rapid.SampledFrom([]rune{'a', ' ', 'ä', '語', '🦄', '-', '…', '\n', 0xad, 0xfffd}), 0, 400, -1),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		).Draw(t, "text")
		got := subconscious.Summary(text)
		if len(got) > subconscious.SummaryBytes || len(strings.Fields(got)) > subconscious.SummaryWords {
			t.Fatalf("%q is too long: %d bytes, %d words", got, len(got), len(strings.Fields(got)))
		}
		if !utf8.ValidString(got) || strings.TrimSpace(got) != got || subconscious.Printable(got) != got {
			t.Fatalf("%q cannot be printed so", got)
		}
		if again := subconscious.Summary(got); again != got {
			t.Fatalf("the summary of %q is %q", got, again)
		}
	})
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"tab\tand\r\nline\u2028s": "tab and  line s",
		"\x00\x1b[31mred\x7f":     "[31mred",
		"soft\u00adhyphen":        "softhyphen",
		"zero\u200bwidth\u2060":   "zerowidth",
		"private\ue000use":        "privateuse",
		"tag\U000e0041":           "tag",
		"bad\xc3\x28":             "bad(",
		"\ufffd":                  "",
		"e\u0301 été":             "e\u0301 été",
	} {
		if got := subconscious.Printable(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil,
		"The Lighthouse review of the LIGHTHOUSE":               {"lighthouse", "review"},
		"a-b--c -abcd- x-ray-film":                              {"a-b--c", "abcd", "x-ray-film"},
		"1 12 123 1234 12345 123456":                            {"12345", "123456"},
		"2026 a2026 RE-4711":                                    {"a2026", "re-4711"},
		"und wenn aber Überweisung fehlt":                       {"überweisung", "fehlt"},
		"avec toute l'équipe demain":                            {"équipe", "demain"},
		"hay mucho trabajo mañana":                              {"trabajo"},
		"key=value;path/to/file.txt":                            {"value", "path"},
		strings.Repeat("x", 40) + " " + strings.Repeat("y", 41): {strings.Repeat("x", 40)},
		"請求書 会議資料準備":                                            {"会議資料準備"},
	} {
		if got := subconscious.Terms(text); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
	var many []string
	for i := range 60 {
		many = append(many, "term"+strings.Repeat("x", i%30)+string(rune('a'+i%26)))
	}
	if got := subconscious.Terms(strings.Join(many, " ")); len(got) != 32 || got[0] != many[0] {
		t.Errorf("%d terms, the first %q", len(got), got[0])
	}
	o := subconscious.Observation{Title: "Lighthouse", Text: "the projector"}
	if got := o.Terms(); !slices.Equal(got, []string{"lighthouse", "projector"}) {
		t.Errorf("%q", got)
	}
}

// TestTermsForm: terms are distinct, lower-case, of 4 to 40 characters.
func TestTermsForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aB1-ä ẞ語İ_."))).Draw(t, "text")
		terms := subconscious.Terms(text)
		seen := map[string]bool{}
		for _, term := range terms {
			n := utf8.RuneCountInString(term)
			if seen[term] || n < 4 || n > 40 || strings.Trim(term, "-") != term || strings.ContainsFunc(term, func(r rune) bool {
				return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}) {
				t.Fatalf("%q of %q", term, text)
			}
			seen[term] = true
		}
	})
}
