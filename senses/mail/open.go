package mail

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// checkAllOpen sees in each folder what became of the messages for which
// something stands. It is done before anything new is looked for, so that what
// was moved is found in its new folder by then. It returns the folder that is
// open at the end.
func (l *collect) checkAllOpen(ctx context.Context, session *account.Session) (last string, opened account.Opened, err error) {
	for _, name := range l.folders {
		f := l.state.Folders[name]
		if f == nil {
			continue
		}
		here := l.openIn(f.Num)
		if len(here) == 0 {
			continue
		}
		now, ok, err := l.examine(ctx, session, name)
		if ends(ctx, err) {
			return "", account.Opened{}, err
		}
		if err != nil || !ok { // what was refused is said when the folder's turn comes
			l.unfinished = true
			last, opened = "", account.Opened{} // none is open any more
			continue
		}
		last, opened = name, now
		if now.UIDValidity != f.Validity || now.UIDValidity == 0 || f.unchanged(now) {
			continue
		}
		if err := l.checkOpen(ctx, session, f, here); ends(ctx, err) {
			return "", account.Opened{}, fmt.Errorf("look at the flags in the folder %q: %w", name, err)
		} else if err != nil {
			l.unfinished = true
			l.say("what became of the mail in the folder %q could not be seen: %v", name, err)
			continue
		}
		f.ModSeq, f.Messages, f.UIDNext = now.ModSeq, now.Messages, now.UIDNext
	}
	return last, opened, nil
}

// unchanged reports whether a folder says itself that no flag changed and
// nothing was removed since the last collect at what stands in it.
func (f *folder) unchanged(now account.Opened) bool {
	return now.ModSeq != 0 && now.ModSeq == f.ModSeq && now.Messages == f.Messages && now.UIDNext == f.UIDNext
}

// openIn are what stands for messages in a folder, by their UIDs.
func (l *collect) openIn(num uint32) map[imap.UID][]hash {
	here := map[imap.UID][]hash{}
	for key, o := range l.open.all() {
		for _, c := range o.Copies {
			if c.Num == num {
				here[c.UID] = append(here[c.UID], key)
			}
		}
	}
	return here
}

// checkOpen brings what stands in line with the flags of its messages.
func (l *collect) checkOpen(ctx context.Context, session *account.Session, f *folder, here map[imap.UID][]hash) error {
	uids := slices.Sorted(maps.Keys(here))
	flags, err := session.Flags(ctx, uids)
	if err != nil {
		return err
	}
	for _, uid := range uids {
		now, there := flags[uid]
		for _, key := range here[uid] {
			l.flagged(key, place{Num: f.Num, UID: uid}, now, there)
		}
	}
	return nil
}

// flagged takes in the flags of one copy of a message for which something stands.
func (l *collect) flagged(key hash, p place, now account.Flags, there bool) {
	o, ok := l.open.get(key)
	if !ok {
		return
	}
	i := slices.IndexFunc(o.Copies, func(c filed) bool { return c.place == p })
	if i >= 0 && now.Seen && !o.Copies[i].Seen {
		l.wasRead(o)
	}
	if over(o.Observation.Kind, now) {
		l.open.drop(key)
		return
	}
	switch {
	case i < 0:
	case !there || now.Deleted:
		l.removed[key] = true
		o.Copies = slices.Delete(slices.Clone(o.Copies), i, i+1)
		l.open.set(key, o.read())
	case o.Copies[i].Seen != now.Seen:
		o.Copies = slices.Clone(o.Copies)
		o.Copies[i].Seen = now.Seen
		l.open.set(key, o.read())
	}
}

// read brings an item in line with whether its first copy was read.
func (o item) read() item {
	if len(o.Copies) > 0 && o.Copies[0].Seen != isSeen(o.Observation) {
		o.Observation = withSeen(o.Observation, o.Copies[0].Seen)
	}
	return o
}

// endMissing forgets copies in folders whose UIDs were given anew. It is called when
// all folders were looked through.
func (l *collect) endMissing() {
	live := map[uint32]bool{}
	for _, f := range l.state.Folders { // what lies in one that left is not seen
		live[f.Num] = true
	}
	l.endCopies(func(num uint32) bool { return !live[num] })
}

// endCopies forgets copies in such folders, and ends what stands for messages that
// lie in no other.
func (l *collect) endCopies(in func(num uint32) bool) {
	for key, o := range l.open.all() {
		if o.Sent {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(o.Copies), func(c filed) bool { return in(c.Num) })
		switch {
		case len(left) == 0:
			if l.removed[key] && !isSeen(o.Observation) {
				l.marks(o, subconscious.Removed)
			}
			l.open.drop(key)
		case len(left) < len(o.Copies):
			o.Copies = left
			l.open.set(key, o.read())
		}
	}
}

