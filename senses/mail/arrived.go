package mail

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// checkOf tells apart two messages that claim one Message-ID.
func checkOf(m message.Message) uint32 {
	sum := sha256.Sum256([]byte(m.From.Addr + "\x00" + m.Date.UTC().Format(time.RFC3339)))
	return binary.BigEndian.Uint32(sum[:4])
}

// identify returns the identity of a message. One that claims the Message-ID of
// another that is known, which somebody may do to hide it, has one of its own.
func (l *collect) identify(m message.Message) (id string, key hash) {
	id = prefix + m.ID
	key = hashOf(id)
	if k, ok := l.known.get(key); ok && k.Check != checkOf(m) {
		id = fmt.Sprintf("%s#%08x", id, checkOf(m))
		key = hashOf(id)
	}
	return id, key
}

// threadOf is the identity of the first message of a thread.
func threadOf(m message.Message, id string) string {
	switch {
	case len(m.References) > 0:
		return prefix + m.References[0]
	case len(m.InReplyTo) > 0:
		return prefix + m.InReplyTo[0]
	}
	return id
}

// refsOf are the messages that one answers, or refers to.
func refsOf(m message.Message) map[hash]bool {
	refs := map[hash]bool{}
	for _, id := range m.InReplyTo {
		refs[hashOf(prefix+id)] = true
	}
	for _, id := range m.References {
		refs[hashOf(prefix+id)] = true
	}
	return refs
}

// arrivedBefore looks at the header of a message in a folder and reports whether
// its body is wanted: not of one that is known, nor of one that is too old.
func (l *collect) arrivedBefore(f *folder, m fetched) bool {
	if m.Made { // its identity takes more of its header
		return !l.tooOld(f, m) || l.openSince(m.received)
	}
	if _, key := l.identify(m.Message); l.known.has(key) {
		l.moved(key, m)
		return false
	}
	return !l.tooOld(f, m)
}

// tooOld reports whether a message is older than what is told: it was moved here
// from elsewhere.
func (l *collect) tooOld(f *folder, m fetched) bool { return m.received.Before(l.oldest(f)) }

// openSince reports whether something stands for a message that was received at
// that time.
func (l *collect) openSince(received time.Time) bool {
	for _, o := range l.open.all() {
		if !o.Sent && o.Received.Equal(received) {
			return true
		}
	}
	return false
}

// needed is the time since when messages are looked for in a folder whose UIDs
// were given anew: the look-back, or longer for what stands.
func (l *collect) needed() time.Time {
	since := l.at.Add(-l.config.LookBack)
	for _, o := range l.open.all() {
		if !o.Sent && o.Received.Before(since) {
			since = o.Received
		}
	}
	return since
}

// arrived takes in a message that was not known before.
func (l *collect) arrived(f *folder, name string, m fetched) {
	id, key := l.identify(m.Message)
	if l.known.has(key) {
		l.moved(key, m)
		return
	}
	if l.tooOld(f, m) {
		return
	}
	thread, refs := threadOf(m.Message, id), refsOf(m.Message)
	l.known.set(key, known{Check: checkOf(m.Message), Thread: hashOf(thread), Received: uint32(m.received.Unix())}.in(m.place))
	if m.flags.Draft || m.flags.Deleted {
		return
	}
	mine := l.mine[m.From.Addr]
	if mine && l.sent.has(key) {
		return // what the person sent, in a folder that is looked at
	}
	m.passed, m.failed = proof(m.Message, l.vouches())
	m.unproven = l.vouches() != "" && !m.passed
	if domain(m.From.Addr) != domain(l.config.Addresses[0]) { // what is written within a house may bear no results
		l.state.Learnt.learn(m.Message, dayOf(m.received))
	}
	if !mine && !m.Automated && !m.Junk && !m.failed {
		l.endAwaiting(m.From.Addr, hashOf(thread), refs, m.received)
	}
	j := judge{collect: l, fetched: m, id: id, thread: thread, refs: refs, folder: name, mine: mine}
	o := j.arrived()
	if l.correct(j, &o); j.takesBack(o) { // not with what corrects
		l.endTaken(j, o)
	}
	over := over(o.Kind, m.flags) || l.answered.has(key) && over(o.Kind, account.Flags{Answered: true})
	if o.Kind == kindMail && m.uid < f.Base {
		over = true // the past stays silent, but for what asks something
	}
	if !over && o.Until.After(l.at) && l.stand(item{Observation: o, Of: key, Thread: hashOf(o.Attrs["thread"]), Received: m.received, Copies: []filed{{m.place, m.flags.Seen}}}) {
		return
	}
	if m.uid < f.Base {
		return // the past stays silent, but for what stands
	}
	o.Kind, o.Fingerprint, o.Until, o.Change = kindMail, "", time.Time{}, subconscious.Momentary
	l.changes = append(l.changes, o)
}

// over reports whether nothing stands any more for a message with these flags: a
// letter that was read, and what was answered.
func over(kind string, flags account.Flags) bool {
	return kind == kindMail && flags.Seen || flags.Answered && (kind == kindMail || kind == kindRequest)
}

// prune deletes in steps what is too old to be needed.
func (l *collect) prune() {
	if l.at.Sub(l.pruned) < pruneEvery && !l.at.Before(l.pruned) {
		return
	}
	left := pruneStep
	needed := map[hash]bool{}
	for _, o := range l.open.all() {
		needed[o.Of] = true
	}
	kept := max(l.config.LookBack, defaultLookBack) + 3*24*time.Hour
	before := unix(l.at.Add(-kept))
	if l.known.len() > maxKnown {
		before = max(before, l.forgetBefore())
		l.state.Forgot = max(l.state.Forgot, before)
	}
	left = pruneTable(l.known, left, func(key hash, k known) bool { return int64(k.Received) < before && !needed[key] })
	today := dayOf(l.at)
	left = pruneTable(l.answered, left, func(_ hash, day uint32) bool { return day+answeredDays < today })
	left = pruneTable(l.sent, left, func(_ hash, s sent) bool { return s.day()+sentDays < today })
	left = pruneTable(l.wroteTo, left, func(_ hash, c correspondent) bool { return c.Last+sentDays < today })
	if left > 0 {
		l.pruned = l.at
	}
}

// forgetBefore is the time before which messages must be forgotten so that no
// more are known than are kept. It is that of a message that is known, so that
// what arrives later is never passed over, however many came in one day.
func (l *collect) forgetBefore() int64 {
	received := make([]uint32, 0, l.known.len())
	for _, k := range l.known.all() {
		received = append(received, k.Received)
	}
	const kept = maxKnown * 9 / 10
	if len(received) <= kept {
		return 0
	}
	slices.Sort(received)
	return int64(received[len(received)-kept])
}

// pruneTable deletes what is over, at most left rows, and returns how many more
// may be deleted.
func pruneTable[V any](t *table[V], left int, over func(hash, V) bool) int {
	for key, v := range t.base {
		if left == 0 {
			break
		}
		if _, changed := t.over[key]; !changed && over(key, v) {
			t.over[key] = nil
			left--
		}
	}
	return left
}
