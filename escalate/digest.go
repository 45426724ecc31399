package escalate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// weekdays in the order of time.Weekday.
var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// parseWeekly reads "sun 18:00".
func parseWeekly(text string) (time.Weekday, clock, error) {
	name, rest, _ := strings.Cut(text, " ")
	if day := slices.Index(weekdays[:], name); day >= 0 {
		c, err := parseClock(rest)
		return time.Weekday(day), c, err
	}
	return 0, 0, fmt.Errorf("%.20q is no time of the week; write it as \"sun 18:00\"", text)
}

// slots are the times at which one sort of digest is due: of each day, or of one
// of the week.
type slots struct {
	at     []clock
	weekly bool
	day    time.Weekday
}

// slots are when digests are due, the daily ones first.
func (d DigestTimes) slots() (all []slots) {
	var each slots
	for _, text := range []string{d.Daily, d.Afternoon} {
		if at, err := parseClock(text); err == nil {
			each.at = append(each.at, at)
		}
	}
	if each.at != nil {
		all = append(all, each)
	}
	if day, at, err := parseWeekly(d.Weekly); err == nil {
		all = append(all, slots{at: []clock{at}, weekly: true, day: day})
	}
	return all
}

// served is when a sort of digest was due the last time that it was sent out.
func (s *Spent) served(of slots) *time.Time {
	if of.weekly {
		return &s.Weekly
	}
	return &s.Daily
}

// around returns the last due time that is not after at, and the next one.
func (s slots) around(at time.Time) (last, next time.Time) {
	year, month, day := at.Date()
	span := 2
	if s.weekly {
		span = 8
	}
	for d := day - span; d <= day+span; d++ {
		if s.weekly && time.Date(year, month, d, 12, 0, 0, 0, time.UTC).Weekday() != s.day {
			continue
		}
		for _, c := range s.at {
			switch due, _ := c.instants(year, month, d, at.Location()); {
			case due.After(at) && (next.IsZero() || due.Before(next)):
				next = due
			case !due.After(at) && due.After(last):
				last = due
			}
		}
	}
	return last, next
}

// NextDigest returns when the next digest is due after at, daily or weekly; ok
// is false where none is configured.
func NextDigest(rules Rules, at time.Time) (due time.Time, ok bool) {
	for _, s := range rules.Digest.slots() {
		if _, next := s.around(at); !ok || next.Before(due) {
			due, ok = next, true
		}
	}
	return due, ok
}

// digests sends out the digests that are due, once each, and never an empty one.
func (g *gate) digests() {
	g.first()
	for _, s := range g.in.Rules.Digest.slots() {
		g.digest(s, g.out.Spent.served(s))
	}
}

// opens is the last due time of a sort of digest, and when it can be told: not
// in quiet hours. ok is false where that time was served, or is not yet.
func (g *gate) opens(s slots, served time.Time) (due, opens time.Time, ok bool) {
	due, _ = s.around(g.in.At)
	if due.IsZero() || !served.Before(due) && !isAhead(served, g.in.At) {
		return due, due, false
	}
	opens = due
	if until, quiet := QuietUntil(g.in.Rules, due); quiet {
		opens = until
	}
	return due, opens, g.quietUntil.IsZero() && !g.in.At.Before(opens)
}

// owe counts the digests that are late and have something to tell.
func (g *gate) owe() {
	for _, s := range g.in.Rules.Digest.slots() {
		_, opens, ok := g.opens(s, *g.in.Spent.served(s))
		if ok && slices.ContainsFunc(g.keys, func(key subconscious.IncidentKey) bool {
			t := g.incidents[key].Telling
			return t != nil && t.Waits && slices.Contains(forDigest, Reason(t.Held)) && !t.HeldSince.After(opens)
		}) {
			g.owed = 1
		}
	}
}

