package mailtest

import (
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
)

// delimiter is what parts the names of nested folders.
const delimiter = '/'

// folder is one folder of a box. The server's lock guards it.
type folder struct {
	name     string
	attrs    []imap.MailboxAttr
	validity uint32
	next     imap.UID
	modseq   uint64
	// messages ascend by UID. A view keeps a part of this slice: it is appended to,
	// and replaced where one is removed, and never changed in place.
	messages []*message
	expunges int // how often messages were removed
}

// message is one message of a folder.
type message struct {
	uid    imap.UID
	at     time.Time
	flags  []imap.Flag // sorted, never changed in place
	modseq uint64
	gone   bool
	raw    []byte
	many   func(int) []byte // makes what raw would be, of number
	number int
	size   int64 // 0: not known yet
}

// body is the message itself. It is not kept where it can be made again.
func (m *message) body() []byte {
	if m.many != nil {
		return m.many(m.number)
	}
	return m.raw
}

func (f *folder) add(m *message) imap.UID {
	f.modseq++
	m.uid, m.modseq = f.next, f.modseq
	f.next++
	f.messages = append(f.messages, m)
	return m.uid
}

// find returns where a UID is or would be.
func (f *folder) find(uid imap.UID) (int, bool) { return find(f.messages, uid) }

func find(messages []*message, uid imap.UID) (int, bool) {
	return slices.BinarySearchFunc(messages, uid, func(m *message, uid imap.UID) int { return int(m.uid) - int(uid) })
}

// remove takes messages out of the folder and returns them.
func (f *folder) remove(uids []imap.UID) []*message {
	var removed []*message
	for _, uid := range uids {
		if at, ok := f.find(uid); ok && !f.messages[at].gone {
			f.messages[at].gone = true
			removed = append(removed, f.messages[at])
		}
	}
	if len(removed) == 0 {
		return nil
	}
	left := make([]*message, 0, len(f.messages)-len(removed))
	for _, m := range f.messages {
		if !m.gone {
			left = append(left, m)
		}
	}
	f.messages = left
	f.modseq++
	f.expunges++
	return removed
}

// setFlags replaces the flags of a message.
func (f *folder) setFlags(m *message, flags []imap.Flag) {
	if flags = canonical(flags); slices.Equal(flags, m.flags) {
		return
	}
	f.modseq++
	m.flags, m.modseq = flags, f.modseq
}

// copyOf is a message as another folder takes it in.
func (m *message) copyOf() *message {
	return &message{at: m.at, flags: m.flags, raw: m.raw, many: m.many, number: m.number, size: m.size}
}

// canonical are flags sorted, each once, those of the system as RFC 3501 spells
// them, without \Recent.
func canonical(flags []imap.Flag) []imap.Flag {
	var all []imap.Flag
	for _, f := range flags {
		if strings.EqualFold(string(f), `\Recent`) {
			continue
		}
		for _, known := range permanent() {
			if strings.EqualFold(string(f), string(known)) {
				f = known
			}
		}
		all = append(all, f)
	}
	slices.Sort(all)
	return slices.CompactFunc(all, func(a, b imap.Flag) bool { return strings.EqualFold(string(a), string(b)) })
}

// permanent are the flags that a folder says it keeps.
func permanent() []imap.Flag {
	return []imap.Flag{imap.FlagSeen, imap.FlagAnswered, imap.FlagFlagged, imap.FlagDeleted, imap.FlagDraft,
		imap.FlagForwarded, imap.FlagJunk, imap.FlagNotJunk, imap.FlagMDNSent, imap.FlagPhishing}
}

func (m *message) has(flag imap.Flag) bool {
	return slices.ContainsFunc(m.flags, func(f imap.Flag) bool { return strings.EqualFold(string(f), string(flag)) })
}