// friend is 1 for a letter of somebody to whom, or to whose house, the person wrote.
func (o item) friend() int {
	if a := o.Observation.Attrs; a["known"] != "" || a["ours"] != "" || a["acquainted"] != "" {
		return 1
	}
	return 0
}

// endOver ends what has stood for its time, and where too many letters are unread, or
// too many strangers ask, the first of strangers, so that no flood ends a friend's, or
// takes its room: that misses nothing.
func (l *collect) endOver() {
	var unread, asked []item
	for key, o := range l.open.all() {
		switch {
		case l.left(o): // until it is back
		case !o.Observation.Until.After(l.at):
			l.leftUnread(o)
			l.open.drop(key)
		case o.Observation.Kind == kindMail:
			unread = append(unread, o)
		case o.Observation.Kind == kindRequest && o.friend() == 0:
			asked = append(asked, o)
		}
	}
	l.endFirst(unread)
	l.endFirst(asked)
}

// endFirst ends the first of letters of which more stand than are kept, of strangers
// before those of friends.
func (l *collect) endFirst(letters []item) {
	if len(letters) >= maxLetters {
		l.aside = fmt.Sprintf("the newest %d unread letters are judged, older ones of strangers are not", maxLetters)
	}
	if more := len(letters) - maxLetters; more > 0 {
		slices.SortFunc(letters, func(a, b item) int {
			return cmp.Or(a.friend()-b.friend(), a.Received.Compare(b.Received), strings.Compare(a.Observation.ID, b.Observation.ID))
		})
		for _, o := range letters[:more] {
			l.open.drop(hashOf(o.Observation.ID))
		}
		if letters[more-1].friend() == 1 {
			l.say("more than %d letters of people you write to are unread: the oldest are judged no longer", maxLetters)
		}
	}
}

// moved takes in a further place of a message that is known.
func (l *collect) moved(id hash, m fetched) {
	if m.flags.Deleted {
		return
	}
	if k, ok := l.known.get(id); ok && k.Places != k.in(m.place).Places {
		l.known.set(id, k.in(m.place))
	}
	for key, o := range l.open.all() {
		if o.Of != id || o.Sent || slices.ContainsFunc(o.Copies, func(c filed) bool { return c.place == m.place }) {
			continue
		}
		if m.flags.Seen && !isSeen(o.Observation) {
			l.wasRead(o)
		}
		if over(o.Observation.Kind, m.flags) {
			l.open.drop(key)
			continue
		}
		o.Copies = append(slices.Clip(slices.Clone(o.Copies)), filed{m.place, m.flags.Seen})
		o.Copies = o.Copies[max(0, len(o.Copies)-maxFolders):]
		l.open.set(key, o.read())
	}
}

// stand makes something stand, and reports whether there was room.
func (l *collect) stand(o item) bool {
	key := hashOf(o.Observation.ID)
	if !l.open.has(key) && l.open.len() >= maxOpen {
		l.full = true
		return false
	}
	l.open.set(key, o)
	return true
}

// endAnswered ends what a message of the person's answers: requests and letters, and what
// they promised in that thread before.
func (l *collect) endAnswered(m fetched, thread hash, refs map[hash]bool, id string) {
	for key, o := range l.open.all() {
		switch kind := o.Observation.Kind; {
		case (kind == kindRequest || kind == kindMail) && (refs[o.Of] || o.Thread == thread && o.Received.Before(m.received)),
			kind == kindPromise && o.Thread == thread && o.Of != hashOf(id) && o.Received.Before(m.received):
			l.open.drop(key)
		}
	}
}

// endAwaiting ends the waiting for an answer that came, of somebody who was asked,
// works where they do, or is written to otherwise: that anybody else names the
// question answers nothing. Whoever was asked answers in a new thread, too.
func (l *collect) endAwaiting(from string, thread hash, refs map[hash]bool, received time.Time) {
	for _, key := range l.waiting {
		o, ok := l.open.get(key)
		to, before := o.Observation.Attrs["to"], o.Received.Before(received)
		if ok && (l.mayAnswer(from, to) && (refs[o.Of] || o.Thread == thread && before) ||
			before && slices.Contains(strings.Split(to, ", "), from)) {
			l.open.drop(key)
		}
	}
}

// mayAnswer reports whether an answer of that sender's is one to a question that
// went to these.
func (l *collect) mayAnswer(from, to string) bool {
	return l.timesWritten(from) > 0 || slices.ContainsFunc(strings.Split(to, ", "), func(asked string) bool { return firm(asked) == firm(from) })
}
