package dovecot_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest/dovecot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ines     = "ines@example.com"
	password = "a-password"
)

var morning = time.Date(2026, 3, 10, 8, 30, 0, 0, time.UTC)

func message(n int) []byte {
	return mailtest.Compose(mailtest.Message{From: "omar@example.org", To: []string{ines}, Subject: fmt.Sprintf("Message %d", n), Text: "Hello.\n", Date: morning})
}

// client is signed in.
func client(t *testing.T, address string) *imapclient.Client {
	t.Helper()
	c, err := imapclient.DialInsecure(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Login(ines, password).Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestMailbox has the same happen in a real mailbox and in one of mailtest, and
// a client see the same.
func TestMailbox(t *testing.T) {
	real := dovecot.Start(t, mailtest.User{Name: ines, Password: password})
	fake := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: ines, Password: password}}})
	defer func() { _ = fake.Close(t.Context()) }()
	addr, err := fake.Listen()
	if err != nil {
		t.Fatal(err)
	}
	var seen [2][]string
	for i, c := range []struct {
		box     mailtest.Mailbox
		address string
	}{{real.User(ines), real.Addr()}, {fake.User(ines), addr.String()}} {
		seen[i] = happen(t, c.box, c.address)
	}
	if !reflect.DeepEqual(seen[0], seen[1]) {
		t.Errorf("Dovecot: %q\nmailtest: %q", seen[0], seen[1])
	}
}

func happen(t *testing.T, box mailtest.Mailbox, address string) []string {
	var seen []string
	say := func(format string, a ...any) { seen = append(seen, fmt.Sprintf(format, a...)) }
	for n := range 5 {
		say("delivered as %d", box.Deliver("INBOX", message(n), morning.AddDate(0, 0, n), imap.FlagFlagged))
	}
	box.Expunge("INBOX", 2)
	say("moved to %d", box.Move("INBOX", 1, "Archive"))
	box.SetFlags("INBOX", 3, imap.FlagSeen)
	say("flags %v %v", box.Flags("INBOX"), box.Flags("Archive"))

	c := client(t, address)
	open := func(c *imapclient.Client) *imap.SelectData {
		data, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true, CondStore: true}).Wait()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before := open(c)
	say("%d messages, next is %d, mod-sequences %v", before.NumMessages, before.UIDNext, before.HighestModSeq > 0)
	box.SetFlags("INBOX", 4, imap.FlagSeen, imap.FlagAnswered)
	found, searchErr := c.UIDSearch(&imap.SearchCriteria{UID: []imap.UIDSet{{{Start: 1}}}, Since: morning.AddDate(0, 0, 3)}, nil).Wait()
	if searchErr != nil {
		t.Fatal(searchErr)
	}
	say("since the third day: %v", found.AllUIDs())
	dated, err := c.Fetch(imap.UIDSetNum(5), &imap.FetchOptions{UID: true, InternalDate: true, RFC822Size: true}).Collect()
	if err != nil || len(dated) != 1 {
		t.Fatal(dated, err)
	}
	say("arrived %s, %d bytes", dated[0].InternalDate.UTC(), dated[0].RFC822Size)

	box.Drop()
	say("cut: %v", c.Noop().Wait() != nil)
	say("new numbers %v", box.Renumber("INBOX"))
	after := open(client(t, address))
	say("%d messages, numbered anew: %v, next is %d", after.NumMessages, after.UIDValidity != before.UIDValidity, after.UIDNext)
	say("flags %v", box.Flags("INBOX"))
	return seen
}
