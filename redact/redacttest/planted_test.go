package redacttest_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/redact/redacttest"
)

func TestPlantedAreFiftyAndDistinct(t *testing.T) {
	secrets := redacttest.Planted()
	if len(secrets) != 50 || !slices.Equal(secrets, redacttest.Planted()) {
		t.Fatalf("%d secrets, the same again: %v", len(secrets), slices.Equal(secrets, redacttest.Planted()))
	}
	seen := map[string]bool{}
	for _, s := range secrets {
		if s.Kind == "" || len(s.Value) < 8 || !strings.Contains(s.Text, s.Value) || seen[s.Value] || seen[s.Kind] {
			t.Errorf("%+v", s)
		}
		seen[s.Value], seen[s.Kind] = true, true
	}
}

// TestRedactionTakesEachOut: in its line, among others, in JSON.
func TestRedactionTakesEachOut(t *testing.T) {
	var all strings.Builder
	for _, s := range redacttest.Planted() {
		one := []redacttest.Secret{s}
		quoted := testutil.JSON(t, map[string]string{"text": s.Text})
		for name, text := range map[string]string{"alone": s.Text, "in a text": "Before.\n" + s.Text + "\nAfter.", "in JSON": string(quoted)} {
			if leaks := redacttest.Leaks([]byte(redact.Text(text)), one); len(leaks) > 0 {
				t.Errorf("%s: %v in %q", name, leaks, redact.Text(text))
			}
		}
		all.WriteString(s.Text + "\n")
	}
	if leaks := redacttest.Leaks([]byte(redact.Text(all.String())), redacttest.Planted()); len(leaks) > 0 {
		t.Errorf("together: %v", leaks)
	}
}

// TestLeaksFindsEveryForm: whatever stands around.
func TestLeaksFindsEveryForm(t *testing.T) {
	little := func(s string) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(unit))
			b.WriteByte(byte(unit >> 8))
		}
		return b.String()
	}
	inJSON := func(s string) string {
		data := testutil.JSON(t, s)
		return string(data)
	}
	forms := map[string]func(string) string{
		"plain":           func(s string) string { return s },
		"JSON":            inJSON,
		"JSON in JSON":    func(s string) string { return inJSON(inJSON(s)) },
		"query":           url.QueryEscape,
		"path":            url.PathEscape,
		"lower escapes":   func(s string) string { return strings.ToLower(url.QueryEscape("/")) + url.PathEscape(s) },
		"base64":          func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64, 1 ahead": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
		"base64, 2 ahead": func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte("xy" + s + "z")) },
		"base64 for URLs": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("xyzx" + s)) },
		"hexadecimal":     func(s string) string { return hex.EncodeToString([]byte("x" + s)) },
		"HEXADECIMAL":     func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"UTF-16":          little,
	}
	for _, s := range redacttest.Planted() {
		for name, form := range forms {
			data := []byte("\x00before " + form(s.Value) + " after\xff")
			leaks := redacttest.Leaks(data, redacttest.Planted())
			if !slices.ContainsFunc(leaks, func(l string) bool { return strings.HasPrefix(l, s.Kind+", ") }) {
				t.Errorf("%s as %s is not found: %v", s.Kind, name, leaks)
			}
			for _, l := range leaks {
				if strings.Contains(l, s.Value) {
					t.Errorf("the report tells the secret: %s", l)
				}
			}
		}
	}
}

func TestLeaksFindsNothingWhereNothingIs(t *testing.T) {
	text := strings.Repeat("The harbour report was late again. 2026-11-21T10:00:00Z id=550e8400-e29b-41d4-a716-446655440000 ", 2000)
	if leaks := redacttest.Leaks([]byte(text), redacttest.Planted()); len(leaks) > 0 {
		t.Error(leaks)
	}
}
