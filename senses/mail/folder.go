package mail

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
)

const (
	// firstMessages is how many messages of a folder the first collect takes, the
	// newest, and againMessages how many are gone through again after a folder
	// has given its UIDs anew.
	firstMessages = 2_000
	againMessages = 20_000
	// headerBatch and bodyBatch are how many messages are asked for at once,
	// and bodyBytes how much of each.
	headerBatch = 100
	bodyBatch   = 20
	bodyBytes   = 256 << 10
	// blames is after how many collects a message is passed over that ends the
	// connection, in each of them aloneTries times when it is read alone, the
	// second time lessBytes of it.
	blames     = 2
	aloneTries = 2
	lessBytes  = 16 << 10
)

// fetched is a message as it was read.
type fetched struct {
	message.Message
	uid      imap.UID
	flags    account.Flags
	received time.Time
	place    place
	// passed and failed are what the server that is believed found of its sender;
	// unproven: there is one, and it does not say that the sender is who they say.
	passed, failed, unproven bool
}

// begin brings the state of a folder in line with how it was opened: a folder
// that was never looked at, or whose UIDs were given anew, is begun at the
// look-back.
func (l *collect) begin(ctx context.Context, session *account.Session, f *folder, opened account.Opened, since time.Time, first int) (*folder, error) {
	if f != nil && f.Validity == opened.UIDValidity && f.Validity != 0 && f.Next > 0 {
		return f, nil
	}
	l.state.Serial++ // no folder had that number before
	begun := &folder{Num: l.state.Serial, Validity: opened.UIDValidity}
	limit := againMessages
	if f.first() {
		limit = first
	} else {
		begun.Floor = f.Floor
	}
	uids, err := session.Since(ctx, since, limit)
	if err != nil {
		return nil, fmt.Errorf("search the folder %q: %w", opened.Name, err)
	}
	begun.Next = max(opened.UIDNext, 1)
	if len(uids) > 0 {
		begun.Next = uids[0]
	}
	if f.first() {
		begun.Base = opened.UIDNext
		if begun.Base == 0 && len(uids) > 0 {
			begun.Base = next(uids[len(uids)-1])
		}
		begun.Cut = len(uids) == limit
	}
	return begun, nil
}

// next is the UID behind one.
func next(uid imap.UID) imap.UID { return min(uid, maxUID-1) + 1 }

// readFolder reads what is new in a folder that mail arrives in. opened is
// how it was opened, if it is open.
func (l *collect) readFolder(ctx context.Context, session *account.Session, name string, opened account.Opened) error {
	if opened.Name == "" {
		var ok bool
		var err error
		if opened, ok, err = l.examine(ctx, session, name); err != nil || !ok {
			return err
		}
	}
	f, err := l.begin(ctx, session, l.state.Folders[name], opened, l.needed(), firstMessages)
	if err != nil {
		return err
	}
	l.state.Folders[name] = f
	if err := l.judgeSuspect(ctx, session, f); err != nil {
		return err
	}
	done, err := l.advance(ctx, session, f, opened, reading{
		header: func(m fetched) bool { return l.arrivedBefore(f, m) },
		body:   func(m fetched) { l.arrived(f, name, m) },
	})
	l.read[name] = true
	if err != nil {
		return fmt.Errorf("read the folder %q: %w", name, err)
	}
	l.unfinished = l.unfinished || !done
	return nil
}

// reading is what becomes of messages: header says of each whether its body is
// wanted as well.
type reading struct {
	header func(fetched) bool
	body   func(fetched)
}

// advance reads on in the folder that is open, as long as there is time. done
// reports whether all was read that there is.
func (l *collect) advance(ctx context.Context, session *account.Session, f *folder, opened account.Opened, r reading) (done bool, err error) {
	if l.stuck[f.Num] {
		l.say("a message could not be read; it is tried again")
		return false, nil
	}
	for {
		if opened.UIDNext > 0 && f.Next >= opened.UIDNext {
			f.Base = 0
			return true, nil
		}
		if !l.time() {
			return false, nil
		}
		uids, err := session.After(ctx, f.Next-1, headerBatch)
		if err != nil {
			return false, err
		}
		if len(uids) == 0 {
			f.Next, f.Base = max(f.Next, opened.UIDNext), 0
			return true, nil
		}
		slices.Sort(uids)
		for _, group := range l.groups(f, uids) {
			left, err := l.readGroup(ctx, session, f, group, r)
			if err != nil {
				return false, l.suspect(ctx, f, left, len(group) == 1, err)
			}
			if len(left) > 0 { // no time
				f.Next = left[0]
				return false, nil
			}
			f.Next = next(group[len(group)-1])
			if p := l.state.Suspect; p != nil && p.Num == f.Num && p.UID < f.Next {
				l.state.Suspect = nil
			}
		}
		if uids[len(uids)-1] == maxUID {
			f.Base = 0
			return true, nil
		}
	}
}

