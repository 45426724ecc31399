package account

import (
	"context"
	"errors"
	"time"

	"github.com/emersion/go-imap/v2"
)

// Session is a connection that is signed in, for the time of one Do. It is for
// one goroutine.
type Session struct {
}

// Folders lists the folders of the account with their special uses, at most
// maxFolders of them, in the server's order.
func (s *Session) Folders(ctx context.Context) ([]Folder, error) {
	return nil, errors.ErrUnsupported
}

// Examine opens a folder for reading alone; what is asked afterwards is asked of
// it. Where there is no such folder the error is an ErrFolder and names those
// that there are. UIDValidity is 0 where the server has no lasting UIDs there.
func (s *Session) Examine(ctx context.Context, name string) (Opened, error) {
	return Opened{}, errors.ErrUnsupported
}

// Since returns the UIDs of the messages that the server took in on the day of t
// or later, ascending; of more than limit the newest, by UID. Days are the
// server's, so that those of a day before t may be among them.
func (s *Session) Since(ctx context.Context, t time.Time, limit int) ([]imap.UID, error) {
	return nil, errors.ErrUnsupported
}

// After returns the UIDs above uid, ascending; of more than limit the lowest, so
// that the next call goes on where this one ended.
func (s *Session) After(ctx context.Context, uid imap.UID, limit int) ([]imap.UID, error) {
	return nil, errors.ErrUnsupported
}

// Messages reads messages from their beginning, of each at most so many bytes,
// and hands them to yield one by one, in no set order. A message that is gone is
// left out. Received is zero where the server knows no date. An error of yield
// ends it and is returned as it is; the session can be used on.
func (s *Session) Messages(ctx context.Context, uids []imap.UID, bytes int, yield func(Raw) error) error {
	return errors.ErrUnsupported
}

// Headers is Messages of a few header fields alone: Message-ID, In-Reply-To,
// References, From, To, Cc, Subject, Date, at most 16 KiB of them.
func (s *Session) Headers(ctx context.Context, uids []imap.UID, yield func(Raw) error) error {
	return errors.ErrUnsupported
}

// Flags returns the flags of those of the messages that are there. Where ModSeq,
// Messages and UIDNext of a folder are what they were, and ModSeq is not 0, it
// need not be called: nothing has changed.
func (s *Session) Flags(ctx context.Context, uids []imap.UID) (map[imap.UID]Flags, error) {
	return nil, errors.ErrUnsupported
}
