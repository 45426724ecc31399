// Package account is one mail account over IMAP: it signs in, opens folders,
// reads messages and waits for news. It changes nothing on the server, and
// whatever the server sends is bounded in bytes, nesting and time.
//
// It stores nothing. senses/mail calls it; setup's doctor and init to see
// whether an account can be signed in to.
package account

import (
	"time"

	"github.com/emersion/go-imap/v2"
)

// Security is how the connection is protected.
type Security string

const (
	TLS      Security = "tls"
	StartTLS Security = "starttls"
	None     Security = "none" // on loopback alone
)

// Folder is one folder of the account.
type Folder struct {
	Name  string
	Attrs []imap.MailboxAttr
}

// Opened is a folder as EXAMINE found it.
type Opened struct {
	Name        string
	UIDValidity uint32
	UIDNext     imap.UID // 0 where the server does not say
	Messages    uint32
	// ModSeq is HIGHESTMODSEQ, 0 where the server has no CONDSTORE.
	ModSeq uint64
}

// Flags are those of a message that mean something here.
type Flags struct {
	Seen, Answered, Deleted, Draft, Junk bool
}

// Raw is a message as it was read.
type Raw struct {
	UID      imap.UID
	Flags    Flags
	Received time.Time // INTERNALDATE
	Size     int64     // of the whole
	// Body is the beginning of the whole message, or of its header.
	Body []byte
}
