package initial

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// mailHost is a provider of mail: where its IMAP server is, always over TLS at
// port 993, and how it lets programs in.
type mailHost struct {
	title   string
	domains []string // "yahoo.*" is that name under any ending
	host    string
	// local: one signs in with what stands before the "@".
	local bool
	// needs is what a person has to do first.
	needs string
	// oauth is the provider to sign in at by the browser; only: passwords are not
	// taken.
	oauth string
	only  bool
	// spaced: it shows its passwords in groups, which are not part of them.
	spaced bool
}

const appPassword = "It wants an app password: one that you make in its settings for this program alone"

// mailHosts are the providers with the names that their servers customarily have.
// Whether one holds shows when the account is signed in to, before anything is
// written.
var mailHosts = []mailHost{
	{title: "Gmail", domains: []string{"gmail.com", "googlemail.com"}, host: "imap.gmail.com", oauth: oauth.Google, spaced: true,
		needs: appPassword + ", with 2-Step Verification on: https://myaccount.google.com/apppasswords\nOr sign in by the browser, with a client of your own: https://console.cloud.google.com/apis/credentials (type: desktop app)."},
	{title: "Outlook", domains: []string{"outlook.*", "hotmail.*", "live.*", "msn.com"}, host: "outlook.office365.com", oauth: oauth.Microsoft, only: true,
		needs: "It takes no passwords of programs: one signs in by the browser, with a client of your own that you register at https://entra.microsoft.com (app registrations; platform: mobile and desktop, http://localhost; public client flows allowed)."},
	{title: "iCloud", domains: []string{"icloud.com", "me.com", "mac.com"}, host: "imap.mail.me.com", local: true,
		needs: "It wants an app-specific password: https://account.apple.com (sign-in and security)."},
	{title: "Fastmail", domains: []string{"fastmail.com", "fastmail.fm"}, host: "imap.fastmail.com",
		needs: appPassword + ", with access to mail: https://app.fastmail.com/settings/security"},
	{title: "GMX", domains: []string{"gmx.net", "gmx.de", "gmx.at", "gmx.ch"}, host: "imap.gmx.net",
		needs: "IMAP has to be switched on in its settings (POP3/IMAP). With two-factor authentication it wants an app password."},
	{title: "GMX", domains: []string{"gmx.*"}, host: "imap.gmx.com",
		needs: "IMAP has to be switched on in its settings (POP3 & IMAP)."},
	{title: "WEB.DE", domains: []string{"web.de"}, host: "imap.web.de",
		needs: "IMAP has to be switched on in its settings (POP3/IMAP). With two-factor authentication it wants an app password."},
	{title: "Posteo", domains: []string{"posteo.*"}, host: "posteo.de", needs: "It takes the password of the account."},
	{title: "mailbox.org", domains: []string{"mailbox.org"}, host: "imap.mailbox.org",
		needs: "It takes the password of the account; with two-factor authentication, one made for programs."},
	{title: "Yahoo", domains: []string{"yahoo.*", "ymail.com", "rocketmail.com"}, host: "imap.mail.yahoo.com",
		needs: appPassword + ": https://login.yahoo.com/account/security"},
	{title: "AOL", domains: []string{"aol.*"}, host: "imap.aol.com", needs: appPassword + ": https://login.aol.com/account/security"},
	{title: "Zoho", domains: []string{"zoho.eu", "zohomail.eu"}, host: "imap.zoho.eu",
		needs: "IMAP has to be switched on in its settings. With two-factor authentication it wants an app password."},
	{title: "Zoho", domains: []string{"zoho.com", "zohomail.com"}, host: "imap.zoho.com",
		needs: "IMAP has to be switched on in its settings. With two-factor authentication it wants an app password."},
	{title: "Orange", domains: []string{"orange.fr", "wanadoo.fr"}, host: "imap.orange.fr", needs: "It takes the password of the mailbox."},
	{title: "Free", domains: []string{"free.fr"}, host: "imap.free.fr", needs: "It takes the password of the mailbox."},
	{title: "T-Online", domains: []string{"t-online.de", "magenta.de"}, host: "secureimap.t-online.de",
		needs: "It wants the password for mail programs, which is set apart from that of the account in its settings."},
}

// mailHostOf is the provider of a domain; not ok where it is not known.
func mailHostOf(domain string) (mailHost, bool) {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	for _, h := range mailHosts {
		for _, d := range h.domains {
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
