package initial

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
)

// The ways in which a mail account can be signed in to.
const (
	byFile     = "file"
	byTyping   = "type it"
	byKeyring  = "keyring"
	byVariable = "variable"
	byBrowser  = "browser"
	without    = "without"
)

// ringService is the keyring's service below which passwords are kept.
const ringService = "subconscious"

// ringWithin bounds how long the keyring may take: one that is locked asks the
// person.
const ringWithin = time.Minute

// mailKey is the name under which a password that was typed is kept.
func (s *session) mailKey() string { return "mail-" + s.mail.ID }

// howToSignIn asks how the account is signed in to. It leaves no account where
// the person wants none.
func (s *session) howToSignIn(ctx context.Context, known mailHost) error {
	var choices []Choice
	if !known.only {
		choices = append(choices, Choice{byTyping, "the password; it is not shown, and kept in a file that you alone can read: " + s.homely(s.keyFile(s.mailKey()))})
		if s.ring() {
			choices = append(choices, Choice{byKeyring, "the password; it is not shown, and kept in the keyring of this session"})
		}
		choices = append(choices, Choice{byFile, "you name a file that the password is in"}, Choice{byVariable, "you name a variable that the password is in"})
	}
	if known.oauth != "" {
		choices = append(choices, Choice{byBrowser, "without a password, with a client of your own"})
	}
	choices = append(choices, Choice{without, "no mail for now"})
	i, err := s.ask(ctx, "How shall it be signed in to?", choices, 0)
	if err != nil {
		return err
	}
	way := choices[i].Name
	done := false
	switch way {
	case byTyping, byKeyring:
		done, err = s.typePassword(ctx, known, way == byKeyring)
	case byFile:
		done, err = s.typeReference(ctx, "The path of the file, whose first line is the password (chmod 600)", func(text string) {
			s.mail.PasswordFile = absolute(s.underHome(text))
		})
	case byVariable:
		done, err = s.typeReference(ctx, "The name of the variable", func(text string) { s.mail.PasswordEnv = strings.TrimPrefix(text, "$") })
	case byBrowser:
		done, err = s.typeClient(ctx, known)
	}
	if err != nil {
		return err
	}
	if !done {
		s.mail = nil
		s.say("No mail is read for now.")
	}
	return nil
}

// ring reports whether there seems to be a keyring.
func (s *session) ring() bool {
	bus, _ := s.Env("DBUS_SESSION_BUS_ADDRESS")
	return runtime.GOOS == "darwin" || bus != ""
}

// underHome writes a leading "~" out.
func (s *session) underHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, set := s.Env("HOME"); set {
			return home + "/" + rest
		}
	}
	return path
}

// typePassword takes a password without showing it; it is kept at the end.
func (s *session) typePassword(ctx context.Context, known mailHost, inRing bool) (bool, error) {
	password, err := s.person.Secret(ctx, "The password of "+s.mail.User)
	if password = strings.TrimSpace(password); err != nil || password == "" {
		return false, err
	}
	if known.spaced {
		password = strings.ReplaceAll(password, " ", "")
	}
	s.keepTyped(s.mailKey(), password)
	s.ringed = inRing
	s.mail.PasswordEnv = typed(s.mailKey())
	return true, nil
}

// keepTyped remembers what was typed until it is in its place.
func (s *session) keepTyped(name, text string) {
	if s.plan.keys == nil {
		s.plan.keys = map[string]string{}
	}
	s.plan.keys[name] = text
}

// typeAgain takes the password anew, where it was typed.
func (s *session) typeAgain(ctx context.Context) error {
	if _, was := s.plan.keys[s.mailKey()]; !was {
		return nil
	}
	known, _ := mailHostOf(domainOf(s.Mail.Address))
	_, err := s.typePassword(ctx, known, s.ringed)
	return err
}

// forgetMailKey forgets what was typed for an account that is not wanted.
func (s *session) forgetMailKey() {
	for name := range s.plan.keys {
		if strings.HasPrefix(name, "mail-") {
			delete(s.plan.keys, name)
		}
	}
}

// typeReference takes the place of a password, until it can be one; nothing
// typed is none.
func (s *session) typeReference(ctx context.Context, question string, set func(string)) (bool, error) {
	for {
		text, err := s.person.Text(ctx, question+", or Enter for none", "")
		if err != nil || text == "" {
			return false, err
		}
		before := *s.mail
		set(text)
		if err := s.mail.Validate(); err != nil {
			s.say("✗ %v", err)
			*s.mail = before
			continue
		}
		return true, nil
	}
}

// typeClient takes the client by which one signs in by the browser. The sign-in
// itself follows when the configuration is written.
func (s *session) typeClient(ctx context.Context, known mailHost) (bool, error) {
	for {
		id, err := s.person.Text(ctx, "The id of the client, or Enter for none", "")
		if err != nil || id == "" {
			return false, err
		}
		s.mail.OAuth = &mail.OAuth{Provider: known.oauth, ClientID: id}
		if err := errors.Join(s.mail.Validate(), setup.MailSignIn(*s.mail, "", nil).Config.Validate()); err != nil {
			s.say("✗ %v", err)
			continue
		}
		break
	}
	if known.oauth != oauth.Google {
		return true, nil
	}
	text, err := s.person.Secret(ctx, "The secret of the client, or Enter for none")
	if err != nil {
		return false, err
	}
	if text = strings.TrimSpace(text); text != "" {
		s.keepTyped(s.mailKey()+"-client", text)
		s.mail.OAuth.ClientSecretEnv = typed(s.mailKey() + "-client")
	}
	return true, nil
}

// placeMail names where what was typed will be.
func (s *session) placeMail() {
	if s.mail == nil {
		return
	}
	key := s.mailKey()
	if s.mail.PasswordEnv == typed(key) {
		s.mail.PasswordEnv = ""
		if s.ringed {
			s.mail.PasswordKeyring = ringService + "/" + key
		} else {
			s.mail.PasswordFile = s.keyFile(key)
		}
	}
	if o := s.mail.OAuth; o != nil && o.ClientSecretEnv == typed(key+"-client") {
		o.ClientSecretEnv, o.ClientSecretFile = "", s.keyFile(key+"-client")
	}
}

// fillRing puts the password into the keyring, where that was chosen, so that no
// file is written of it.
func (s *session) fillRing(ctx context.Context) error {
	if s.mail == nil || !s.ringed || s.plan.keys[s.mailKey()] == "" {
		return nil
	}
	ctx, done := context.WithTimeoutCause(ctx, ringWithin, fmt.Errorf("the keyring does not answer within %s; unlock it, or choose a file", ringWithin))
	defer done()
	kept := make(chan error, 1)
	// The library has no contexts: one that does not answer is left behind.
	go func() { kept <- keyring.Set(ringService, s.mailKey(), s.plan.keys[s.mailKey()]) }()
	select {
	case err := <-kept:
		if err != nil {
			return fmt.Errorf("keep the password in the keyring: %w; choose a file instead", err)
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	delete(s.plan.keys, s.mailKey())
	return nil
}
