package escalate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// notices tells what the daemon has to say about itself, once and in one
// message: what has lasted for a while, outside quiet hours, and within a share
// of its own.
func (g *gate) notices() {
	at, rules := g.in.At, g.in.Rules
	if !g.quietUntil.IsZero() || g.out.Spent.Notices >= rules.NoticesPerDay {
		return
	}
	var due []Notice
	for _, n := range g.in.Notices {
		if !at.Before(n.At.Add(rules.NoticeAfter)) || isAhead(n.At, at) {
			due = append(due, n)
		}
	}
	if len(due) == 0 {
		return
	}
	slices.SortFunc(due, func(a, b Notice) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Key, b.Key),
			cmp.Compare(a.Text, b.Text), cmp.Compare(a.Next, b.Next))
	})
	due = slices.CompactFunc(due, func(a, b Notice) bool { return a.Code == b.Code && a.Key == b.Key && a.Text == b.Text })
	g.out.Notices = &NoticeIssue{Notices: due, Message: noticeMessage(due)}
	g.out.Spent.Notices++
}

func noticeMessage(notices []Notice) Message {
	if len(notices) == 1 {
		return oneNotice(notices[0])
	}
	var names []string
	for _, n := range notices {
		names = append(names, strings.TrimRight(subconscious.Shorten(plain(cmp.Or(n.Text, n.Code)), summaryKept), "."))
	}
	title := fmt.Sprintf("subconsciousd has %d troubles of its own", len(notices))
	return Message{Title: title, Text: enumerate(names, "See: subconsciousctl status", maxMessage-runes(title))}
}

// oneNotice is a message about one trouble: what it is in the title; why, and
// what can be done, in the text. Of the reason the end is left out first.
func oneNotice(n Notice) Message {
	what, reason, _ := strings.Cut(plain(cmp.Or(n.Text, n.Code)), ": ")
	title := subconscious.Shorten(what, maxNotice)
	room := maxMessage - runes(title)
	next := subconscious.Shorten(subconscious.Ended(capital(strings.TrimRight(plain(cmp.Or(n.Next, "See: subconsciousctl status")), ". "))), room)
	if reason = strings.TrimRight(reason, ". "); reason == "" || runes(next) > room-60 {
		return Message{Title: title, Text: next}
	}
	return Message{Title: title, Text: fill([]string{capital(reason), next}, room)}
}
