package mailtest

import (
	"time"

	"github.com/emersion/go-imap/v2"
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
	// Flags are the messages of a folder with their flags, in order, without \Recent.
	Flags(folder string) map[imap.UID][]imap.Flag
}

var _ Mailbox = (*Box)(nil)
