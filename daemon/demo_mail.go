package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/mail"
	"path"
	"strconv"
	"strings"
	"time"

	sense "github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// The person of the demo, and the variable that their password is in.
const (
	demoAddress     = "sam@example.com"
	demoPassword    = "sample"
	demoPasswordEnv = "SUBCONSCIOUS_DEMO_PASSWORD"
)

// demoMailbox is the sample mailbox, served by this process over IMAP as a
// provider would.
type demoMailbox struct {
	server  *mailtest.Server
	address *net.TCPAddr
}

// serveDemoMail begins to serve the sample mails on a free loopback port.
func serveDemoMail(now time.Time) (*demoMailbox, error) {
	m := &demoMailbox{server: mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: demoAddress, Password: demoPassword}}})}
	box := m.server.User(demoAddress)
	for _, folder := range [...]struct{ dir, name string }{{"inbox", "INBOX"}, {"sent", "Sent"}} {
		if err := deliverSamples(box, "demo/mail/"+folder.dir, folder.name, now); err != nil {
			return nil, err
		}
	}
	listening, err := m.server.Listen()
	if err != nil {
		return nil, fmt.Errorf("serve the demo's mailbox: %w", err)
	}
	m.address, _ = listening.(*net.TCPAddr)
	return m, nil
}

// deliverSamples puts the mails of a folder of samples into one of the mailbox.
func deliverSamples(box *mailtest.Box, dir, folder string, now time.Time) error {
	mails, err := fs.ReadDir(samples, dir)
	if err != nil {
		return err
	}
	for _, entry := range mails {
		data, err := samples.ReadFile(path.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		text, err := dated(string(data), now)
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name(), err)
		}
		message, err := mail.ReadMessage(strings.NewReader(text))
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name(), err)
		}
		at, err := message.Header.Date()
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name(), err)
		}
		box.Deliver(folder, []byte(strings.ReplaceAll(text, "\n", "\r\n")), at)
	}
	return nil
}

// config is the account as a configuration has it.
func (m *demoMailbox) config() sense.Config {
	return sense.Config{ID: "sample", Host: m.address.IP.String(), Port: m.address.Port, Security: account.None, User: demoAddress, PasswordEnv: demoPasswordEnv}
}

// where says how a mail program reaches the mailbox.
func (m *demoMailbox) where() string {
	return "IMAP at " + net.JoinHostPort(m.address.IP.String(), strconv.Itoa(m.address.Port)) + ", user " + demoAddress + ", password " + demoPassword
}

// env adds the mailbox's password to an environment.
func (m *demoMailbox) env(base func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == demoPasswordEnv {
			return demoPassword, true
		}
		return base(name)
	}
}

// close ends the server, and adds its trouble to that of the demo.
func (m *demoMailbox) close(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stepWithin)
	defer cancel()
	return errors.Join(err, m.server.Close(ctx))
}
