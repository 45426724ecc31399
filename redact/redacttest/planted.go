// Package redacttest has invented secrets to plant in what the daemon reads, and
// finds them again wherever they leaked to, in whatever form.
//
// Only tests use it. The secrets are made at run time, so that no scanner takes
// this repository for a leak.
package redacttest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Secret is an invented secret.
type Secret struct {
	// Kind says what it is: "github", "password in a sentence".
	Kind string
	// Value is what must not get out.
	Value string
	// Text is a line or block as people and programs write it, with Value in it.
	Text string
}

const (
	lower    = "abcdefghijklmnopqrstuvwxyz"
	upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
	hexes    = "0123456789abcdef"
	alnum    = lower + upper + digits
	urlSafe  = alnum + "-_"
	standard = alnum + "+/"
)

// Planted returns 50 secrets of all kinds, the same at each call.
func Planted() []Secret {
	p := &planter{random: rand.New(rand.NewPCG(50, 5050))}
	p.services()
	p.assigned()
	p.travelling()
	p.numbers()
	return p.secrets
}

type planter struct {
	random  *rand.Rand
	secrets []Secret
}

// some returns n characters of set, with a figure among them.
func (p *planter) some(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[p.random.IntN(len(set))]
	}
	b[n/2] = digits[2+p.random.IntN(8)]
	return string(b)
}

// plant adds a secret; text has %s where the value stands.
func (p *planter) plant(kind, text string, value ...string) {
	whole := strings.Join(value, "")
	p.secrets = append(p.secrets, Secret{kind, whole, fmt.Sprintf(text, whole)})
}

// services adds keys that are known by how they begin; the beginnings are in
// parts for the scanners' sake.
func (p *planter) services() {
	p.plant("github", "git remote add o https://x:%s@git.example.com/a.git", "gh", "p_", p.some(alnum, 36))
	p.plant("github, fine-grained", "GITHUB=%s", "github", "_pat_", p.some(alnum, 22), "_", p.some(alnum, 59))
	p.plant("gitlab", "try %s for the runner", "gl", "pat-", p.some(urlSafe, 20))
	p.plant("aws", "aws_access_key_id = %s", "AK", "IA", p.some(upper+"234567", 16))
	p.plant("aws secret", "aws_secret_access_key = %s", p.some(standard, 40))
	p.plant("openai", `{"key": "%s"}`, "sk", "-proj-", p.some(alnum, 48))
	p.plant("anthropic", "export KEY=%s", "sk", "-ant-api03-", p.some(urlSafe, 80))
	p.plant("google", "https://maps.example.com/?key=%s", "AI", "za", p.some(urlSafe, 35))
	p.plant("slack", "slack: %s", "xo", "xb-", p.some(digits, 12), "-", p.some(alnum, 24))
	p.plant("slack hook", "curl https://hooks.slack.com/services/%s", "T", p.some(upper+digits, 8), "/B", p.some(upper+digits, 8), "/", p.some(alnum, 24))
	p.plant("stripe", "stripe.api = '%s'", "sk", "_live_", p.some(alnum, 24))
	p.plant("sendgrid", "mail goes through %s now", "S", "G.", p.some(alnum, 22), ".", p.some(alnum, 43))
	p.plant("npm", "//registry.example.com/:_auth=%s", "np", "m_", p.some(alnum, 36))
	p.plant("pypi", "twine -p %s", "py", "pi-AgE", p.some(urlSafe, 60))
	p.plant("huggingface", "login %s", "h", "f_", p.some(alnum, 34))
	p.plant("groq", "groq %s", "gs", "k_", p.some(alnum, 52))
	p.plant("telegram", "bot %s answers", p.some("56789", 9), ":", p.some(urlSafe, 35))
	p.plant("digitalocean", "do: %s", "do", "p_v1_", p.some(hexes, 64))
	p.plant("vault", "VAULT %s", "hv", "s.", p.some(alnum, 24))
	p.plant("ntfy", "ntfy -k %s topic", "t", "k_", p.some(alnum, 29))
	p.plant("docker swarm", "docker swarm join %s 10.0.0.1", "SWM", "TKN-1-", p.some(lower+digits, 50), "-", p.some(lower+digits, 25))
	p.plant("linear", "see %s", "lin", "_api_", p.some(alnum, 40))
	p.plant("age", "# %s", "AGE", "-SECRET-KEY-1", p.some(upper+digits, 58))
	p.plant("azure", "client %s", p.some(alnum, 3), "7", "Q~", p.some(alnum, 34))
}

