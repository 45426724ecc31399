package calendar

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config configures one calendar file, the file at one address, or the calendars
// of one account.
type Config struct {
	ID        string             `mapstructure:"id" about:"A short name, unique among the calendars."`
	ICS       string             `mapstructure:"ics" path:"file" about:"The path of an iCalendar file (.ics), at most 16 MiB."`
	URL       string             `mapstructure:"url" about:"In place of a path, the address of an iCalendar file: https or webcal."`
	SecretURL secret.Ref         `mapstructure:"secret_url" about:"an address that is itself a secret, in place of url"`
	CalDAV    string             `mapstructure:"caldav" about:"In place of a path, an account on a CalDAV server: its address, or your mail address, by which it is looked for."`
	Google    string             `mapstructure:"google" about:"In place of a path, a Google account: its mail address. It is signed in to by oauth."`
	OAuth     *oauth.Config      `mapstructure:"oauth" about:"How a Google account is signed in to, by the browser: subconsciousctl auth google."`
	User      string             `mapstructure:"user" about:"The name to sign in with, where the server wants one."`
	Password  secret.Ref         `mapstructure:"password" about:"the password, mostly an app password"`
	CAFile    string             `mapstructure:"ca_file" path:"secret" about:"A PEM file of the authority that signed the server's certificate; empty: those of the system."`
	Calendars []string           `mapstructure:"calendars" about:"The calendars of the account that are looked at, as they are called there; left out: all."`
	Addresses []string           `mapstructure:"addresses" about:"Your mail addresses, to tell which of those invited is you."`
	Trust     subconscious.Trust `mapstructure:"trust" about:"Whose word the calendar is: owner, machine, agent or outsider (the default)."`
	Click     string             `mapstructure:"click" about:"What a message on the phone opens when it is tapped: an address with {id} where the event's UID belongs. Left out: nothing."`
}

// Remote reports whether the events come from a server, by a Source.
func (c Config) Remote() bool { return strings.TrimSpace(c.ICS) == "" }

// Validate returns what is wrong, each error beginning with the key.
func (c Config) Validate() error {
	var f senses.Faults
	f.Where(strings.TrimSpace(c.ID) == "", "id: is missing; give the calendar a short name such as home")
	c.validatePlace(&f)
	for i, address := range c.Addresses {
		at := strings.IndexByte(address, '@')
		f.Where(at <= 0 || at == len(address)-1 || strings.ContainsAny(address, " \t<>"), "addresses[%d]: %q is not a mail address; write it as name@example.com", i, address)
	}
	f.Where(!slices.Contains([]subconscious.Trust{"", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider}, c.Trust),
		"trust: %q is unknown; use owner, machine, agent or outsider", c.Trust)
	return errors.Join(append(f, senses.CheckClick(c.Click))...)
}

// validatePlace checks where the calendar is, and how to get in.
func (c Config) validatePlace(f *senses.Faults) {
	places := slices.DeleteFunc([]string{strings.TrimSpace(c.ICS), c.URL, c.SecretURL.String(), c.CalDAV, c.Google}, func(place string) bool { return place == "" })
	f.Where(len(places) == 0, "ics: is missing; give the path of an .ics file, or an address under url, caldav or google")
	f.Where(len(places) > 1, "ics: more than one place is named (ics, url, secret_url, caldav, google); keep one of them")
	f.Where(strings.ContainsRune(c.ICS, 0), "ics: holds a zero byte; give the path of an .ics file")
	f.Where(strings.Contains(c.ICS, "://"), "ics: %q is an address; write it under url", c.ICS)
	if c.URL != "" {
		f.Where(!Address(c.URL), "url: is no address that can be asked; write it as https://example.org/club.ics (http is for this machine alone)")
	}
	*f = append(*f, c.SecretURL.Wrong("secret_url", "address", "CALENDAR_URL", "subconscious/calendar")...)
	if c.CalDAV != "" && (!strings.Contains(c.CalDAV, "@") || strings.Contains(c.CalDAV, "://")) {
		f.Where(!Address(c.CalDAV), "caldav: is no address that can be asked; write it as https://caldav.example.com, or your mail address (http is for this machine alone)")
	}
	passwords := c.Password.Names()
	*f = append(*f, c.Password.Wrong("password", "password", "CALENDAR_PASSWORD", "subconscious/calendar")...)
	f.Where(c.CalDAV != "" && c.User == "", "user: is missing; write the name that the account is signed in to with")
	f.Where(c.CalDAV != "" && len(passwords) == 0, "password_file: no way to sign in is named; set one of password_env, password_file, password_keyring or password_credential")
	f.Where(c.User == "" != (len(passwords) == 0) && c.CalDAV == "", "user: a user and a password belong together; set both, or neither")
	f.Where(c.CalDAV == "" && c.Google == "" && len(c.Calendars) > 0, "calendars: is for an account under caldav or google; remove it")
	f.Where(c.Google != "" && !strings.Contains(c.Google, "@"), "google: %q is not a mail address; write that of the account", c.Google)
	f.Where(c.Google == "" != (c.OAuth == nil), "oauth: a Google account and an oauth belong together; set both, or neither")
	if c.OAuth != nil {
		f.Where(c.OAuth.Provider == oauth.Microsoft, "oauth.provider: microsoft has no Google account; use google")
		for _, wrong := range c.OAuth.Wrong() {
			f.Add("oauth.%w", wrong)
		}
	}
}

// Address reports whether an address may be asked: https or webcal, and http for
// this machine alone. Who is asked is not written into it.
func Address(text string) bool {
	at, err := url.Parse(text)
	if err != nil || at.Hostname() == "" || at.User != nil || at.Opaque != "" {
		return false
	}
	return at.Scheme == "https" || at.Scheme == "webcal" || at.Scheme == "webcals" || at.Scheme == "http" && own.Loopback(at.Hostname())
}

// Opens is the address at which an event of the calendar is opened, "" for none:
// one without a UID has none of its own.
func (c Config) Opens(o subconscious.Observation) string {
	id := o.ID[:max(0, strings.LastIndexByte(o.ID, '/'))]
	if o.Sense != senseName || o.Instance != c.ID || strings.HasPrefix(id, noUID) || strings.HasPrefix(id, longUID) {
		return ""
	}
	return senses.Click(c.Click, id)
}
