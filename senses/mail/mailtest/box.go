package mailtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
)

// Box is the mailbox of one user. It has INBOX, Sent, Drafts, Junk, Trash and
// Archive from the beginning. Its calls panic where a folder or a message is not
// there.
type Box struct {
	server  *Server
	name    string
	folders map[string]*folder // guarded by the server's lock
	writes  []Write
}

// Write is an attempt of a client to change something, refused or not.
type Write struct {
	Command string // "STORE", "SELECT" (for writing), "FETCH" (without peek), …
	Folder  string // that was open or named
}

func newBox(s *Server, name string) *Box {
	b := &Box{server: s, name: name, folders: map[string]*folder{}}
	for folder, attr := range map[string]imap.MailboxAttr{"INBOX": "", "Sent": imap.MailboxAttrSent, "Drafts": imap.MailboxAttrDrafts,
		"Junk": imap.MailboxAttrJunk, "Trash": imap.MailboxAttrTrash, "Archive": imap.MailboxAttrArchive} {
		b.create(folder, attr)
	}
	return b
}

// key is a folder's name as it is compared.
func key(name string) string {
	if strings.EqualFold(name, "INBOX") {
		return "INBOX"
	}
	return name
}

func (b *Box) create(name string, attrs ...imap.MailboxAttr) {
	f := &folder{name: key(name), validity: b.server.validity(), next: 1, modseq: 1}
	for _, a := range attrs {
		if a != "" {
			f.attrs = append(f.attrs, a)
		}
	}
	b.folders[f.name] = f
}

// folder is one that must be there. The lock is held.
func (b *Box) folder(name string) *folder {
	f := b.folders[key(name)]
	if f == nil {
		panic(fmt.Sprintf("mailtest: %s has no folder %q; there are %q", b.name, name, slices.Sorted(maps.Keys(b.folders))))
	}
	return f
}

// message is one that must be there. The lock is held.
func (b *Box) message(name string, uid imap.UID) (*folder, *message) {
	f := b.folder(name)
	at, ok := f.find(uid)
	if !ok {
		panic(fmt.Sprintf("mailtest: folder %q of %s has no message with UID %d", name, b.name, uid))
	}
	return f, f.messages[at]
}

// Deliver puts a message into a folder and tells those who wait for news. A zero
// at is now. The bytes are kept and must not be changed.
func (b *Box) Deliver(name string, raw []byte, at time.Time, flags ...imap.Flag) imap.UID {
	if at.IsZero() {
		at = b.server.now()
	}
	defer b.server.tell()
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	return b.folder(name).add(&message{at: at, flags: canonical(flags), raw: raw, size: int64(len(raw))})
}

// DeliverMany puts n messages into a folder: number i arrived at(i) and is
// compose(i), made each time that it is read, and not kept, so that
// a folder of 100,000 is made at once.
func (b *Box) DeliverMany(name string, n int, at func(i int) time.Time, compose func(i int) []byte, flags ...imap.Flag) {
	flags = canonical(flags)
	made := make([]message, n)
	for i := range made {
		made[i] = message{at: at(i), flags: flags, many: compose, number: i}
	}
	defer b.server.tell()
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f := b.folder(name)
	f.messages = slices.Grow(f.messages, n)
	for i := range made {
		f.add(&made[i])
	}
}

// Expunge removes messages for good.
func (b *Box) Expunge(name string, uids ...imap.UID) {
	defer b.server.tell()
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	for _, uid := range uids {
		b.message(name, uid)
	}
	b.folder(name).remove(uids)
}

// Move moves a message and returns its UID in the other folder.
func (b *Box) Move(from string, uid imap.UID, to string) imap.UID {
	defer b.server.tell()
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f, m := b.message(from, uid)
	moved := b.folder(to).add(m.copyOf())
	f.remove([]imap.UID{uid})
	return moved
}

// SetFlags replaces the flags of a message.
func (b *Box) SetFlags(name string, uid imap.UID, flags ...imap.Flag) {
	defer b.server.tell()
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f, m := b.message(name, uid)
	f.setFlags(m, flags)
}

// Renumber gives the folder another UIDVALIDITY and its messages other UIDs,
// which it returns by the old ones. It cuts the connections that have it open.
func (b *Box) Renumber(name string) map[imap.UID]imap.UID {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f := b.folder(name)
	old := f.messages
	*f = folder{name: f.name, attrs: f.attrs, validity: b.server.validity(), next: 1, modseq: 1, messages: make([]*message, 0, len(old))}
	numbers := map[imap.UID]imap.UID{}
	for _, m := range old {
		numbers[m.uid] = f.add(m.copyOf())
	}
	b.server.cutViews(f)
	return numbers
}

// Create makes a folder; attrs say what it is for. Names are nested by "/".
func (b *Box) Create(name string, attrs ...imap.MailboxAttr) {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	if b.folders[key(name)] != nil {
		panic(fmt.Sprintf("mailtest: %s has a folder %q already", b.name, name))
	}
	b.create(name, attrs...)
}

// Delete removes a folder with all that is in it, and cuts the connections that
// have it open.
func (b *Box) Delete(name string) {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f := b.folder(name)
	delete(b.folders, f.name)
	b.server.cutViews(f)
}

// Rename gives a folder another name, and cuts the connections that have it
// open.
func (b *Box) Rename(from, to string) {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	f := b.folder(from)
	if b.folders[key(to)] != nil {
		panic(fmt.Sprintf("mailtest: %s has a folder %q already", b.name, to))
	}
	delete(b.folders, f.name)
	f.name = key(to)
	b.folders[f.name] = f
	b.server.cutViews(f)
}

// Drop cuts every connection to the server.
func (b *Box) Drop() { b.server.Drop() }

// Flags are the messages of a folder with their flags.
func (b *Box) Flags(name string) map[imap.UID][]imap.Flag {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	all := map[imap.UID][]imap.Flag{}
	for _, m := range b.folder(name).messages {
		all[m.uid] = slices.Clone(m.flags)
	}
	return all
}

// Writes are the attempts of clients to change anything in this box, the refused
// ones included: all but a reader's EXAMINE, SEARCH and FETCH with peek. The first
// 1,000 are kept.
func (b *Box) Writes() []Write {
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	return slices.Clone(b.writes)
}
