package dovecot

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-smtp"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// Box is the mailbox of a user. What cannot be done ends the test.
type Box struct {
	server *Server
	user   mailtest.User
}

var _ mailtest.Mailbox = (*Box)(nil)

// User is the mailbox of a user that the server was started with.
func (s *Server) User(name string) *Box {
	u, ok := s.users[name]
	if !ok {
		s.t.Fatalf("Dovecot was started without a user %q", name)
	}
	return &Box{server: s, user: u}
}

// do signs in, opens a folder ("": none), and does something.
func (b *Box) do(folder string, readOnly bool, f func(*imapclient.Client) error) {
	t := b.server.t
	t.Helper()
	if err := b.attempt(folder, readOnly, f); err != nil {
		t.Fatalf("in folder %q of %s: %v", folder, b.user.Name, err)
	}
}

func (b *Box) attempt(folder string, readOnly bool, f func(*imapclient.Client) error) error {
	c, err := imapclient.DialInsecure(b.server.Addr(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Login(b.user.Name, b.user.Password).Wait(); err != nil {
		return err
	}
	if folder != "" {
		if _, err := c.Select(folder, &imap.SelectOptions{ReadOnly: readOnly}).Wait(); err != nil {
			return err
		}
	}
	if err := f(c); err != nil {
		return err
	}
	return c.Logout().Wait()
}

// Deliver puts a message into a folder by APPEND, which can say when it arrived.
func (b *Box) Deliver(folder string, raw []byte, at time.Time, flags ...imap.Flag) imap.UID {
	b.server.t.Helper()
	var uid imap.UID
	b.do("", false, func(c *imapclient.Client) error {
		w := c.Append(folder, int64(len(raw)), &imap.AppendOptions{Time: at, Flags: flags})
		if _, err := w.Write(raw); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		data, err := w.Wait()
		if err == nil {
			uid = data.UID
		}
		return err
	})
	return uid
}

// Receive puts a message into INBOX now, by LMTP, as a mail server does.
func (b *Box) Receive(raw []byte) {
	t := b.server.t
	t.Helper()
	conn, err := net.Dial("tcp", b.server.AddrLMTP())
	if err != nil {
		t.Fatal(err)
	}
	c := smtp.NewClientLMTP(conn)
	defer func() { _ = c.Close() }()
	if err := c.SendMail("sender@example.org", []string{b.user.Name}, bytes.NewReader(raw)); err != nil {
		t.Fatalf("deliver to %s: %v", b.user.Name, err)
	}
	if err := c.Quit(); err != nil {
		t.Fatal(err)
	}
}

// Expunge removes messages for good.
func (b *Box) Expunge(folder string, uids ...imap.UID) {
	b.server.t.Helper()
	b.do(folder, false, func(c *imapclient.Client) error {
		set := imap.UIDSetNum(uids...)
		if err := c.Store(set, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}, nil).Close(); err != nil {
			return err
		}
		gone, err := c.UIDExpunge(set).Collect()
		if err == nil && len(gone) != len(uids) {
			err = fmt.Errorf("%d of the messages %v are gone", len(gone), uids)
		}
		return err
	})
}

// Move moves a message and returns its UID in the other folder.
func (b *Box) Move(from string, uid imap.UID, to string) imap.UID {
	b.server.t.Helper()
	var moved imap.UID
	b.do(from, false, func(c *imapclient.Client) error {
		data, err := c.Move(imap.UIDSetNum(uid), to).Wait()
		if err != nil {
			return err
		}
		if set, ok := data.DestUIDs.(imap.UIDSet); ok && len(set) == 1 {
			moved = set[0].Start
			return nil
		}
		return fmt.Errorf("message %d was not moved to %q", uid, to)
	})
	return moved
}

// SetFlags replaces the flags of a message.
func (b *Box) SetFlags(folder string, uid imap.UID, flags ...imap.Flag) {
	b.server.t.Helper()
	b.do(folder, false, func(c *imapclient.Client) error {
		return c.Store(imap.UIDSetNum(uid), &imap.StoreFlags{Op: imap.StoreFlagsSet, Silent: true, Flags: flags}, nil).Close()
	})
}

// Create makes a folder.
func (b *Box) Create(folder string) {
	b.server.t.Helper()
	b.do("", false, func(c *imapclient.Client) error { return c.Create(folder, nil).Wait() })
}

// Flags are the messages of a folder with their flags.
func (b *Box) Flags(folder string) map[imap.UID][]imap.Flag {
	b.server.t.Helper()
	all := map[imap.UID][]imap.Flag{}
	b.do(folder, true, func(c *imapclient.Client) error {
		found, err := c.Fetch(imap.UIDSet{{Start: 1, Stop: 0}}, &imap.FetchOptions{UID: true, Flags: true}).Collect()
		for _, m := range found {
			flags := slices.DeleteFunc(m.Flags, func(f imap.Flag) bool { return strings.EqualFold(string(f), `\Recent`) })
			slices.Sort(flags)
			all[m.UID] = flags
		}
		return err
	})
	return all
}

// Drop cuts every connection that is signed in.
func (b *Box) Drop() {
	b.server.t.Helper()
	b.server.kick()
}

// Renumber gives the folder another UIDVALIDITY and its messages other UIDs, by
// removing what Dovecot keeps of them.
func (b *Box) Renumber(folder string) map[imap.UID]imap.UID {
	t := b.server.t
	t.Helper()
	b.server.kick()
	before := b.numbers(folder)
	for _, pattern := range []string{uidList, "dovecot.index*"} {
		found, err := filepath.Glob(filepath.Join(b.folder(folder), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	b.Flags(folder) // it is numbered when it is opened
	b.server.kick()
	after := b.numbers(folder)
	numbers := map[imap.UID]imap.UID{}
	for file, uid := range before {
		if now, there := after[file]; there { // else it was expunged
			numbers[uid] = now
		}
	}
	return numbers
}

// uidList is the file in which Dovecot keeps the numbers of a folder.
const uidList = "dovecot-uidlist"

// numbers are the UIDs of a folder's messages, by their files.
func (b *Box) numbers(folder string) map[string]imap.UID {
	t := b.server.t
	t.Helper()
	list, err := os.ReadFile(filepath.Join(b.folder(folder), uidList))
	if err != nil {
		t.Fatalf("folder %q of %s is not numbered: %v", folder, b.user.Name, err)
	}
	numbers := map[string]imap.UID{}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	for _, line := range lines[1:] { // after a heading: "UID keys :file"
		number, _, _ := strings.Cut(line, " ")
		uid, err := strconv.ParseUint(number, 10, 32)
		_, file, ok := strings.Cut(line, " :")
		if err != nil || !ok {
			t.Fatalf("in %s of folder %q: %q is no message", uidList, folder, line)
		}
		file, _, _ = strings.Cut(file, ":") // what follows are flags
		numbers[file] = imap.UID(uid)
	}
	return numbers
}

// folder is where a folder's messages are, as maildir++ has it.
func (b *Box) folder(name string) string {
	home := filepath.Join(b.server.settings.Folder, "mail", b.user.Name)
	if strings.EqualFold(name, "INBOX") {
		return home
	}
	return filepath.Join(home, "."+strings.ReplaceAll(name, "/", "."))
}

// DeliverMany puts n messages into a folder as files, so that it takes 100,000
// in seconds. Its name must be ASCII.
func (b *Box) DeliverMany(folder string, n int, at func(i int) time.Time, compose func(i int) []byte) {
	t := b.server.t
	t.Helper()
	b.do(folder, true, func(*imapclient.Client) error { return nil }) // so that it is there
	into := filepath.Join(b.folder(folder), "cur")
	for i := range n {
		raw, when := compose(i), at(i)
		path := filepath.Join(into, fmt.Sprintf("%d.M%dP1.localhost,S=%d:2,S", when.Unix(), i, len(raw)))
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		b.server.own(path)
	}
}

// kick ends the processes of all who are signed in, and waits for their end.
func (s *Server) kick() {
	s.t.Helper()
	admin := filepath.Join(filepath.Dir(s.program), "doveadm")
	if found, err := exec.LookPath("doveadm"); err == nil {
		admin = found
	}
	run := func(arguments ...string) string {
		out, err := exec.Command(admin, append([]string{"-c", s.path("dovecot.conf")}, arguments...)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "no users kicked") {
			s.t.Fatalf("doveadm %v: %v: %s", arguments, err, out)
		}
		return string(out)
	}
	deadline := time.Now().Add(endTime)
	for time.Now().Before(deadline) {
		run("kick", "*")
		if strings.Count(run("who", "-1"), "\n") <= 1 { // its heading
			return
		}
		<-time.After(between)
	}
	s.t.Fatalf("somebody stayed signed in for %s", endTime)
}
