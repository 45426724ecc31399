package account

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

const (
	// besides is what the answer about a message may take beside its text.
	besides = 8 << 10
	// batchBytes is about how much is asked for with one command.
	batchBytes = 2 << 20
	// batchMessages bounds the messages of one command: a line of more UIDs is
	// too long for some servers.
	batchMessages = 500
	// headerBytes is how much of a header is read.
	headerBytes = 16 << 10
)

// Messages reads messages from their beginning, of each at most size bytes,
// and hands them to yield one by one, in no set order. A message that is gone is
// left out. Received is zero where the server knows no date. An error of yield
// ends it and is returned as it is; the session can be used on.
func (s *Session) Messages(ctx context.Context, uids []imap.UID, size int, yield func(Raw) error) error {
	return s.each(ctx, uids, &imap.FetchItemBodySection{
		Peek: true, Partial: &imap.SectionPartial{Size: int64(size)},
	}, yield)
}

// Headers is Messages of a few header fields alone: Message-ID, In-Reply-To,
// References, From, To, Cc, Subject, Date, at most 16 KiB of them.
func (s *Session) Headers(ctx context.Context, uids []imap.UID, yield func(Raw) error) error {
	return s.each(ctx, uids, &imap.FetchItemBodySection{
		Specifier:    imap.PartSpecifierHeader,
		HeaderFields: []string{"Message-ID", "In-Reply-To", "References", "From", "To", "Cc", "Subject", "Date"},
		Peek:         true, Partial: &imap.SectionPartial{Size: headerBytes},
	}, yield)
}

// Flags returns the flags of those of the messages that are there. Where ModSeq,
// Messages and UIDNext of a folder are what they were, and ModSeq is not 0, it
// need not be called: nothing has changed.
func (s *Session) Flags(ctx context.Context, uids []imap.UID) (map[imap.UID]Flags, error) {
	flags := make(map[imap.UID]Flags, len(uids))
	err := s.each(ctx, uids, nil, func(raw Raw) error {
		flags[raw.UID] = raw.Flags
		return nil
	})
	return flags, err
}

// each fetches messages in batches, with a section of them or, if it is nil, with
// their flags alone.
func (s *Session) each(ctx context.Context, uids []imap.UID, section *imap.FetchItemBodySection, yield func(Raw) error) error {
	if err := s.open(); err != nil {
		return err
	}
	uids = slices.Clone(uids)
	slices.Sort(uids)
	uids = slices.Compact(uids)
	if len(uids) > 0 && uids[0] == 0 {
		uids = uids[1:]
	}
	size := int64(0)
	if section != nil {
		size = section.Partial.Size
	}
	batch := int(min(max(batchBytes/(size+besides), 1), batchMessages))
	for chunk := range slices.Chunk(uids, batch) {
		messages, err := s.fetch(ctx, chunk, section, size)
		if err != nil {
			return err
		}
		for _, raw := range messages {
			if err := yield(raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetch reads one batch to its end before anything of it is used: only then is it
// known that the server was not cut short.
func (s *Session) fetch(ctx context.Context, uids []imap.UID, section *imap.FetchItemBodySection, size int64) ([]Raw, error) {
	options := &imap.FetchOptions{UID: true, Flags: true}
	if section != nil {
		options.RFC822Size, options.InternalDate = true, !s.account.undated
		options.BodySection = []*imap.FetchItemBodySection{section}
	}
	n := int64(len(uids))
	a := allowance{bytes: n * (size + besides), literal: size}
	var messages []Raw
	before := s.conn.strays.Load()
	err := s.command(ctx, "reading messages", a, func() error {
		fetch := s.conn.client.Fetch(imap.UIDSetNum(uids...), options)
		for m := fetch.Next(); m != nil; m = fetch.Next() {
			if raw, ok := s.conn.collect(m); ok && asked(uids, raw.UID) && len(messages) < len(uids) {
				messages = append(messages, raw)
			}
		}
		return fetch.Close()
	})
	switch {
	case err == nil && len(messages) == 0 && s.conn.strays.Load() > before:
		return nil, fmt.Errorf("%s: reading messages: %w: texts before the UIDs that they belong to", s.account.options.Host, ErrBounds)
	case err != nil && options.InternalDate && strings.Contains(err.Error(), "date-time"):
		s.account.undated = true
		return nil, fmt.Errorf("%w; from now on its dates are not asked for", err)
	}
	return messages, err
}

func asked(uids []imap.UID, uid imap.UID) bool {
	_, ok := slices.BinarySearch(uids, uid)
	return ok
}

// collect reads what was answered about a message to its end.
func (c *connection) collect(m *imapclient.FetchMessageData) (Raw, bool) {
	var raw Raw
	whole := true
	for item := m.Next(); item != nil; item = m.Next() {
		switch item := item.(type) {
		case imapclient.FetchItemDataUID:
			raw.UID = item.UID
		case imapclient.FetchItemDataFlags:
			raw.Flags = flagsOf(item.Flags)
		case imapclient.FetchItemDataInternalDate:
			raw.Received = item.Time
		case imapclient.FetchItemDataRFC822Size:
			raw.Size = max(0, item.Size)
		case imapclient.FetchItemDataBodySection:
			if item.Literal == nil {
				continue
			}
			// The guard has seen to it that the size is no more than was asked for.
			size := item.Literal.Size()
			body := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
			_, err := body.ReadFrom(item.Literal)
			if whole = err == nil && int64(body.Len()) == size; !whole {
				// The connection is at its end. Next reads the rest of the text, which
				// must not be while the library's reader still does.
				<-c.client.Closed()
			}
			raw.Body = body.Bytes()
		}
	}
	return raw, whole && raw.UID != 0 && raw.Size < math.MaxInt64
}

// flagsOf are those of a server's flags that mean something here.
func flagsOf(flags []imap.Flag) Flags {
	var f Flags
	for _, flag := range flags {
		switch strings.ToLower(string(flag)) {
		case `\seen`:
			f.Seen = true
		case `\answered`:
			f.Answered = true
		case `\deleted`:
			f.Deleted = true
		case `\draft`:
			f.Draft = true
		case "$junk", "junk":
			f.Junk = true
		}
	}
	return f
}
