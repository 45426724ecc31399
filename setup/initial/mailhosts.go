package initial

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/setup/live"
)

// mailHost is a provider of mail, an item of mailhosts.yaml.
type mailHost struct {
	Title   string
	Domains []string
	Host    string
	// Local: one signs in with what stands before the "@".
	Local bool
	// Needs is what a person has to do first.
	Needs string
	// OAuth is the provider to sign in at by the browser; Only: passwords are not
	// taken.
	OAuth string `yaml:"oauth"`
	Only  bool
	// Spaced: it shows its passwords in groups, which are not part of them.
	Spaced bool
}

//go:embed mailhosts.yaml
var mailHostsText []byte

// mailHosts are the providers that are known.
var mailHosts = sync.OnceValue(func() (all []mailHost) {
	if err := yaml.Unmarshal(mailHostsText, &all); err != nil {
		panic(err) // it is shipped, and in a test
	}
	return all
})

// mailHostOf is the provider of a domain; not ok where it is not known.
func mailHostOf(domain string) (mailHost, bool) {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	for _, h := range mailHosts() {
		for _, d := range h.Domains {
			name, any := strings.CutSuffix(d, "*")
			rest, fits := strings.CutPrefix(domain, name)
			if d == domain || any && fits && rest != "" && strings.Count(rest, ".") <= 1 {
				return h, true
			}
		}
	}
	return mailHost{}, false
}

const (
	imapPort = "993"
	// greetWithin is how long a mail server may take to say who it is, maxGreeting
	// how much it may say.
	greetWithin = 5 * time.Second
	maxGreeting = 2 << 10
)

// findMailHost tries where a mail server of a domain usually is, over TLS alone
// and with a certificate that holds, of roots or, where that is nil, the
// system's: "" where none answers.
func findMailHost(ctx context.Context, domain string, dial live.Dial, roots *x509.CertPool) string {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	ctx, done := context.WithTimeout(ctx, greetWithin)
	defer done()
	names := []string{"imap." + domain, "mail." + domain}
	answers := make([]bool, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { answers[i] = greets(ctx, name, dial, roots) })
	}
	all.Wait()
	for i, name := range names {
		if answers[i] {
			return name
		}
	}
	return ""
}

// greets reports whether an IMAP server of that name answers.
func greets(ctx context.Context, name string, dial live.Dial, roots *x509.CertPool) bool {
	raw, err := dial(ctx, "tcp", net.JoinHostPort(name, imapPort))
	if err != nil {
		return false
	}
	defer func() { _ = raw.Close() }() // what it said is all that matters
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	conn := tls.Client(raw, &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12, RootCAs: roots})
	if conn.HandshakeContext(ctx) != nil {
		return false
	}
	line, err := bufio.NewReader(io.LimitReader(conn, maxGreeting)).ReadString('\n')
	return err == nil && (strings.HasPrefix(line, "* OK") || strings.HasPrefix(line, "* PREAUTH"))
}
