package mailtest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
)

// Options says what a server is like.
type Options struct {
	// Users have a mailbox each; at least one.
	Users []User
	// Now is the clock of arrivals without a date; nil: time.Now.
	Now func() time.Time
	// TLS is the server's certificate. With it Listen and Dial offer STARTTLS and
	// allow nobody to sign in before; nil: they serve in the clear, and there is no
	// ListenTLS and DialTLS.
	TLS *tls.Config
	// Without are the capabilities that the server does not have: "CONDSTORE",
	// "IDLE", "SPECIAL-USE", "ESEARCH", "MOVE", "UIDPLUS", "ENABLE". Empty: it has
	// them all.
	Without []imap.Cap
	// Mechanisms to sign in with; empty: PLAIN, OAUTHBEARER and XOAUTH2. LOGIN is
	// always there, for users with a password.
	Mechanisms []string
}

// User is somebody with a mailbox.
type User struct {
	Name     string // "ines@example.com"
	Password string // of LOGIN and PLAIN; empty: they are refused
	Token    string // of OAUTHBEARER and XOAUTH2; empty: they are refused
}

// canLack are the capabilities that Options.Without may name.
func canLack() []imap.Cap {
	return []imap.Cap{imap.CapCondStore, imap.CapIdle, imap.CapSpecialUse, imap.CapESearch, imap.CapMove, imap.CapUIDPlus, imap.CapEnable}
}

func (o Options) validate() error {
	if len(o.Users) == 0 {
		return errors.New("there is no user: name at least one")
	}
	seen := map[string]bool{}
	for _, u := range o.Users {
		if u.Name == "" || seen[u.Name] {
			return fmt.Errorf("user %q: each needs a name of its own", u.Name)
		}
		seen[u.Name] = true
	}
	for _, c := range o.Without {
		if !slices.Contains(canLack(), c) {
			return fmt.Errorf("a server without %q is not known here: it can lack %v", c, canLack())
		}
	}
	for _, m := range o.Mechanisms {
		if !slices.Contains(mechanisms(), m) {
			return fmt.Errorf("mechanism %q is not known here: there are %v", m, mechanisms())
		}
	}
	return nil
}

// mechanisms are those that there are.
func mechanisms() []string { return []string{"PLAIN", "OAUTHBEARER", "XOAUTH2"} }

func (o Options) has(c imap.Cap) bool { return !slices.Contains(o.Without, c) }
