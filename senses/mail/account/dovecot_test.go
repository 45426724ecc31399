package account_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest/dovecot"
)

// real are options of an account of a Dovecot.
func real(t *testing.T, server *dovecot.Server, address string, security account.Security) account.Options {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return account.Options{Name: "home", Host: host, Port: number, Security: security, RootCAs: server.Authority.Pool,
		User: ines, Password: known(password), Idle: true}
}

func TestDovecot(t *testing.T) {
	t.Parallel()
	server := dovecot.Start(t, mailtest.User{Name: ines, Password: password})
	box := server.User(ines)
	for i := range 30 {
		box.Deliver("INBOX", message(i), arrival(i))
	}
	box.SetFlags("INBOX", 3, imap.FlagSeen, imap.FlagAnswered, "$Junk")
	box.Expunge("INBOX", 30)
	box.Create("Rechnungen März & Co")
	before := fmt.Sprint(box.Flags("INBOX"))
	for security, address := range map[account.Security]string{
		account.TLS: server.AddrTLS(), account.StartTLS: server.Addr(), account.None: server.Addr(),
	} {
		t.Run(string(security), func(t *testing.T) {
			a := open(t, real(t, server, address, security))
			do(t, a, func(s *account.Session) error {
				readsReal(t, s)
				return nil
			})
		})
	}
	if after := fmt.Sprint(box.Flags("INBOX")); after != before {
		t.Errorf("flags were %s and are %s", before, after)
	}
	o := real(t, server, server.AddrTLS(), account.TLS)
	o.Password = known("wrong-" + password)
	says(t, open(t, o).Do(t.Context(), nothing), account.ErrSignIn)
}

func readsReal(t *testing.T, s *account.Session) {
	t.Helper()
	opened, err := s.Examine(t.Context(), "INBOX")
	if err != nil || opened.Messages != 29 || opened.UIDNext != 31 || opened.UIDValidity == 0 || opened.ModSeq == 0 {
		t.Fatalf("opened: %+v, %v", opened, err)
	}
	all, err := read(t.Context(), s)
	if err != nil || len(all) != 29 {
		t.Fatalf("%d messages, %v", len(all), err)
	}
	for uid, raw := range all {
		if i := int(uid) - 1; !bytes.Equal(raw.Body, message(i)) || !raw.Received.Equal(arrival(i)) || raw.Size != int64(len(message(i))) {
			t.Errorf("message %d: %+v", uid, raw)
		}
	}
	if f := all[3].Flags; f != (account.Flags{Seen: true, Answered: true, Junk: true}) {
		t.Errorf("flags: %+v", f)
	}
	if uids, err := s.After(t.Context(), 29, 10); err != nil || len(uids) != 0 {
		t.Errorf("after the last: %v, %v", uids, err)
	}
	if uids, err := s.Since(t.Context(), arrival(29).AddDate(0, 0, 5), 10); err != nil || len(uids) != 0 {
		t.Errorf("since the future: %v, %v", uids, err)
	}
	if uids, err := s.Since(t.Context(), arrival(0), 3); err != nil || fmt.Sprint(uids) != "[27 28 29]" {
		t.Errorf("the newest: %v, %v", uids, err)
	}
	err = s.Headers(t.Context(), []imap.UID{4, 30}, func(raw account.Raw) error {
		if raw.UID != 4 || !bytes.Contains(raw.Body, []byte("Subject: Message 3\r\n")) {
			t.Errorf("headers: %+v", raw)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := s.Examine(t.Context(), "Rechnungen März & Co"); err != nil {
		t.Error(err)
	}
	if _, err := s.Examine(t.Context(), "Nowhere"); !errors.Is(err, account.ErrFolder) {
		t.Error(err)
	}
}

func TestDovecotHints(t *testing.T) {
	t.Parallel()
	server := dovecot.Start(t, mailtest.User{Name: ines, Password: password})
	box := server.User(ines)
	a := open(t, real(t, server, server.AddrTLS(), account.TLS))
	hints := a.Hints()
	await := func(what string) {
		t.Helper()
		select {
		case <-hints:
		case <-time.After(time.Minute):
			t.Fatalf("%s: no hint", what)
		}
	}
	collect := func(want int) {
		t.Helper()
		do(t, a, func(s *account.Session) error {
			all, err := read(t.Context(), s)
			if len(all) != want {
				t.Errorf("%d messages, want %d", len(all), want)
			}
			return err
		})
	}
	collect(0)
	box.Deliver("INBOX", message(1), time.Now())
	await("arrival")
	collect(1)
	server.Down()
	says(t, a.Do(t.Context(), nothing), nil, "cannot be reached")
	server.Up()
	await("it came back")
	box.Deliver("INBOX", message(2), time.Now())
	await("arrival after it came back")
	collect(2)
}
