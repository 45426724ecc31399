package fulltext_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
)

func TestMatch(t *testing.T) {
	for query, want := range map[string]string{
		"":                        "",
		" \x00 -- () ":            "",
		"Invoice 4711":            `"invoice" OR "4711"`,
		"the invoice of the shop": `"invoice" OR "shop"`,
		"to be or not to be":      `"to" OR "be" OR "or" OR "not"`,
		`a "b" AND f*`:            `"b" OR "f"`,
		"red red RED":             `"red"`,
		"don't":                   `"don" OR "t"`,
		"Zürich":                  `"zürich"`,
		"会議":                      `"会 議"`,
		"明日の会":                    `"明 日" OR "日 の" OR "の 会"`,
		"議":                       `"議"`,
		"GPT会議2026":               `"gpt" OR "会 議" OR "2026"`,
		"\u0301\u0301":            "",
		strings.Repeat("x", 65):   "",
	} {
		got, ok := fulltext.Match(query)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %s, %t; want %s", query, got, ok, want)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("w", i))
	}
	if got, _ := fulltext.Match(strings.Join(many, " ")); strings.Count(got, " OR ") != 31 {
		t.Errorf("%s", got)
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\rc\u2028d":        "a\nb\nc\nd",
		" a\tb\u00a0c ":           "a b c",
		"a\x00b\x1b[31mc\xff":     "ab[31mc",
		"pass\u200bword\u202e":    "password",
		"e\u0301":                 "é",
		"👩\u200d👧":                "👩\u200d👧",
		"\n\n":                    "",
		strings.Repeat("\x00", 9): "",
	} {
		if got := fulltext.Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := fulltext.Line(" a\n\n  b\t"); got != "a b" {
		t.Errorf("%q", got)
	}
}

// FuzzText: what FTS5 is handed it takes, and what is plain stays as it is.
func FuzzText(f *testing.F) {
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{Path: store.Memory}, store.Migration{Package: "words", Version: 1,
		SQL: "CREATE VIRTUAL TABLE words USING fts5 (text, " + fulltext.Tokenizer + ")"})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	for _, seed := range []string{"", "a word", `"`, `" OR text:*`, "NEAR(a b, 5)", "{text}: a", "^a", "a\x00b", "\xff\xfe", "日本語のテキスト", "ภาษาไทย", "e\u0301\u0301",
		"\u200d\u200c", "ﬃ ² Ǆ İ", strings.Repeat("a ", 4000), strings.Repeat("\u0301", 300), "𝔘𝔫𝔦", "\U000e0001x", "\u0e33\u0e4d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := fulltext.Plain(text)
		if !utf8.ValidString(plain) || fulltext.Plain(plain) != plain || strings.ContainsFunc(plain, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Fatalf("%q is not plain: %q", plain, fulltext.Plain(plain))
		}
		expression, ok := fulltext.Match(text)
		if ok != (expression != "") || len(expression) > 16<<10 {
			t.Fatalf("%t, %q", ok, expression)
		}
		if err := db.Write(ctx, func(tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO words (rowid, text) VALUES (1, ?)", fulltext.Split(plain)); err != nil || !ok {
				return err
			}
			var found int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM words WHERE words MATCH ?", expression).Scan(&found); err != nil {
				return fmt.Errorf("%s: %w", expression, err)
			}
			if ascii := strings.ContainsFunc(plain, func(r rune) bool { return r > 'z' }); !ascii && found != 1 {
				return fmt.Errorf("%q is not found by %s", plain, expression)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}
