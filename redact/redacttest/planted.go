// Package redacttest has invented secrets to plant in what the daemon reads, and
// finds them again wherever they leaked to, in whatever form.
//
// Only tests use it. The secrets are made at run time, so that no scanner takes
// this repository for a leak.
package redacttest

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
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
	alnum    = lower + upper + digits
	standard = alnum + "+/"
)

// sets are what characters are drawn from.
var sets = map[string]string{"lower": lower, "digits": digits, "3 to 9": "3456789", "5 to 9": "56789", "hexes": digits + "abcdef", "small": lower + digits,
	"capitals": upper + digits, "base32": upper + "234567", "alnum": alnum, "urlsafe": alnum + "-_", "standard": standard}

//go:embed planted.txt
var planted string

// Planted returns 50 secrets of all kinds, the same at each call.
func Planted() []Secret {
	p := &planter{random: rand.New(rand.NewPCG(50, 5050))}
	for line := range strings.Lines(planted) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 3 {
			continue // a comment
		}
		for i, part := range fields[2:] {
			name, count, _ := strings.Cut(part, "*")
			if n, err := strconv.Atoi(count); err == nil {
				fields[2+i] = p.some(sets[name], n)
			}
		}
		p.plant(fields[0], fields[1], fields[2:]...)
	}
	p.plant("basic", "Authorization: Basic %s", base64.StdEncoding.EncodeToString([]byte("admin:"+p.some(alnum, 18))))
	p.plant("private key", "-----BEGIN PRI"+"VATE KEY-----\n%s\n-----END PRI"+"VATE KEY-----", p.some(standard, 64), "\n", p.some(standard, 64), "\n", p.some(standard, 40))
	p.plant("card", "card %s", luhn("4"+p.some(digits, 14)))
	p.plant("iban", "pay to %s", iban(p.some(digits, 18)))
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
