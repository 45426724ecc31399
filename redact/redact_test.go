package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/redact"
)

// j puts an invented secret together, so that no scanner takes the source of
// these tests for a leak.
func j(parts ...string) string { return strings.Join(parts, "") }

var (
	alnum36 = j("q7Rk2ZpX9m", "T4vB8sL1cW", "6yHd3FgJ5n", "Ae0UoQ")
	alnum64 = j(alnum36, "Xw8Kz2Mv5Np7", "Rt4Yb9Lc1Hs6", "Dq3G")
	hex40   = j("3f9a1c7e5b", "8d2046f1ae", "97c35b0d4e", "62f81a9c7d")
	hex64   = j(hex40, "04be6d19f3a7", "c852e1b07f4d")
)

type example struct {
	name string
	in   string
	want string
}

func run(t *testing.T, examples []example) {
	t.Helper()
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			got := redact.Text(e.in)
			if got != e.want {
				t.Errorf("Text(%q)\n got %q\nwant %q", e.in, got, e.want)
			}
			check(t, e.in)
		})
	}
}

// check fails where a promise that holds for every text is broken.
func check(t *testing.T, s string) {
	t.Helper()
	last := 0
	for _, span := range redact.Find(s) {
		if span.Start < last || span.End <= span.Start || span.End > len(s) || span.Kind == "" {
			t.Fatalf("Find(%q): span %+v after %d of %d bytes", s, span, last, len(s))
		}
		last = span.End
	}
	once := redact.Text(s)
	if twice := redact.Text(once); twice != once {
		t.Fatalf("redacting twice differs\n  in %q\nonce %q\n two %q", s, once, twice)
	}
	if utf8.ValidString(s) && !utf8.ValidString(once) {
		t.Fatalf("Text(%q) is not UTF-8: %q", s, once)
	}
}

func TestServices(t *testing.T) {
	var examples []example
	for kind, keys := range map[string][]string{
		"aws":          {j("AK", "IAQ7RK2ZPX9MT4VB8S"), j("AS", "IAQ7RK2ZPX9MT4VB8S")},
		"github":       {j("gh", "p_", alnum36), j("gh", "o_", alnum36), j("gh", "s_", alnum36), j("github", "_pat_", alnum36, "_", alnum36)},
		"gitlab":       {j("gl", "pat-", alnum36[:20]), j("gl", "rt-", alnum36[:20])},
		"slack":        {j("xo", "xb-", "123456789012-", alnum36[:24]), j("xa", "pp-1-A0-", alnum36)},
		"stripe":       {j("sk_", "live_", alnum36[:24]), j("rk_", "test_", alnum36[:24])},
		"openai":       {j("sk", "-proj-", alnum64), j("sk", "-", alnum64[:48])},
		"anthropic":    {j("sk", "-ant-api03-", alnum64)},
		"google":       {j("AI", "za", alnum36[:35]), j("GOC", "SPX-", alnum36[:28]), j("ya", "29.", alnum64)},
		"groq":         {j("gs", "k_", alnum64[:52])},
		"huggingface":  {j("h", "f_", alnum36[:34])},
		"npm":          {j("np", "m_", alnum36)},
		"pypi":         {j("py", "pi-AgE", alnum64)},
		"sendgrid":     {j("S", "G.", alnum36[:22], ".", alnum64[:43])},
		"twilio":       {j("S", "K", hex64[:32])},
		"telegram":     {j("123456789", ":", alnum36[:35])},
		"discord":      {j("MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.", alnum36[:27])},
		"digitalocean": {j("do", "p_v1_", hex64)},
		"vault":        {j("hv", "s.", alnum36)},
		"ntfy":         {j("t", "k_", alnum36[:29])},
		"azure":        {j("RD_2", "Q~", alnum36[:34]), j("x.~9", "Q~", alnum36[:31]), j("_~.0", "Q~", alnum36[:33])},
	} {
		for _, key := range keys {
			mark := "[redacted:" + kind + "]"
			examples = append(examples,
				example{kind, "It is " + key + " here.", "It is " + mark + " here."},
				example{kind + " quoted", `x("` + key + `")`, `x("` + mark + `")`})
		}
	}
	run(t, examples)
}
