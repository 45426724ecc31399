package mailtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// Mailbox is what happens in a mailbox behind the back of whoever reads it. A
// Box does it in memory, and one of package dovecot on a real server, so that a
// test runs on both. What cannot be done, as delivering to a folder that is not
// there, is a mistake of the caller and ends it.
type Mailbox interface {
	// Deliver puts a message into a folder; at is when the server took it in.
	Deliver(folder string, raw []byte, at time.Time, flags ...imap.Flag) imap.UID
	// Expunge removes messages for good.
	Expunge(folder string, uids ...imap.UID)
	// Move moves a message and returns its UID in the other folder.
	Move(from string, uid imap.UID, to string) imap.UID
	// SetFlags replaces the flags of a message.
	SetFlags(folder string, uid imap.UID, flags ...imap.Flag)
	// Renumber gives the folder another UIDVALIDITY and its messages other UIDs, as
	// a server does that was restored. It returns the new ones by the old.
	Renumber(folder string) map[imap.UID]imap.UID
	// Drop cuts every connection.
	Drop()
	// Flags are the messages of a folder with their flags, sorted, without \Recent.
	Flags(folder string) map[imap.UID][]imap.Flag
}

var _ Mailbox = (*Box)(nil)

// Box is the mailbox of one user. It has INBOX, Sent, Drafts, Junk, Trash and
// Archive from the beginning. Its calls panic where a folder or a message is not
// there. The server's lock guards what it holds.
type Box struct {
	server  *Server
	user    User
	folders map[string]*folder
	writes  []Write
}

// Write is an attempt of a client to change something, which was refused.
type Write struct {
	Command string // "STORE", "SELECT" (for writing), "FETCH" (without peek), …
	Folder  string // that was open or named
}

// folder is one folder of a box.
type folder struct {
	name     string
	attrs    []imap.MailboxAttr
	validity uint32
	next     imap.UID
	modseq   uint64
	messages []message // by UID
	tracker  *imapserver.MailboxTracker
}

type message struct {
	uid   imap.UID
	at    time.Time
	flags []imap.Flag   // sorted, never changed in place
	body  func() []byte // makes it, or hands out what is kept
}

func newBox(s *Server, user User) *Box {
	b := &Box{server: s, user: user, folders: map[string]*folder{}}
	b.create("INBOX")
	for _, attr := range []imap.MailboxAttr{imap.MailboxAttrSent, imap.MailboxAttrDrafts, imap.MailboxAttrJunk, imap.MailboxAttrTrash, imap.MailboxAttrArchive} {
		b.create(string(attr[1:]), attr)
	}
	return b
}

func (b *Box) create(name string, attrs ...imap.MailboxAttr) *folder {
	b.server.validities++
	f := &folder{name: name, attrs: attrs, validity: b.server.validities, next: 1, modseq: 1, tracker: imapserver.NewMailboxTracker(0)}
	b.folders[name] = f
	return f
}

// folder is the one that a client names; nil: there is none.
func (b *Box) folder(name string) *folder {
	if strings.EqualFold(name, "INBOX") {
		name = "INBOX"
	}
	return b.folders[name]
}

// change changes a folder that must be there, and tells those who wait for news.
func (b *Box) change(name string, how func(*folder)) {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f := b.folder(name)
	if f == nil {
		panic(fmt.Sprintf("mailtest: %s has no folder %q; there are %q", b.user.Name, name, slices.Sorted(maps.Keys(b.folders))))
	}
	how(f)
	for w := range b.server.wires {
		select {
		case w.news <- struct{}{}:
		default: // it is about to look
		}
	}
}

// cut cuts the connections that have a folder open.
func (b *Box) cut(f *folder) {
	for w := range b.server.wires {
		if w.session != nil && w.session.folder == f {
			w.cut()
		}
	}
}

func (f *folder) add(m message, flags []imap.Flag) imap.UID {
	f.modseq++
	m.uid, m.flags = f.next, sorted(flags)
	f.next++
	f.messages = append(f.messages, m)
	f.tracker.QueueNumMessages(uint32(len(f.messages)))
	return m.uid
}

func sorted(flags []imap.Flag) []imap.Flag {
	return slices.Compact(slices.Sorted(slices.Values(flags)))
}

