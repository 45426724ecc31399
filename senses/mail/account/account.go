// Package account is one mail account over IMAP: it signs in, opens folders,
// reads messages and waits for news. It changes nothing on the server, and
// whatever the server sends is bounded in bytes, nesting and time.
//
// It stores nothing. senses/mail calls it; setup's doctor and init to see
// whether an account can be signed in to.
package account

import (
	"context"
	"errors"
	"fmt"
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

// patience is how long the server may say nothing where it has to answer.
const patience = 20 * time.Second

// Account is one account, with one connection at most, which is kept from one Do
// to the next. It may be used by many at once; they wait for each other.
type Account struct {
	options Options
	hints   chan struct{}
}

// New makes an account. It connects to nothing.
func New(options Options) (*Account, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("mail account: %w", err)
	}
	return &Account{options: options, hints: make(chan struct{}, 1)}, nil
}

// Do runs f with a session that is signed in, and waits for whoever else does.
// A connection that has ended since the last time is replaced; if that shows
// only at its first answer, f is run a second time from its beginning. The end of
// ctx closes the connection at once.
func (a *Account) Do(ctx context.Context, f func(*Session) error) error {
	return errors.ErrUnsupported
}

// Hints receives when something in IdleFolder may have changed, once for any
// number of changes, if Options.Idle is set and the server has IDLE. From its
// first call on a connection is kept waiting between calls of Do, and made again
// when it breaks, which may take minutes. It is never closed.
func (a *Account) Hints() <-chan struct{} { return a.hints }

// Stop signs out, closes the connection, and waits for all that was started,
// no longer than ctx. Do returns ErrStopped from then on.
func (a *Account) Stop(ctx context.Context) error { return nil }
