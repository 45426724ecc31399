package mail

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

const (
	maxFolders   = 20
	maxAddresses = 50
	// maxName bounds names of hosts, folders, users and what else is one line.
	maxName = 255

	defaultLookBack = 14 * 24 * time.Hour
	minLookBack     = time.Hour
	maxLookBack     = 90 * 24 * time.Hour
)

var (
	idPattern       = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Validate returns what is wrong, each error beginning with the key.
func (c Config) Validate() error {
	errs := []error{c.validateServer(), c.validateSignIn(), c.validateAddresses(), c.validateFolders()}
	if !idPattern.MatchString(c.ID) {
		errs = slices.Insert(errs, 0, fmt.Errorf("id: %q must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit", c.ID))
	}
	if c.LookBack != 0 && (c.LookBack < minLookBack || c.LookBack > maxLookBack) {
		errs = append(errs, fmt.Errorf("look_back: %v must lie between 1h and 2160h (90 days); leave it out for 14 days", c.LookBack))
	}
	return errors.Join(errs...)
}

func (c Config) validateServer() error {
	var errs []error
	switch {
	case c.Host == "":
		errs = append(errs, errors.New("host: is missing; give the name of the IMAP server, such as imap.example.com"))
	case strings.Contains(c.Host, "://") || strings.ContainsAny(c.Host, "/@ ") || !line(c.Host):
		errs = append(errs, fmt.Errorf("host: %q is no name of a server; write it as imap.example.com", c.Host))
	case strings.Contains(c.Host, ":") && !isAddress(c.Host):
		errs = append(errs, fmt.Errorf("host: %q holds a port; write the name alone, and the port under port", c.Host))
	}
	if c.Port < 0 || c.Port > 65535 {
		errs = append(errs, fmt.Errorf("port: %d is none; use 1 to 65535, or leave it out", c.Port))
	}
	switch c.Security {
	case "", account.TLS, account.StartTLS:
	case account.None:
		if c.Host != "" && !loopback(c.Host) {
			errs = append(errs, fmt.Errorf("security: none would send password and mail in the clear to %s; it is for a server on this machine alone: use tls or starttls", c.Host))
		}
		if c.CAFile != "" {
			errs = append(errs, errors.New("ca_file: is of no use with security none; remove one of them"))
		}
	default:
		errs = append(errs, fmt.Errorf("security: %q is unknown; use tls, starttls or none", c.Security))
	}
	if c.CAFile != "" && !line(c.CAFile) {
		errs = append(errs, fmt.Errorf("ca_file: %q is no path; give that of a PEM file", c.CAFile))
	}
	return errors.Join(errs...)
}

func (c Config) validateSignIn() error {
	var errs []error
	if c.User == "" || !line(c.User) {
		errs = append(errs, fmt.Errorf("user: %q must be the name to sign in with, mostly the mail address", c.User))
	}
	passwords, wrong := references("password", c.PasswordEnv, c.PasswordFile, c.PasswordKeyring, c.PasswordCredential)
	errs = append(errs, wrong)
	switch {
	case len(passwords) == 0 && c.OAuth == nil:
		errs = append(errs, errors.New("password_file: no way to sign in is named; set one of password_env, password_file, password_keyring, password_credential or oauth"))
	case len(passwords) > 0 && c.OAuth != nil:
		errs = append(errs, fmt.Errorf("oauth: stands beside %s; keep one way to sign in", passwords[0]))
	}
	if c.OAuth != nil {
		errs = append(errs, prefixed("oauth.", c.OAuth.Validate()))
	}
	return errors.Join(errs...)
}

// Validate returns what is wrong, each error beginning with the key.
func (o OAuth) Validate() error {
	var errs []error
	switch o.Provider {
	case "google", "microsoft":
		if o.AuthURL != "" || o.TokenURL != "" {
			errs = append(errs, fmt.Errorf("provider: %s has addresses of its own; remove auth_url and token_url, or use custom", o.Provider))
		}
	case "custom":
		errs = append(errs, endpoint("auth_url", o.AuthURL), endpoint("token_url", o.TokenURL))
		if len(o.Scopes) == 0 {
			errs = append(errs, errors.New("scopes: is missing; name what the provider calls the right to read mail over IMAP"))
		}
	default:
		errs = append(errs, fmt.Errorf("provider: %q is unknown; use google, microsoft or custom", o.Provider))
	}
	switch o.Mechanism {
	case "", "oauthbearer", "xoauth2":
	default:
		errs = append(errs, fmt.Errorf("mechanism: %q is unknown; use oauthbearer or xoauth2, or leave it out", o.Mechanism))
	}
	if o.ClientID == "" || !line(o.ClientID) {
		errs = append(errs, errors.New("client_id: is missing; give that of the application you registered with the provider"))
	}
	for i, scope := range o.Scopes {
		if scope == "" || !line(scope) || strings.ContainsAny(scope, " \"\\") || i == 20 {
			errs = append(errs, fmt.Errorf("scopes[%d]: %.40q is none; give one scope an entry, at most 20", i, scope))
			break
		}
	}
	_, wrong := references("client_secret", o.ClientSecretEnv, o.ClientSecretFile, o.ClientSecretKeyring, o.ClientSecretCredential)
	return errors.Join(append(errs, wrong)...)
}

// references returns the keys of a secret that are set.
func references(key, env, file, keyring, credential string) (set []string, wrong error) {
	var errs []error
	for _, r := range [...]struct{ key, value string }{
		{key + "_env", env}, {key + "_file", file}, {key + "_keyring", keyring}, {key + "_credential", credential},
	} {
		if r.value == "" {
			continue
		}
		set = append(set, r.key)
		// The value is not shown: a secret may have been pasted there.
		switch {
		case !line(r.value):
			errs = append(errs, fmt.Errorf("%s: must be one line that says where the secret is", r.key))
		case r.value == env && !variablePattern.MatchString(env):
			errs = append(errs, fmt.Errorf("%s: must be the name of a variable, not the secret itself", r.key))
		case r.value == keyring && !isKeyring(keyring):
			errs = append(errs, fmt.Errorf("%s: must be SERVICE/USER", r.key))
		case r.value == credential && strings.ContainsAny(credential, "/ "):
			errs = append(errs, fmt.Errorf("%s: must be the name of a credential of systemd", r.key))
		}
	}
	if len(set) > 1 {
		errs = append(errs, fmt.Errorf("%s: stands beside %s; keep one of them", set[1], set[0]))
	}
	return set, errors.Join(errs...)
}

func isKeyring(entry string) bool {
	service, user, ok := strings.Cut(entry, "/")
	return ok && service != "" && user != ""
}

func endpoint(key, address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return fmt.Errorf("%s: is missing; a custom provider needs it", key)
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%s: %.80q is no address; write it as https://example.com/authorize", key, address)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return fmt.Errorf("%s: must begin with https://, for what goes there signs in to your mail", key)
	}
	return nil
}