// find is where a message is that must be there.
func (f *folder) find(uid imap.UID) int {
	at, ok := slices.BinarySearchFunc(f.messages, uid, byUID)
	if !ok {
		panic(fmt.Sprintf("mailtest: folder %q has no message with UID %d", f.name, uid))
	}
	return at
}

func byUID(m message, uid imap.UID) int { return cmp.Compare(m.uid, uid) }

// remove takes a message out for good.
func (f *folder) remove(uid imap.UID) message {
	at := f.find(uid)
	m := f.messages[at]
	f.modseq++
	f.tracker.QueueExpunge(uint32(at + 1))
	f.messages = slices.Delete(f.messages, at, at+1)
	return m
}

// Deliver puts a message into a folder. A zero at is now. The bytes are kept and
// must not be changed.
func (b *Box) Deliver(name string, raw []byte, at time.Time, flags ...imap.Flag) (uid imap.UID) {
	if at.IsZero() {
		at = b.server.options.Now()
	}
	b.change(name, func(f *folder) { uid = f.add(message{at: at, body: func() []byte { return raw }}, flags) })
	return uid
}

// DeliverMany puts n messages into a folder: number i arrived at(i) and is
// compose(i), made each time that it is read, and not kept, so that
// a folder of 100,000 is made at once.
func (b *Box) DeliverMany(name string, n int, at func(i int) time.Time, compose func(i int) []byte, flags ...imap.Flag) {
	b.change(name, func(f *folder) {
		for i := range n {
			f.add(message{at: at(i), body: func() []byte { return compose(i) }}, flags)
		}
	})
}

// Expunge removes messages for good.
func (b *Box) Expunge(name string, uids ...imap.UID) {
	b.change(name, func(f *folder) {
		for _, uid := range uids {
			f.remove(uid)
		}
	})
}

// Move moves a message and returns its UID in the other folder.
func (b *Box) Move(from string, uid imap.UID, to string) (moved imap.UID) {
	var m message
	b.change(from, func(f *folder) { m = f.remove(uid) })
	b.change(to, func(f *folder) { moved = f.add(m, m.flags) })
	return moved
}

// SetFlags replaces the flags of a message.
func (b *Box) SetFlags(name string, uid imap.UID, flags ...imap.Flag) {
	b.change(name, func(f *folder) {
		at := f.find(uid)
		if flags := sorted(flags); !slices.Equal(flags, f.messages[at].flags) {
			f.modseq++
			f.messages[at].flags = flags
			f.tracker.QueueMessageFlags(uint32(at+1), uid, flags, nil)
		}
	})
}

// Renumber gives the folder another UIDVALIDITY and its messages other UIDs,
// which it returns by the old ones. It cuts the connections that have it open.
func (b *Box) Renumber(name string) map[imap.UID]imap.UID {
	numbers := map[imap.UID]imap.UID{}
	b.change(name, func(f *folder) {
		anew := b.create(f.name, f.attrs...)
		for _, m := range f.messages {
			numbers[m.uid] = anew.add(m, m.flags)
		}
		b.cut(f)
	})
	return numbers
}

// Create makes a folder; attrs say what it is for. Names are nested by "/".
func (b *Box) Create(name string, attrs ...imap.MailboxAttr) {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	b.create(name, attrs...)
}

// Delete removes a folder with all that is in it, and cuts the connections that
// have it open.
func (b *Box) Delete(name string) {
	b.change(name, func(f *folder) {
		delete(b.folders, f.name)
		b.cut(f)
	})
}

// Rename gives a folder another name, and cuts the connections that have it
// open.
func (b *Box) Rename(from, to string) {
	b.change(from, func(f *folder) {
		delete(b.folders, f.name)
		f.name = to
		b.folders[to] = f
		b.cut(f)
	})
}

// Drop cuts every connection to the server.
func (b *Box) Drop() { b.server.Drop() }

// Flags are the messages of a folder with their flags.
func (b *Box) Flags(name string) map[imap.UID][]imap.Flag {
	all := map[imap.UID][]imap.Flag{}
	b.change(name, func(f *folder) {
		for _, m := range f.messages {
			all[m.uid] = slices.Clone(m.flags)
		}
	})
	return all
}

// Writes are the attempts of clients to change anything in this box: all but a
// reader's EXAMINE, SEARCH and FETCH with peek. The first 1,000 are kept.
func (b *Box) Writes() []Write {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	return slices.Clone(b.writes)
}