// digest sends out one sort of digest where its last due time has not been
// served. What began to wait after that time waits for the next one, so that a
// missed digest is made up for and a new mind does not send yesterday's. In quiet
// hours, and while too much was told, it comes later.
func (g *gate) digest(s slots, served *time.Time) {
	due, opens, ok := g.opens(s, *served)
	if !ok {
		return
	}
	items := g.waiting(forDigest...)
	if !slices.ContainsFunc(items, func(h heldRequest) bool { return !h.telling.HeldSince.After(opens) }) {
		*served = due
		return
	}
	if why, _ := g.spent(draw{anyHour: true}); why != "" {
		return
	}
	*served = due
	name := daily
	if s.weekly {
		name = weekly
	}
	g.issue(name, due, items)
}

// The messages that tell of many.
const (
	daily  = "daily digest"
	weekly = "weekly digest"
	start  = "first message"
)

// first tells at once, or when the night is over, what was there before the mind
// began to look, and of the urgent of that what the caps let wait.
func (g *gate) first() {
	items := g.waiting(Backlog)
	if g.begins {
		items = g.waiting(Backlog, BudgetAttention)
	}
	if len(items) > 0 && g.quietUntil.IsZero() {
		g.issue(start, g.in.At, items)
	}
}

// forDigest are the reasons of what a digest can tell: what is not worth a push, or
// has none left.
var forDigest = []Reason{Digest, Strangers, BudgetAttention}

// waiting are the requests that were held for one of the reasons, the most
// important first.
func (g *gate) waiting(reasons ...Reason) []heldRequest {
	var items []heldRequest
	for _, h := range g.held {
		d := g.out.Decisions[h.decision]
		if d.Verdict == Hold && slices.Contains(reasons, d.Reason) {
			items = append(items, h)
		}
	}
	items = slices.DeleteFunc(slices.Clone(items), func(h heldRequest) bool { // the clash that it makes says so, too
		return len(h.own) == 1 && !h.reminds && slices.ContainsFunc(items, func(other heldRequest) bool {
			return other.key.IsPair() && other.asked.Kind == subconscious.KindRisk && slices.Contains(other.own, h.own[0])
		})
	})
	slices.SortStableFunc(items, func(a, b heldRequest) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(b.asked.Importance, a.asked.Importance),
			cmp.Compare(b.confidence, a.confidence), sooner(a.asked.Due, b.asked.Due), cmp.Compare(a.key, b.key))
	})
	return items
}

// issue tells all of the items in one message.
func (g *gate) issue(name string, due time.Time, items []heldRequest) {
	digest := DigestIssue{Weekly: name == weekly, Due: due, Message: g.digestMessage(name, items)}
	for _, h := range items {
		digest.Incidents = append(digest.Incidents, h.telling.ID)
		d := &g.out.Decisions[h.decision]
		d.Verdict, d.Reason, d.Detail, d.Until, d.New = Tell, Digest, "in the "+name, time.Time{}, true
		g.deliverInDigest(h.candidate)
	}
	g.out.Spent.Today++
	g.out.Digests = append(g.out.Digests, digest)
}

// digestMessage names the most important and counts the rest.
func (g *gate) digestMessage(name string, items []heldRequest) Message {
	var names []string
	for _, h := range items {
		line := sentence(h.asked, h.key)
		if who, _, cut := strings.Cut(line, ": “"); cut && strings.HasSuffix(line, "…”") && h.quote() != "" {
			line = who + ": “" + h.quote() + "”"
		}
		names = append(names, near(prefix(h.candidate)+line, g.in.At))
	}
	// Each of a few has its share of the room; of many, as many as can be read.
	for i := range names {
		names[i] = subconscious.Shorten(names[i], max(200/len(names)-2, maxTitle))
	}
	title := strings.ToUpper(name[:1]) + name[1:] + ": " + things(len(items))
	if name == start {
		title = things(len(items)) + " there at the start"
		if !g.in.Spent.Restored.IsZero() {
			title = things(len(items)) + " since the backup that was restored"
		}
	}
	return Message{Title: title, Text: enumerate(names, "", maxMessage-runes(title)), Priority: thisWeek}
}

func things(n int) string {
	if n == 1 {
		return "1 thing"
	}
	return fmt.Sprintf("%d things", n)
}

// keyOf is what an incident without words is called.
func keyOf(key subconscious.IncidentKey) string {
	return subconscious.Shorten(plain(string(key)), summaryKept)
}
