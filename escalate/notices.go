package escalate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// notices tells what the daemon has to say about itself, once and in one
// message: what has lasted for a while, outside quiet hours, and within a share
// of its own. What guards is told at once, however much was told.
func (g *gate) notices() {
	at, rules := g.in.At, g.in.Rules
	if !g.quietUntil.IsZero() {
		return
	}
	full := g.out.Spent.Notices >= rules.NoticesPerDay || isSameDay(g.out.Spent.Restored, at) // nobody knows how many there were
	var due []Notice
	for _, n := range g.in.Notices {
		if n.Guards() || !full && (!at.Before(n.At.Add(rules.NoticeAfter)) || isAhead(n.At, at)) {
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
	g.out.Notices = &NoticeIssue{Notices: due, Message: g.noticeMessage(due)}
	g.out.Spent.Notices++
}

func (g *gate) noticeMessage(notices []Notice) Message {
	if len(notices) == 1 {
		return g.oneNotice(notices[0])
	}
	var names []string
	for _, n := range notices {
		what, reason := g.trouble(n)
		if reason != "" {
			what += ": " + reason
		}
		names = append(names, strings.TrimRight(subconscious.Shorten(what, summaryKept), "."))
	}
	title := fmt.Sprintf("subconsciousd has %d troubles of its own", len(notices))
	return Message{Title: title, Text: enumerate(names, whatToDo, maxMessage-runes(title))}
}

// oneNotice is a message about one trouble: what it is in the title; why, and
// what can be done, in the text. Of the reason the end is left out first.
func (g *gate) oneNotice(n Notice) Message {
	what, reason := g.trouble(n)
	title := subconscious.Shorten(what, maxNotice)
	room := maxMessage - runes(title)
	next := subconscious.Shorten(subconscious.Ended(capital(strings.TrimRight(cmp.Or(g.uncommanded(n.Next), whatToDo), ". "))), room)
	if reason == "" || runes(next) > room-60 {
		return Message{Title: title, Text: next}
	}
	return Message{Title: title, Text: fill([]string{capital(reason), next}, room)}
}

// whatToDo is said where nothing else can be: no command, which nobody runs on a phone.
const whatToDo = "Its status says what to do."

// trouble is what a notice is about, and why.
func (g *gate) trouble(n Notice) (what, reason string) {
	what, reason, _ = strings.Cut(cmp.Or(n.Text, n.Code), ": ")
	return capital(g.harmless(what)), strings.TrimRight(g.uncommanded(reason), ". ")
}

// command is what says in a clause of the daemon's own that a command is to be run.
var command = regexp.MustCompile("(?:^|: |run |see |use |by |with )`?(?:subconsciousctl|chmod|chown|mkdir|sudo|systemctl)[ `]")

// uncommanded is a text without the clauses that name a command.
func (g *gate) uncommanded(text string) string {
	clauses := slices.DeleteFunc(strings.Split(text, "; "), command.MatchString)
	return g.harmless(strings.Join(clauses, "; "))
}

// harmless is plain, but for the hosts that the configuration names.
func (g *gate) harmless(text string) string {
	text = plain(text)
	for _, own := range g.in.Own {
		name := regexp.MustCompile(`(^|[^\w.\]-])` + regexp.QuoteMeta(undotted(own)) + `($|[^\w.\[/?#-])`)
		text = name.ReplaceAllString(text, "${1}"+own+"${2}")
	}
	return text
}
