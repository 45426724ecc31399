package setup

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

const (
	// The usual ports of IMAP, and how far the first collect goes back.
	portTLS, portOther = 993, 143
	lookBack           = 14 * 24 * time.Hour
)

// securities are how a connection to a mail server can be protected.
var securities = []string{string(account.TLS), string(account.StartTLS), string(account.None)}

// fillMail sets what items of a list have no defaults for, and whose they are.
func fillMail(config *Config) {
	for i := range config.Senses.Mail {
		c := &config.Senses.Mail[i]
		if c.Security == "" {
			c.Security = account.TLS
		}
		if c.Port == 0 {
			c.Port = portOther
			if c.Security == account.TLS {
				c.Port = portTLS
			}
		}
		if c.LookBack == 0 {
			c.LookBack = lookBack
		}
		if own := config.Person.Addresses; len(c.Addresses) == 0 && len(own) > 0 {
			c.Addresses = slices.Clone(own)
			if strings.Contains(c.User, "@") && !slices.Contains(own, c.User) {
				c.Addresses = append(c.Addresses, c.User)
			}
		}
	}
	for i := range config.Senses.Calendar {
		if c := &config.Senses.Calendar[i]; len(c.Addresses) == 0 {
			c.Addresses = config.Person.Addresses
		}
	}
}

// MailSignIn is how tokens of an account are had, and where its sign-in is kept
// below the state folder. The account has an OAuth.
func MailSignIn(c mail.Config, stateDir string, env func(string) (string, bool)) oauth.Options {
	return oauth.Options{
		Config:  *c.OAuth,
		Path:    oauth.Path(stateDir, mail.Name, c.ID),
		Command: "subconsciousctl auth mail " + c.ID,
		Env:     env,
	}
}

// CalendarSignIn is the same of a calendar, that of a Google account.
func CalendarSignIn(c calendar.Config, stateDir string, env func(string) (string, bool)) oauth.Options {
	return oauth.Options{
		Config:    *c.OAuth,
		Path:      oauth.Path(stateDir, "calendar", c.ID),
		Calendars: true,
		Command:   "subconsciousctl auth google " + c.ID,
		Env:       env,
	}
}
