package mail

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config configures one mail account.
type Config struct {
	ID         string           `mapstructure:"id" about:"A short name, unique among the accounts."`
	Host       string           `mapstructure:"host" about:"The name of the IMAP server, such as imap.example.com."`
	Port       int              `mapstructure:"port" about:"Its port; 0 or left out: 993 with tls, 143 with the others."`
	Security   account.Security `mapstructure:"security" about:"How the connection is protected: tls (the default), starttls, or none, which is for a server on this machine alone."`
	CAFile     string           `mapstructure:"ca_file" path:"secret" about:"A PEM file of the authority that signed the server's certificate; empty: those of the system."`
	User       string           `mapstructure:"user" about:"The name to sign in with, mostly the mail address."`
	Password   secret.Ref       `mapstructure:"password" about:"the password, mostly an app password"`
	OAuth      *oauth.Config    `mapstructure:"oauth" about:"How to sign in by the browser, instead of a password: subconsciousctl auth mail ID."`
	Addresses  []string         `mapstructure:"addresses" about:"Your own addresses, to tell what is written to you; left out: user."`
	AuthservID string           `mapstructure:"authserv_id" about:"The name under which your mail server writes what it found of a sender's address (Authentication-Results); left out: it is learnt from your mail."`
	Folders    []string         `mapstructure:"folders" about:"The folders that are looked at, as the server writes them; left out: INBOX."`
	Sent       string           `mapstructure:"sent" about:"The folder of what you sent; left out: the one that the server marks so, or is usually called so; none: it is not looked at."`
	LookBack   time.Duration    `mapstructure:"look_back" about:"How old a message may be that the first collect reports: 1h to 2160h; 0s or left out: 336h, which is 14 days."`
	Idle       *bool            `mapstructure:"idle" about:"Whether the server is asked to say when mail comes; false: it is seen at the next tick. Left out: true."`
	Click      string           `mapstructure:"click" about:"What a message on the phone opens when it is tapped: an address with {id} where the letter's Message-ID belongs. Left out: nothing."`
}

const (
	maxFolders   = 20
	maxAddresses = 50
	// maxName bounds names of hosts, folders, users and what else is one line.
	maxName = 255

	defaultLookBack = 14 * 24 * time.Hour
	minLookBack     = time.Hour
	maxLookBack     = 90 * 24 * time.Hour
)

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Validate returns what is wrong, each error beginning with the key.
func (c Config) Validate() error {
	var f senses.Faults
	f.Where(!idPattern.MatchString(c.ID), "id: %q must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit", c.ID)
	c.validateServer(&f)
	c.validateSignIn(&f)
	c.validateAddresses(&f)
	c.validateFolders(&f)
	f.Where(!line(c.AuthservID) || strings.ContainsAny(c.AuthservID, " ;=()\""), "authserv_id: %q is no name of a server; write it as it begins the header Authentication-Results of your mail, such as mx.example.com", c.AuthservID)
	f.Where(c.LookBack != 0 && (c.LookBack < minLookBack || c.LookBack > maxLookBack), "look_back: %v must lie between 1h and 2160h (90 days); leave it out for 14 days", c.LookBack)
	return errors.Join(append(f, senses.CheckClick(c.Click))...)
}

// Opens is the address at which an observation of the account is opened, "" for
// none: what has no Message-ID of its own goes by a hash, under which nobody finds it.
func (c Config) Opens(o subconscious.Observation) string {
	id := strings.TrimPrefix(o.ID, prefix)
	at := strings.LastIndexByte(id, '@')
	if at < 0 || o.Sense != Name || o.Instance != c.ID {
		return ""
	}
	domain, _, _ := strings.Cut(id[at:], "#") // what the sense derives of it
	return senses.Click(c.Click, id[:at]+domain)
}