// assigned adds values that a name stands before.
func (p *planter) assigned() {
	p.plant("password", "password: %s", p.some(alnum, 12))
	p.plant("password in a sentence", "Hi, the password is %s, see you.", p.some(alnum, 10))
	p.plant("password with signs", `"password": "%s"`, "a<b>&+", p.some(alnum, 6), "/=?ü")
	p.plant("passphrase of words", `passphrase = "%s"`, "copper otter ", p.some(lower, 8), " harbour")
	p.plant("Passwort", "Das Passwort lautet %s.", p.some(alnum, 11))
	p.plant("mot de passe", "mot de passe : %s", p.some(alnum, 11))
	p.plant("contraseña", "contraseña: %s", p.some(alnum, 11))
	p.plant("environment", "DB_PASS=%s", p.some(alnum, 14))
	p.plant("option", "mysql --password=%s -h db", p.some(alnum, 13))
	p.plant("yaml", "api_key: %s", p.some(alnum, 32))
	p.plant("json", `{"client_secret":"%s"}`, p.some(urlSafe, 28))
	p.plant("xml", "<accessToken>%s</accessToken>", p.some(alnum, 30))
	p.plant("key of hexadecimals", "signing_key = %s", p.some(hexes, 48))
	p.plant("curl", "curl -u admin:%s https://example.com", p.some(alnum, 12))
}

// travelling adds what stands in URLs, headers and files of keys.
func (p *planter) travelling() {
	p.plant("url", "postgres://app:%s@db.example.com/app", p.some(alnum, 16))
	p.plant("signed url", "https://files.example.com/a?sig=%s&x=1", p.some(alnum, 32))
	p.plant("reset link", "https://example.com/reset/%s", p.some(alnum, 32))
	p.plant("bearer", "Authorization: Bearer %s", p.some(alnum, 40))
	p.plant("basic", "Authorization: Basic %s", base64.StdEncoding.EncodeToString([]byte("admin:"+p.some(alnum, 18))))
	p.plant("cookie", "Cookie: session=%s", p.some(alnum, 40))
	p.plant("jwt", "jwt %s", "ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiI0MiJ9.", p.some(urlSafe, 43))
	lines := p.some(standard, 64) + "\n" + p.some(standard, 64) + "\n" + p.some(standard, 40)
	p.secrets = append(p.secrets, Secret{"private key", lines, "-----BEGIN PRI" + "VATE KEY-----\n" + lines + "\n-----END PRI" + "VATE KEY-----"})
	p.plant("random", "it said %s and ended", p.some(alnum, 44))
}

// numbers adds a code, a card and an account.
func (p *planter) numbers() {
	p.plant("code", "Your verification code is %s.", p.some("3456789", 8))
	p.plant("card", "card %s", luhn("4"+p.some(digits, 14)))
	p.plant("iban", "pay to %s", iban(p.some(digits, 18)))
}

// luhn adds the check digit of payment cards.
func luhn(number string) string {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return number + string(rune('0'+(10-sum%10)%10))
}

// iban adds country and check digits to 18 digits of a German account (ISO 7064,
// mod 97-10; D is 13, E is 14).
func iban(account string) string {
	rest := 0
	for _, c := range account + "131400" {
		rest = (rest*10 + int(c-'0')) % 97
	}
	return fmt.Sprintf("DE%02d%s", 98-rest, account)
}
