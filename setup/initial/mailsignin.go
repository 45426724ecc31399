package initial

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/mail"
)

// without is the answer of who wants no mail.
const without = "without"

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
	var menu []option
	if !known.Only {
		menu = append(menu, option{"type it", "the password; it is not shown, and kept in a file that you alone can read: " + s.homely(s.keyFile(s.mailKey())),
			func() error { return s.typePassword(ctx, known, false) }})
		if s.ring() {
			menu = append(menu, option{"keyring", "the password; it is not shown, and kept in the keyring of this session", func() error { return s.typePassword(ctx, known, true) }})
		}
		menu = append(menu, option{"file", "you name a file that the password is in", func() error {
			return s.typeReference(ctx, "The path of the file, whose first line is the password (chmod 600)", func(c *mail.Config, text string) { c.Password.File = absolute(s.underHome(text)) })
		}}, option{"variable", "you name a variable that the password is in", func() error {
			return s.typeReference(ctx, "The name of the variable", func(c *mail.Config, text string) { c.Password.Env = strings.TrimPrefix(text, "$") })
		}})
	}
	if known.OAuth != "" {
		menu = append(menu, option{"browser", "without a password, with a client of your own", func() error { return s.typeClient(ctx, known) }})
	}
	menu = append(menu, option{without, "no mail for now", nil})
	if err := s.pick(ctx, "How shall it be signed in to?", 0, menu...); err != nil {
		return err
	}
	if !s.signsIn() {
		s.mail = nil
		s.say("No mail is read for now.")
	}
	return nil
}

// signsIn reports whether it is known how the account is signed in to.
func (s *session) signsIn() bool {
	return s.mail.Password != (secret.Ref{}) || s.mail.OAuth != nil
}

// ring reports whether there seems to be a keyring.
func (s *session) ring() bool {
	bus, _ := s.Env("DBUS_SESSION_BUS_ADDRESS")
	return runtime.GOOS == "darwin" || bus != ""
}

// underHome writes a leading "~" out.
func (s *session) underHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, set := s.Env("HOME"); set {
			return home + rest
		}
	}
	return path
}

// typePassword takes a password without showing it; it is kept at the end.
func (s *session) typePassword(ctx context.Context, known mailHost, inRing bool) error {
	password, err := s.person.Secret(ctx, "The password of "+s.mail.User)
	if password = strings.TrimSpace(password); err != nil || password == "" {
		return err
	}
	if known.Spaced {
		password = strings.ReplaceAll(password, " ", "")
	}
	s.keepTyped(s.mailKey(), password)
	s.ringed = inRing
	s.mail.Password.Env = typed(s.mailKey())
	return nil
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
	return s.typePassword(ctx, known, s.ringed)
}

// typeReference takes the place of a password, until it can be one; nothing
// typed is none.
func (s *session) typeReference(ctx context.Context, question string, set func(c *mail.Config, text string)) error {
	_, err := s.typeUntil(ctx, question+", or Enter for none", "", func(text string) error {
		return s.change(func(c *mail.Config) { set(c, text) })
	})
	return err
}

// typeClient takes the client by which one signs in by the browser. The sign-in
// itself follows when the configuration is written.
func (s *session) typeClient(ctx context.Context, known mailHost) error {
	id, err := s.typeUntil(ctx, "The id of the client, or Enter for none", "", func(id string) error {
		return s.change(func(c *mail.Config) { c.OAuth = &oauth.Config{Provider: known.OAuth, ClientID: id} })
	})
	if err != nil || id == "" {
		return err
	}
	if known.OAuth != oauth.Google {
		return nil
	}
	text, err := s.person.Secret(ctx, "The secret of the client, or Enter for none")
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text != "" {
		s.keepTyped(s.mailKey()+"-client", text)
		s.mail.OAuth.Secret.Env = typed(s.mailKey() + "-client")
	}
	return nil
}

// fillRing puts the password into the keyring, where that was chosen, so that no
// file is written of it.
func (s *session) fillRing(ctx context.Context) error {
	if s.mail == nil || !s.ringed || s.plan.keys[s.mailKey()] == "" {
		return nil
	}
	ctx, done := context.WithTimeoutCause(ctx, ringWithin, fmt.Errorf("the keyring does not answer within %s; unlock it, or choose a file", ringWithin))
	defer done()
	err := secret.Keep(ctx, ringService, s.mailKey(), s.plan.keys[s.mailKey()])
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("keep the password in the keyring: %w; choose a file instead", err)
	}
	if err == nil {
		delete(s.plan.keys, s.mailKey())
	}
	return err
}