func (c Config) validateServer(f *senses.Faults) {
	none := c.Security == account.None
	_, noAddress := netip.ParseAddr(c.Host)
	named := !strings.Contains(c.Host, "://") && !strings.ContainsAny(c.Host, "/@ ") && line(c.Host)
	f.Where(c.Host == "", "host: is missing; give the name of the IMAP server, such as imap.example.com")
	f.Where(!named, "host: %q is no name of a server; write it as imap.example.com", c.Host)
	f.Where(named && strings.Contains(c.Host, ":") && noAddress != nil, "host: %q holds a port; write the name alone, and the port under port", c.Host)
	f.Where(c.Port < 0 || c.Port > 65535, "port: %d is none; use 1 to 65535, or leave it out", c.Port)
	f.Where(!none && c.Security != "" && c.Security != account.TLS && c.Security != account.StartTLS, "security: %q is unknown; use tls, starttls or none", c.Security)
	f.Where(none && c.Host != "" && !own.Loopback(c.Host), "security: none would send password and mail in the clear to %s; it is for a server on this machine alone: use tls or starttls", c.Host)
	f.Where(none && c.CAFile != "", "ca_file: is of no use with security none; remove one of them")
	f.Where(!line(c.CAFile), "ca_file: %q is no path; give that of a PEM file", c.CAFile)
}

func (c Config) validateSignIn(f *senses.Faults) {
	f.Where(c.User == "" || !line(c.User), "user: %q must be the name to sign in with, mostly the mail address", c.User)
	*f = append(*f, c.Password.Wrong("password", "password", "MAIL_PASSWORD", "subconscious/mail")...)
	passwords := len(c.Password.Names())
	if c.OAuth == nil {
		f.Where(passwords == 0, "password_file: no way to sign in is named; set one of password_env, password_file, password_keyring, password_credential or oauth")
		return
	}
	f.Where(passwords > 0, "oauth: stands beside a password; keep one way to sign in")
	for _, wrong := range c.OAuth.Wrong() {
		f.Add("oauth.%w", wrong)
	}
}

func (c Config) validateAddresses(f *senses.Faults) {
	if len(c.Addresses) > maxAddresses {
		f.Add("addresses: %d are more than the %d that are looked for", len(c.Addresses), maxAddresses)
		return
	}
	f.Where(len(c.Addresses) == 0 && c.User != "" && !isMailAddress(c.User), "addresses: is missing, and user %q is no mail address; name those that people write to you under", c.User)
	seen := map[string]bool{}
	for i, address := range c.Addresses {
		folded := strings.ToLower(address)
		f.Where(!isMailAddress(address), "addresses[%d]: %q is not a mail address; write it as name@example.com", i, address)
		f.Where(seen[folded], "addresses[%d]: %q is there twice", i, address)
		seen[folded] = true
	}
}

func (c Config) validateFolders(f *senses.Faults) {
	f.Where(len(c.Folders) > maxFolders, "folders: %d are more than the %d of one account", len(c.Folders), maxFolders)
	seen := map[string]bool{}
	for i, folder := range c.Folders {
		name := folderKey(folder)
		f.Where(strings.TrimSpace(folder) == "" || !line(folder), "folders[%d]: %q must be the name of a folder, as the server writes it", i, folder)
		f.Where(seen[name], "folders[%d]: %q is there twice", i, folder)
		seen[name] = true
	}
	f.Where(!line(c.Sent), "sent: %q must be the name of a folder, or none", c.Sent)
	f.Where(c.Sent != "" && (seen[folderKey(c.Sent)] || len(c.Folders) == 0 && folderKey(c.Sent) == inbox),
		"sent: %q is also among the folders that mail arrives in; name it in one place", c.Sent)
}

// inbox is the one folder that every account has, in whatever case.
const inbox = "INBOX"

// folderKey returns what tells folders apart.
func folderKey(name string) string {
	if strings.EqualFold(name, inbox) {
		return inbox
	}
	return name
}

// line reports whether text can stand in a line of a protocol.
func line(text string) bool {
	return len(text) <= maxName && !strings.ContainsFunc(text, unicode.IsControl)
}

func isMailAddress(text string) bool {
	at := strings.LastIndexByte(text, '@')
	return at > 0 && at < len(text)-1 && line(text) && !strings.ContainsAny(text, " <>,;\"")
}
