package dovecot

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
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
	b.server.t.Helper()
	c, err := imapclient.DialInsecure(b.server.Addr(), nil)
	if err != nil {
		b.server.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	err = c.Login(b.user.Name, b.user.Password).Wait()
	if err == nil && folder != "" {
		_, err = c.Select(folder, &imap.SelectOptions{ReadOnly: readOnly}).Wait()
	}
	if err == nil {
		err = f(c)
	}
	if err == nil {
		err = c.Logout().Wait()
	}
	if err != nil {
		b.server.t.Fatalf("in folder %q of %s: %v", folder, b.user.Name, err)
	}
}

// Deliver puts a message into a folder by APPEND, which can say when it arrived.
func (b *Box) Deliver(folder string, raw []byte, at time.Time, flags ...imap.Flag) imap.UID {
	b.server.t.Helper()
	var uid imap.UID
	b.do("", false, func(c *imapclient.Client) error {
		w := c.Append(folder, int64(len(raw)), &imap.AppendOptions{Time: at, Flags: flags})
		_, err := w.Write(raw)
		if err := errors.Join(err, w.Close()); err != nil {
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
	before := b.files(folder)
	indexes, err := filepath.Glob(filepath.Join(b.folder(folder), "dovecot.index*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(indexes, b.uidList(folder)) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	b.Flags(folder) // it is numbered when it is opened
	b.server.kick()
	after := b.files(folder)
	numbers := map[imap.UID]imap.UID{}
	for file, uid := range before {
		if now, there := after[file]; there { // else it was expunged
			numbers[uid] = now
		}
	}
	return numbers
}

// uidList is the file in which Dovecot keeps the numbers of a folder.
func (b *Box) uidList(folder string) string {
	return filepath.Join(b.folder(folder), "dovecot-uidlist")
}

// files are a folder's messages by the names of their files, without flags.
func (b *Box) files(folder string) map[string]imap.UID {
	b.server.t.Helper()
	list, err := os.ReadFile(b.uidList(folder))
	if err != nil {
		b.server.t.Fatalf("folder %q of %s is not numbered: %v", folder, b.user.Name, err)
	}
	files := map[string]imap.UID{}
	// Behind a heading there is a line a message: "UID keys :file", and flags after a second colon.
	for _, m := range regexp.MustCompile(`(?m)^(\d+) [^:]*:([^:\n]+)`).FindAllStringSubmatch(string(list[bytes.IndexByte(list, '\n'):]), -1) {
		uid, _ := strconv.ParseUint(m[1], 10, 32) // digits
		files[m[2]] = imap.UID(uid)
	}
	return files
}

// folder is where a folder's messages are, as maildir++ has it.
func (b *Box) folder(name string) string {
	home := filepath.Join(b.server.settings.Folder, "mail", b.user.Name)
	if strings.EqualFold(name, "INBOX") {
		return home
	}
	return filepath.Join(home, "."+strings.ReplaceAll(name, "/", "."))
}

// kick ends the processes of all who are signed in, and waits for their end.
func (s *Server) kick() {
	s.t.Helper()
	run := func(arguments ...string) string {
		out, err := exec.Command("doveadm", append([]string{"-c", s.path("dovecot.conf")}, arguments...)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "no users kicked") {
			s.t.Fatalf("doveadm %v: %v: %s", arguments, err, out)
		}
		return string(out)
	}
	testutil.Until(s.t, "everybody is signed out", func() bool {
		run("kick", "*")
		return strings.Count(run("who", "-1"), "\n") <= 1 // its heading
	})
}
