package mail

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// takingBytes is how long a letter is at most that takes another back, or corrects
	// it.
	takingBytes = 160
	// news is from which weight of its words on it takes nothing back, as it says more
	// than that: "found her, she is at the hospital".
	news = 40
	// correctedWithin is how long after a letter it is corrected by one that does not
	// answer it.
	correctedWithin = 12 * time.Hour
	// bareWords is how many words it has at most that says a change and nothing else.
	bareWords = 7
)

// takesBack reports whether a letter goes on with another in a few words that take it
// back: neither with a further request nor with a time, and without news.
func (j judge) takesBack(o subconscious.Observation) bool {
	said := j.said()
	return len(j.refs) > 0 && len(said) <= takingBytes && o.Kind == kindMail && !strings.Contains(o.Attrs["says"], "asks") && o.Attrs["hours"] == "" &&
		prose.Retracts(said) && prose.Weigh("", said) < news
}

// isBefore reports whether something stands for what the writer of a letter wrote
// before. For whom nobody vouches, where somebody did or could, has written nothing, and
// spam is nobody's.
func (j judge) isBefore(o item) bool {
	return !o.Sent && o.Observation.Attrs["from"] == j.From.Addr && o.Received.Before(j.received) &&
		!j.mine && !j.Junk && !j.failed && !j.unproven && (j.passed || o.Observation.Attrs["passed"] == "")
}

// follows reports whether a letter is of the thread of what stands, or answers it.
func (j judge) follows(o item) bool { return o.Thread == hashOf(j.thread) || j.refs[o.Of] }

// endTaken ends what a letter takes back that was written before in its thread.
func (l *collect) endTaken(j judge, by subconscious.Observation) {
	for _, o := range l.open.all() {
		if j.isBefore(o) && j.follows(o) {
			l.endBy(o, "taken_back", by)
			by.Attrs["retracts"] = "true"
		}
	}
}

// endBy ends what stands and says by which words.
func (l *collect) endBy(o item, how string, by subconscious.Observation) {
	gone := o.Observation
	gone.Change, gone.At, gone.Attrs = subconscious.Gone, l.at, maps.Clone(gone.Attrs)
	gone.Attrs[how] = bounded(cmp.Or(by.Attrs["quote"], by.Text))
	l.changes = append(l.changes, gone)
	l.open.drop(hashOf(gone.ID))
}

// correct lets a letter that names another time take the place of the one that it
// corrects: the last of its thread; or, where it answers none, of those of the half day
// the one that is meant, because it has words in common, or because it is the only one
// and nothing else is said. One that asks for something has them in its subject.
func (l *collect) correct(j judge, o *subconscious.Observation) {
	if len(j.said()) > takingBytes || !j.personal() || !prose.Corrects(j.Subject+"\n"+j.said()) {
		return
	}
	times := j.timesNamed()
	var thread, alone, alike []item
	terms := termsOf(o.Title, o.Text)
	if o.Kind != kindMail {
		terms = termsOf(o.Title, "")
	}
	for _, e := range l.open.all() {
		switch {
		case !j.isBefore(e) || j.instead(e.Observation, times).IsZero():
		case j.follows(e):
			thread = append(thread, e)
		case len(j.refs) == 0 && j.received.Sub(e.Received) < correctedWithin:
			alone = append(alone, e)
			if slices.ContainsFunc(termsOf(e.Observation.Title, e.Observation.Text), func(term string) bool { return slices.Contains(terms, term) }) {
				alike = append(alike, e)
			}
		}
	}
	slices.SortFunc(thread, func(a, b item) int { return b.Received.Compare(a.Received) })
	for n, some := range [][]item{thread[:min(len(thread), 1)], alike, alone} {
		if len(some) == 1 && (n < 2 || o.Kind == kindMail && len(strings.Fields(j.said())) <= bareWords) {
			l.replace(some[0], j, o, j.instead(some[0].Observation, times))
			return
		}
	}
}

// termsOf are the telling words of a letter, without its writer's name.
func termsOf(title, text string) []string {
	_, about, _ := strings.Cut(title, ": ")
	return subconscious.Terms(about + " " + text)
}

// replace ends what a letter corrects, of whose thread it is, and lets it be of the same
// kind and count as much.
func (l *collect) replace(e item, j judge, o *subconscious.Observation, at time.Time) {
	was := e.Observation
	number := func(o subconscious.Observation) int {
		n, _ := strconv.Atoi(o.Attrs["words"]) // none is 0
		return n
	}
	for name, value := range map[string]string{
		"thread": was.Attrs["thread"], "corrects": cmp.Or(was.Attrs["quote"], was.Title), "names_at": at.UTC().Format(time.RFC3339),
		"hours": strconv.Itoa(int(at.Sub(j.received).Hours())), "days": strconv.Itoa(int(at.Sub(j.midnight()).Hours() / 24)),
		"words": strconv.Itoa(max(number(was), number(*o))), "says": cmp.Or(o.Attrs["says"], was.Attrs["says"]),
	} {
		o.Attrs[name] = value
	}
	if o.Kind == kindMail {
		o.Kind, o.Until = was.Kind, at.Add(was.Until.Sub(timeOf(was)))
	}
	if !was.Due.IsZero() {
		o.Due = at
	}
	*o = classed(*o)
	l.endBy(e, "corrected", *o)
}

// timeOf is when something is due or the time that it names, zero for none.
func timeOf(o subconscious.Observation) time.Time {
	named, _ := time.Parse(time.RFC3339, o.Attrs["names_at"]) // zero where it names none
	return cmp.Or(o.Due, named)
}

var hour = regexp.MustCompile(`\b\d{1,2}\b`)

// timesNamed are the times in a letter, and those where a number alone is an hour.
func (j judge) timesNamed() (all [2][]dates.Match) {
	said := j.Subject + "\n" + j.said()
	for n, text := range []string{said, hour.ReplaceAllString(said, "at $0")} {
		all[n] = dates.Find(text, j.received.In(j.zone))
	}
	return all
}

// instead is the time that a letter names in place of that of an earlier one: of a time
// of day alone that of the same day. Zero for none, or more than one.
func (j judge) instead(was subconscious.Observation, times [2][]dates.Match) (at time.Time) {
	before := timeOf(was).In(j.zone)
	for _, found := range times {
		for _, m := range found {
			if !m.Day {
				year, month, day := before.Date()
				m.Due = time.Date(year, month, day, m.Due.Hour(), m.Due.Minute(), 0, 0, j.zone)
				if later := m.Due.Add(12 * time.Hour); m.Due.Hour() < 12 && !strings.ContainsAny(m.Text, ":.h") && later.Sub(before).Abs() < m.Due.Sub(before).Abs() {
					m.Due = later // the 8 of an evening
				}
			}
			switch {
			case m.DateOnly || timeOf(was).IsZero() || m.Due.Equal(before) || !j.ahead(m).is:
			case at.IsZero() || at.Equal(m.Due):
				at = m.Due
			default:
				return time.Time{}
			}
		}
		if !at.IsZero() {
			break
		}
	}
	return at
}
