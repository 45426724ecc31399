package redact_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/redact"
)

// seeds are one text of each kind, and the edges between them.
func seeds() []string {
	return []string{
		"", "plain words and nothing else", "[redacted:password]", "[redacted:", "[redacted:x]]", "[[redacted:a]b[redacted:c]",
		"password: hunter2", "password=[redacted:password]", "Passwort: hünter2ß", "mot de passe : «été99»", "contraseña: “gato9ñ”",
		j("gh", "p_", alnum36), j("gh", "p_", alnum36, "gh", "p_", alnum36), "-----BEGIN RSA PRIVATE KEY-----\n" + alnum64 + "\n",
		j("-----BEGIN ", "PRIVATE KEY-----", alnum64, "-----END ", "PRIVATE KEY-----"), "-----BEGIN", "://a:b@c", "https://u:p%40@h/reset/" + alnum36,
		"Authorization: Bearer " + alnum36, "Authorization: Basic dXNlcjpwYXNz", "Your code is 123456", "Ihr Code lautet 123 456", "G-123456",
		"4111 1111 1111 1111", "4111111111111111", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", alnum64, hex40, hex64,
		"token=" + strings.Repeat("a1", 400), "password=\"" + strings.Repeat("x ", 400), "\xff\xfepassword: \xc3", "a\u00a0password\u00a0: x9x9x9",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + alnum36, "123456789:" + alnum36[:35], "-u user:passw0rd", "Cookie: a=b1234567; c=d",
		"password password password: a1b2c3", "name: DB_PASSWORD\nvalue: abcd1234", "4111 1111 1111 1111 password: 4111111111111111",
		"encryptedData: a: Agx\npassword: hunter2", "ENC[a,b]password: hunter2", `{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}`, "IDENTIFIED BY 'a1b2'", "Password:\n\n> hunter2\n",
	}
}

// FuzzText checks on any text what must hold for all: spans in order and
// within, a second redaction that changes nothing, UTF-8 that stays so.
func FuzzText(f *testing.F) {
	all := seeds()
	if len(all) == 0 {
		f.Fatal("no seeds")
	}
	for _, s := range all {
		f.Add(s)
	}
	f.Fuzz(check)
}

// texts are what the benchmarks read, each of about 64 KiB.
func texts() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, 1+64<<10/len(s)) }
	return map[string]string{
		"prose":         fill("The report on the harbour was late again, so Tuesday's meeting moved to 14:30; please bring the figures of May and the new plan.\n"),
		"code":          fill("func (s *Store) Load(ctx context.Context, id string) (*Item, error) {\n\tif item, ok := s.cache[id]; ok {\n\t\treturn item, nil\n\t}\n\treturn nil, fmt.Errorf(\"load %s: %w\", id, ErrMissing)\n}\n"),
		"logs":          fill("2026-03-01T10:00:00Z INFO request id=550e8400-e29b-41d4-a716-446655440000 path=/v1/items/" + hex40 + " ms=12\n"),
		"secrets":       fill("DB_PASSWORD=abc123def456\nkey: " + j("gh", "p_", alnum36) + "\nYour code is 123456.\n"),
		"words":         fill("password "),
		"assigned":      fill("password=password:token="),
		"unfinished":    fill("password=\"xxxx xxxx "),
		"urls":          fill("http://a/reset?"),
		"slashes":       fill("://"),
		"one url":       "http://" + fill("http:/a/reset"),
		"one word":      fill("a"),
		"random":        fill(alnum64),
		"digits":        fill("4"),
		"groups":        fill("4111 "),
		"ibans":         fill("DE89 "),
		"begins":        fill("-----BEGIN PRIVATE KEY-----"),
		"begins public": fill("-----BEGIN X-----\n"),
		"tokens":        fill("eyJhbGciOiJIUzI1NiJ9."),
		"dotted":        fill("sk-a."),
		"codes":         fill("your code is 12 "),
		"code words":    fill("code1pin2"),
		"code signs":    fill("code-1-pin_2."),
		"all codes":     fill("your code 4821 "),
		"code groups":   fill("pin 4 8 2 1 7 "),
		"one page":      fill("@a.example #"),
		"numbers":       fill("In 1998 we sold 4821 chairs, please enter 2207 of them in row 1200 and confirm the rest.\n"),
		"marks":         fill("[redacted:password] "),
		"open marks":    fill("[redacted:"),
		"cookies":       fill("cookie:a=b"),
		"sealed":        fill("encryptedData a:Ag"),
		"jwk":           fill(`"k":"aaaaaaaaaaaaaaaa"`),
		"identified":    fill("identified by '"),
		"quotes":        fill("secret='"),
		"not ASCII":     fill("contraseña ñandú Schlüssel "),
	}
}

// TestLongTexts checks texts that are made to take long. How long they take is
// measured by BenchmarkText: one nanosecond a pair of bytes would be 65 ms a KiB.
func TestLongTexts(t *testing.T) {
	for name, s := range texts() {
		t.Run(name, func(t *testing.T) { check(t, s) })
	}
}

func BenchmarkText(b *testing.B) {
	for name, s := range texts() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				redact.Text(s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(len(s))/1024), "ns/KB")
		})
	}
}