func (c Config) validateAddresses() error {
	if len(c.Addresses) > maxAddresses {
		return fmt.Errorf("addresses: %d are more than the %d that are looked for", len(c.Addresses), maxAddresses)
	}
	if len(c.Addresses) == 0 && c.User != "" && !isMailAddress(c.User) {
		return fmt.Errorf("addresses: is missing, and user %q is no mail address; name those that people write to you under", c.User)
	}
	var errs []error
	seen := map[string]bool{}
	for i, address := range c.Addresses {
		switch folded := strings.ToLower(address); {
		case !isMailAddress(address):
			errs = append(errs, fmt.Errorf("addresses[%d]: %q is not a mail address; write it as name@example.com", i, address))
		case seen[folded]:
			errs = append(errs, fmt.Errorf("addresses[%d]: %q is there twice", i, address))
		default:
			seen[folded] = true
		}
	}
	return errors.Join(errs...)
}

func (c Config) validateFolders() error {
	var errs []error
	if len(c.Folders) > maxFolders {
		errs = append(errs, fmt.Errorf("folders: %d are more than the %d of one account", len(c.Folders), maxFolders))
	}
	seen := map[string]bool{}
	for i, folder := range c.Folders {
		switch name := folderKey(folder); {
		case strings.TrimSpace(folder) == "" || !line(folder):
			errs = append(errs, fmt.Errorf("folders[%d]: %q must be the name of a folder, as the server writes it", i, folder))
		case seen[name]:
			errs = append(errs, fmt.Errorf("folders[%d]: %q is there twice", i, folder))
		default:
			seen[name] = true
		}
	}
	switch {
	case c.Sent == "":
	case !line(c.Sent):
		errs = append(errs, fmt.Errorf("sent: %q must be the name of a folder, or none", c.Sent))
	case seen[folderKey(c.Sent)] || len(c.Folders) == 0 && folderKey(c.Sent) == inbox:
		errs = append(errs, fmt.Errorf("sent: %q is also among the folders that mail arrives in; name it in one place", c.Sent))
	}
	return errors.Join(errs...)
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

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// loopback reports whether host is this machine, by its name alone.
func loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// prefixed puts the key of the whole before the keys of its parts.
func prefixed(key string, err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, err := range joined.Unwrap() {
			errs = append(errs, prefixed(key, err))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("%s%w", key, err)
}
