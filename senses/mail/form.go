package mail

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
)

// pressing is from which weight of its words on a letter is urgent.
const pressing = 80

// contentBytes is how much of a text is looked at.
const contentBytes = 8 << 10

// content is what is in the text of a message. It is read once.
type content struct {
	text string // the subject, and what was said
	said *prose.Text
	// times are those in what was said that lie ahead, days those in text.
	times, days []dates.Match
	asks        []prose.Ask // of the reader; of the subject where the text asks nothing
	// limit is the first day ahead until when something has to be done.
	limit date
	// names: it calls the person by name; others: another, to whom it went as well;
	// codes: it brings a code to sign in with.
	names, others, advertises, codes bool
	// commands: it speaks to a program that reads along.
	commands bool
	doubts   int // see suspicious
	words    int // as prose.Weigh says
}

// read reads the text of a message.
func (j judge) read() (c content) {
	at, said := j.received.In(j.zone), j.said()
	c.said, c.text = prose.Of(said, at), j.Subject+"\n"+said
	c.times, c.days = ahead(said, at), ahead(c.text, at)
	if strings.TrimSpace(j.Fresh) != "" {
		c.asks = c.said.Asks()
	}
	if len(c.asks) == 0 && len(j.refs) == 0 {
		c.asks = prose.Asks(j.Subject, at)
	}
	for _, l := range c.said.Limits() {
		if c.limit = j.ahead(l.Date); c.limit.is {
			break
		}
	}
	whole := c.said.Under(j.Subject)
	c.others = j.others()
	c.names, c.advertises, c.codes, c.commands = !c.others && j.names(), whole.Advertises(), whole.Codes(), whole.Commands()
	c.words = prose.Weigh(j.Subject, said)
	j.content = c
	c.doubts = j.suspicious()
	return c
}

// ahead are the times in a text that lie ahead of when it came. A time of day alone
// that is more than half a day ahead is one that has passed: "38.4 at 10:55", read at
// eleven.
func ahead(text string, at time.Time) []dates.Match {
	return slices.DeleteFunc(dates.Find(text, at), func(m dates.Match) bool {
		return !m.Due.After(at) || !m.Day && !m.DateOnly && m.Due.Sub(at) > 12*time.Hour
	})
}

// form puts the features of a message into its attributes that a score is made
// of. None of them decides anything here.
func (j judge) form(attrs map[string]string, f *features) {
	c := j.content
	for name, is := range map[string]bool{"ours": f.inMine, "role": j.office(), "names": c.names, "others": c.others, "passed": j.passed} {
		if is {
			attrs[name] = "true"
		}
	}
	for name, n := range map[string]int{
		"recipients": len(j.To) + len(j.Cc), "bytes": len(strings.TrimSpace(j.Fresh)),
		"urls": linksIn(c.text), "doubts": c.doubts, "words": c.words,
	} {
		if n != 0 {
			attrs[name] = strconv.Itoa(n)
		}
	}
	if w, ok := j.wroteTo.get(hashOf(j.From.Addr)); ok && !j.failed && !j.unproven {
		attrs["ago"] = strconv.Itoa(int(dayOf(j.received)) - int(w.Last))
	}
	if where := j.acquainted(); where != "" {
		attrs["acquainted"] = where
	}
	hours, days := j.named()
	if hours >= 0 {
		attrs["hours"] = strconv.Itoa(hours)
	}
	if days >= 0 {
		attrs["days"] = strconv.Itoa(days)
	}
	var said []string
	for class, is := range map[string]bool{"asks": f.asks || len(c.asks) > 0, "advertises": c.advertises, "codes": c.codes, "commands": c.commands} {
		if is {
			said = append(said, class)
		}
	}
	if slices.Sort(said); len(said) > 0 {
		attrs["says"] = strings.Join(said, " ")
	}
}

func linksIn(text string) int {
	return strings.Count(text, "http://") + strings.Count(text, "https://") + strings.Count(text, "www.")
}

// acquainted says what is known of the domain that the sender registered: it is
// the person's "own", or they have "written" to somebody there.
func (j judge) acquainted() string {
	at := firm(j.From.Addr)
	if j.failed || j.unproven || at == "" {
		return ""
	}
	for mine := range j.Sense.mine {
		if firm(mine) == at {
			return "own"
		}
	}
	if !strings.Contains(at, "@") && j.timesWritten("@"+at) > 0 {
		return "written"
	}
	return ""
}

// midnight begins the day on which a message came.
func (j judge) midnight() time.Time {
	year, month, day := j.received.In(j.zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, j.zone)
}

// named is in how many hours the first time of day lies that a message names, and
// in how many days the first day; -1 for none within two days, and a week.
func (j judge) named() (hours, days int) {
	hours, days = -1, -1
	for _, m := range j.content.days {
		if h := int(m.Due.Sub(j.received).Hours()); !m.DateOnly && h < 48 && (hours < 0 || h < hours) {
			hours = h
		}
		if d := int(m.Due.Sub(j.midnight()).Hours() / 24); d < 7 && (days < 0 || d < days) {
			days = d
		}
	}
	return hours, days
}

// letterUntil is until when a letter stands that merely is unread: until its last
// time within days is over, and three of them at most.
func (j judge) letterUntil() time.Time {
	most := j.received.Add(letterStands)
	var last time.Time
	for _, m := range j.content.days {
		due := m.Due
		if m.DateOnly {
			year, month, day := due.Date()
			due = time.Date(year, month, day+1, 0, 0, 0, 0, j.zone)
		}
		if due.After(last) {
			last = due
		}
	}
	if !last.IsZero() && last.Before(most) {
		return last
	}
	return most
}
