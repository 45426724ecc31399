package mail

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// formBytes is how much of a message is looked at for its form.
const formBytes = 8 << 10

// form puts the features of a message into its attributes that a score is made
// of. None of them decides anything here.
func (j judge) form(attrs map[string]string, f *features) {
	text := j.Subject + "\n" + j.said()
	text = subconscious.Head(text, formBytes)
	for name, is := range map[string]bool{"ours": f.inMine, "role": j.office(), "names": j.names(), "passed": j.passed} {
		if is {
			attrs[name] = "true"
		}
	}
	for name, n := range map[string]int{
		"recipients": len(j.To) + len(j.Cc), "bytes": len(strings.TrimSpace(j.Fresh)), "questions": strings.Count(j.Fresh, "?"),
		"urls": strings.Count(text, "http://") + strings.Count(text, "https://") + strings.Count(text, "www."), "doubts": len(j.suspicious()),
	} {
		if n > 0 {
			attrs[name] = strconv.Itoa(n)
		}
	}
	if c, ok := j.wroteTo.get(hashOf(j.From.Addr)); ok && !j.failed && !j.unproven {
		attrs["ago"] = strconv.Itoa(int(dayOf(j.received)) - int(c.Last))
	}
	if where := j.acquainted(); where != "" {
		attrs["acquainted"] = where
	}
	hours, days := j.named(text)
	if hours >= 0 {
		attrs["hours"] = strconv.Itoa(hours)
	}
	if days >= 0 {
		attrs["days"] = strconv.Itoa(days)
	}
	if said := j.says(text, f); len(said) > 0 {
		attrs["says"] = strings.Join(said, " ")
	}
}

// acquainted says what is known of the domain that the sender registered: it is
// the person's "own", or they have "written" to somebody there.
func (j judge) acquainted() string {
	at := domain(j.From.Addr)
	if j.failed || j.unproven || at == "" {
		return ""
	}
	if j.ownDomain(j.From.Addr) {
		return "own"
	}
	if j.timesWritten("@"+at) > 0 {
		return "written"
	}
	return ""
}

// ownDomain reports whether an address is of a domain that the person has one of.
func (s *Sense) ownDomain(address string) bool {
	for mine := range s.mine {
		if domain(mine) == domain(address) {
			return true
		}
	}
	return false
}

// named is in how many hours the first time of day lies that a text names, and
// in how many days the first day; -1 for none within two days, and a week.
func (j judge) named(text string) (hours, days int) {
	hours, days = -1, -1
	at := j.received.In(j.zone)
	year, month, day := at.Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, j.zone)
	for _, m := range dates.Find(text, at) {
		if !m.Due.After(at) {
			continue
		}
		if h := int(m.Due.Sub(at).Hours()); !m.DateOnly && h < 48 && (hours < 0 || h < hours) {
			hours = h
		}
		if d := int(m.Due.Sub(today).Hours() / 24); d < 7 && (days < 0 || d < days) {
			days = d
		}
	}
	return hours, days
}

// says are the classes of words that are in a text.
func (j judge) says(text string, f *features) []string {
	at := j.received.In(j.zone)
	said := prose.Matters(text)
	for class, is := range map[string]bool{
		"asks": f.asks || len(prose.Asks(j.Fresh, at)) > 0, "urgent": j.Urgent || prose.Urgent(j.Subject) || prose.Urgent(j.Fresh),
		"limit": j.limit(at).is, "advertises": prose.Advertises(text),
	} {
		if is {
			said = append(said, class)
		}
	}
	slices.Sort(said)
	return said
}
