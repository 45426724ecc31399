package mail

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// readSoon is how long after it came a letter counts as read soon.
	readSoon = 15 * time.Minute
	// repliedWithin is how old an answer may be that still says something.
	repliedWithin = 7 * 24 * time.Hour
	// wholesale is how many letters, read or removed in one look, were marked as a
	// folder and not one by one.
	wholesale = 5
	// unreadDays is on how many days others have to be read for a letter that stood
	// all its time unread to say something.
	unreadDays = 2
)

// habits are the names under which it is learnt what the person does with letters
// like this one. A sender for whom nobody vouches has none, where others are
// vouched for; a list has one in letters that come from its own domain, for everybody
// can write its name into theirs.
func (j judge) habits() string {
	if j.mine || j.failed || j.unproven || !strings.Contains(j.From.Addr, "@") {
		return ""
	}
	names := []string{j.From.Addr}
	switch at := firm(j.From.Addr); {
	case j.List != "" && domain(j.List) == at:
		names = append(names, "list:"+j.List)
	case j.List == "" && !strings.Contains(at, "@"):
		names = append(names, "@"+at)
	}
	joined := strings.Join(names, " ")
	if len(strings.Fields(joined)) != len(names) || len(joined) > senses.MaxAttrBytes { // a name in that of another
		return ""
	}
	return joined
}

// marks notes that the person read or removed a letter, which may be one of many.
func (l *collect) marks(o item, deed subconscious.Deed) {
	l.marked = append(l.marked, subconscious.Act{ID: o.Observation.ID, Deed: deed})
}

// wasRead notes that the person read a letter since the last look. One that came read
// says nothing: a filter may have read it.
func (l *collect) wasRead(o item) {
	if today := dayOf(l.at); l.state.ReadOn[0] != today {
		l.state.ReadOn = [unreadDays]uint32{today, l.state.ReadOn[0]}
	}
	if l.at.Sub(o.Received) <= readSoon {
		l.marks(o, subconscious.ReadSoon)
	} else {
		l.marks(o, subconscious.Read)
	}
}

// leftUnread notes that a letter stood all its time unread, though the person read
// others.
func (l *collect) leftUnread(o item) {
	since := dayOf(o.Received)
	away := slices.ContainsFunc(l.state.ReadOn[:], func(day uint32) bool { return day < since })
	if o.Observation.Kind == kindMail && !isSeen(o.Observation) && !away && l.at.Sub(o.Received) >= letterStands {
		l.acts = append(l.acts, subconscious.Act{ID: o.Observation.ID, Deed: subconscious.Unread})
	}
}

// replied notes that the person answered a letter themselves.
func (l *collect) replied(m fetched) {
	if m.Automated || len(m.InReplyTo) == 0 || l.at.Sub(m.received) > repliedWithin || !l.known.has(hashOf(prefix+m.InReplyTo[0])) {
		return
	}
	act := subconscious.Act{ID: prefix + m.InReplyTo[0], Deed: subconscious.Answered}
	for _, to := range recipients(m.Message) {
		act.To = append(act.To, to.Addr)
	}
	l.acts = append(l.acts, act)
}

// singly are the acts, but those of a whole folder, in an order of their own: what is
// learnt of one depends on those before it.
func (l *collect) singly() []subconscious.Act {
	if len(l.marked) <= wholesale {
		l.acts = append(l.acts, l.marked...)
	}
	slices.SortStableFunc(l.acts, func(a, b subconscious.Act) int { return strings.Compare(a.ID, b.ID) })
	return l.acts
}