// groups splits what is to be read so that a message which may end the
// connection is read alone, and those behind it after it.
func (l *collect) groups(f *folder, uids []imap.UID) [][]imap.UID {
	p := l.state.Suspect
	if p == nil || p.Num != f.Num {
		return [][]imap.UID{uids}
	}
	i, _ := slices.BinarySearch(uids, p.UID)
	var groups [][]imap.UID
	if i > 0 {
		groups = append(groups, uids[:i])
	}
	if i < len(uids) {
		// Which one of a batch it was is not known: those after it are as well
		// taken one by one.
		for _, uid := range uids[i:min(i+bodyBatch, len(uids))] {
			groups = append(groups, []imap.UID{uid})
		}
		if rest := uids[min(i+bodyBatch, len(uids)):]; len(rest) > 0 {
			groups = append(groups, rest)
		}
	}
	return groups
}

// readGroup reads messages: their headers, and the bodies that are wanted. left
// are those that were not dealt with, the lowest first.
func (l *collect) readGroup(ctx context.Context, session *account.Session, f *folder, group []imap.UID, r reading) (left []imap.UID, err error) {
	var wanted []imap.UID
	var headers []fetched
	err = session.Headers(ctx, group, func(raw account.Raw) error {
		if m, ok := l.parse(f, raw); ok {
			headers = append(headers, m)
		} else { // what has no Message-ID has perhaps no header that was asked for
			wanted = append(wanted, raw.UID)
		}
		return nil
	})
	if err != nil {
		return group, err
	}
	slices.SortFunc(headers, byUID)
	for _, m := range headers {
		if f.Cut {
			f.Floor, f.Cut = unix(m.received), false
		}
		if r.header(m) {
			wanted = append(wanted, m.uid)
		}
	}
	slices.Sort(wanted)
	for batch := range slices.Chunk(wanted, bodyBatch) {
		if !l.time() {
			return batch, nil
		}
		done, err := l.readBodies(ctx, session, f, batch, r)
		if err != nil {
			return slices.DeleteFunc(slices.Clone(batch), func(uid imap.UID) bool { return done[uid] }), err
		}
	}
	return nil, nil
}

// readBodies reads whole messages and hands them on in the order of their UIDs,
// also those that came before an error.
func (l *collect) readBodies(ctx context.Context, session *account.Session, f *folder, uids []imap.UID, r reading) (done map[imap.UID]bool, err error) {
	done = map[imap.UID]bool{}
	var messages []fetched
	bytes := bodyBytes
	if p := l.state.Suspect; p != nil && p.Alone > 0 && p.Num == f.Num && p.UID == uids[0] {
		bytes = lessBytes
	}
	err = session.Messages(ctx, uids, bytes, func(raw account.Raw) error {
		done[raw.UID] = true
		m, ok := l.parse(f, raw)
		if !ok {
			l.unread()
			return nil
		}
		messages = append(messages, m)
		return nil
	})
	slices.SortFunc(messages, byUID)
	for _, m := range messages {
		r.body(m)
	}
	return done, err
}

func byUID(a, b fetched) int { return cmp.Compare(a.uid, b.uid) }

// parse reads a message. When it was received is never later than now, and now
// where the server does not know.
func (l *collect) parse(f *folder, raw account.Raw) (fetched, bool) {
	m, err := message.Parse(raw.Body)
	if err != nil {
		return fetched{}, false
	}
	received := raw.Received
	if received.IsZero() || received.After(l.at) {
		received = l.at
	}
	if received.Unix() < 0 {
		received = time.Unix(0, 0)
	}
	m.Junk = m.Junk || raw.Flags.Junk
	return fetched{Message: m, uid: raw.UID, flags: raw.Flags, received: received.Round(0), place: place{Num: f.Num, UID: raw.UID}}, true
}

// suspect notes at which message reading broke off, so that it is tried alone.
func (l *collect) suspect(ctx context.Context, f *folder, left []imap.UID, alone bool, err error) error {
	if len(left) == 0 {
		return err
	}
	f.Next = left[0]
	if p := l.state.Suspect; p == nil || p.Num != f.Num || p.UID != left[0] {
		l.state.Suspect = &suspect{Num: f.Num, UID: left[0]}
	}
	if alone {
		l.state.Suspect.Blamed = true
	}
	l.again = ctx.Err() == nil
	return err
}

// judgeSuspect counts a collect in which the suspect failed alone, more than once and
// while the server works otherwise; after some it is passed over.
func (l *collect) judgeSuspect(ctx context.Context, session *account.Session, f *folder) error {
	p := l.state.Suspect
	if p == nil || p.Num != f.Num || !p.Blamed {
		return nil
	}
	if _, err := session.Flags(ctx, []imap.UID{p.UID}); err != nil {
		return fmt.Errorf("see whether the server answers: %w", err)
	}
	p.Blamed = false
	if p.Alone++; p.Alone < aloneTries {
		return nil
	}
	p.Alone = 0
	if p.Tries++; p.Tries < blames {
		l.stuck[f.Num] = true
		return nil
	}
	l.options.Logger.Warn("a message cannot be read and is passed over", "sense", l.config.ID, "uid", uint32(p.UID))
	l.unread()
	f.Next = max(f.Next, next(p.UID))
	l.state.Suspect = nil
	return nil
}

func (l *collect) unread() { l.state.Unread, l.state.UnreadAt = l.state.Unread+1, unix(l.at) }
