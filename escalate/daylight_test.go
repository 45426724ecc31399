package escalate_test

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// changeDays are the days on which the clocks are put forward and back.
var changeDays = []struct{ zone, forward, back string }{
	{"Europe/Berlin", "2026-03-29", "2026-10-25"},
	{"America/New_York", "2026-03-08", "2026-11-01"},
	{"Australia/Lord_Howe", "2026-10-04", "2026-04-05"}, // by half an hour
}

// eachChangeDay calls do with each of these days, and noon of the day before.
func eachChangeDay(t *testing.T, do func(t *testing.T, name string, from time.Time)) {
	for _, c := range changeDays {
		for _, day := range []string{c.forward, c.back} {
			from, err := time.ParseInLocation("2006-01-02 15:04", day+" 12:00", zone(t, c.zone))
			if err != nil {
				t.Fatal(err)
			}
			name := c.zone + " " + day
			t.Run(name, func(t *testing.T) { do(t, name, from.AddDate(0, 0, -1)) })
		}
	}
}

func minutes(text string) int {
	at, err := time.Parse("15:04", text)
	if err != nil {
		panic(err)
	}
	return at.Hour()*60 + at.Minute()
}

// reads reports whether the clocks on the wall are within the hours.
func reads(h escalate.Hours, at time.Time) bool {
	from, to, now := minutes(h.From), minutes(h.To), at.Hour()*60+at.Minute()
	switch {
	case from == to:
		return false
	case from < to:
		return now >= from && now < to
	}
	return now >= from || now < to
}

// twice reports whether the clocks show that time twice on that day.
func twice(at time.Time) bool {
	for _, apart := range []time.Duration{30 * time.Minute, time.Hour} {
		for _, other := range []time.Time{at.Add(apart), at.Add(-apart)} {
			if other.Format("2006-01-02 15:04") == at.Format("2006-01-02 15:04") {
				return true
			}
		}
	}
	return false
}

// TestQuietHoursByTheWall walks two days around each change of the clocks in
// steps of five minutes: what the wall says is quiet is quiet, and beyond that
// only what lies between two showings of the same time; and quiet ends when it
// is said to.
func TestQuietHoursByTheWall(t *testing.T) {
	hours := []escalate.Hours{{From: "23:00", To: "08:00"}, {From: "02:30", To: "08:00"}, {From: "22:00", To: "02:30"}, {From: "02:00", To: "03:00"},
		{From: "01:45", To: "02:15"}, {From: "02:15", To: "02:45"}, {From: "00:00", To: "23:59"}, {From: "08:00", To: "08:00"}, {From: "12:00", To: "11:55"}}
	eachChangeDay(t, func(t *testing.T, _ string, from time.Time) {
		for _, h := range hours {
			rules := escalate.Rules{Quiet: h}
			for at := from; at.Before(from.Add(48 * time.Hour)); at = at.Add(5 * time.Minute) {
				until, quiet := escalate.QuietUntil(rules, at)
				if wall := reads(h, at); wall && !quiet || quiet && !wall && !twice(at) {
					t.Errorf("%v at %s: quiet %t, the wall says %t", h, at, quiet, wall)
				}
				if !quiet {
					continue
				}
				if !until.After(at) {
					t.Errorf("%v at %s: quiet until %s", h, at, until)
				}
				if end, still := escalate.QuietUntil(rules, until.Add(-time.Nanosecond)); !still || !end.Equal(until) {
					t.Errorf("%v at %s: quiet until %s, but not just before", h, at, until)
				}
				if later, still := escalate.QuietUntil(rules, until); still && !later.After(until) {
					t.Errorf("%v at %s: quiet at its end %s", h, at, until)
				}
			}
		}
	})
}

// TestDigestsByTheWall walks four days around each change of the clocks: each
// digest comes once a day, whatever its time, however many ticks were missed.
func TestDigestsByTheWall(t *testing.T) {
	eachChangeDay(t, func(t *testing.T, _ string, from time.Time) {
		for _, daily := range []string{"00:00", "02:15", "02:30", "08:30"} {
			for _, missed := range []time.Duration{15 * time.Minute, 35 * time.Minute, 5 * time.Hour} {
				p := newPlay(t, from)
				p.rules.Quiet, p.rules.Digest = escalate.Hours{}, escalate.DigestTimes{Daily: daily}
				dues := map[string]int{}
				for ; p.at.Before(from.Add(96 * time.Hour)); p.at = p.at.Add(missed) {
					if name := fmt.Sprintf("file%d", p.tick); p.at.Hour()%6 == 0 || missed > time.Hour {
						p.observe(name, "file")
						p.happen(name, subconscious.Momentary, 0)
						p.ask(p.key(name), subconscious.Asked{Thread: subconscious.Dreamer, Kind: subconscious.KindIdea, Importance: 7, Summary: name}, name)
					}
					out := p.decide()
					p.forget()
					for _, d := range out.Digests {
						dues[d.Due.Format(time.DateOnly)]++
						if late := p.at.Sub(d.Due); late < 0 || late >= missed {
							t.Errorf("daily %s, a tick every %s: due %s, came %s", daily, missed, d.Due, p.at)
						}
					}
				}
				for day, n := range dues {
					if n != 1 {
						t.Errorf("daily %s, a tick every %s: %d digests on %s", daily, missed, n, day)
					}
				}
				if len(dues) != 4 {
					t.Errorf("daily %s, a tick every %s: digests on %d days of four", daily, missed, len(dues))
				}
			}
		}
	})
}

// TestDaylight plays a busy time over each change of the clocks, with a tick
// every five minutes: quiet hours, presence, budgets and digests together. What
// was told, and when, is in testdata/daylight.txtar.
func TestDaylight(t *testing.T) {
	written := &txtar.Archive{Comment: []byte("What is told over the changes of the clocks, by local time and offset.\n")}
	eachChangeDay(t, func(t *testing.T, name string, from time.Time) {
		for _, c := range []struct {
			name  string
			hours escalate.Hours
			times escalate.DigestTimes
			day   int
		}{
			{"night", escalate.Hours{From: "23:00", To: "08:00"}, escalate.DigestTimes{Daily: "08:30", Weekly: "sun 18:00"}, 12},
			{"within the change", escalate.Hours{From: "01:30", To: "02:15"}, escalate.DigestTimes{Daily: "02:30"}, 40},
			{"no quiet hours", escalate.Hours{From: "00:00", To: "00:00"}, escalate.DigestTimes{Weekly: "sun 02:15"}, 100},
		} {
			log := playDaylight(t, from, c.hours, c.times, c.day)
			written.Files = append(written.Files, txtar.File{Name: name + ", " + c.name, Data: log})
		}
	})
	testutil.Golden(t, *update, "testdata/daylight.txtar", txtar.Format(written))
}

func playDaylight(t *testing.T, from time.Time, hours escalate.Hours, times escalate.DigestTimes, day int) []byte {
	p := newPlay(t, from)
	p.rules.Quiet, p.rules.Digest, p.rules.NotificationsPerDay = hours, times, day
	var log bytes.Buffer
	for ; p.at.Before(from.Add(48 * time.Hour)); p.at = p.at.Add(5 * time.Minute) {
		n := int(p.tick)
		kind, severity, importance := "file", subconscious.Severity(0), 5+n/12%3
		if n%150 == 149 {
			kind, severity, importance = "disk", subconscious.Critical, 9
		}
		if n%6 == 5 {
			name := fmt.Sprintf("%s%d", kind, n)
			p.observe(name, kind)
			p.happen(name, subconscious.Appeared, severity)
			p.ask(p.key(name), subconscious.Asked{Thread: subconscious.Watcher, Kind: subconscious.KindAnomaly, Importance: importance, Summary: name}, name)
		}
		p.presence = subconscious.Presence{State: subconscious.PresenceIdle}
		if n%48 < 24 {
			p.presence.State = subconscious.PresenceBusy
		}
		out := p.decide()
		checkPushes(t, p, out)
		p.forget()
		for _, d := range out.Decisions {
			if d.Message != nil {
				fmt.Fprintf(&log, "%s %s %s\n", p.at.Format("Mon 15:04 -0700"), d.ID, map[bool]string{true: "critical", false: d.Detail}[d.Critical])
			}
		}
		for _, d := range out.Digests {
			fmt.Fprintf(&log, "%s digest of %d, due %s\n", p.at.Format("Mon 15:04 -0700"), len(d.Incidents), d.Due.Format("Mon 15:04 -0700"))
		}
	}
	return log.Bytes()
}

// checkPushes holds a tick against the promises: nothing but what is critical
// in quiet hours, and never more than the caps.
func checkPushes(t interface{ Errorf(string, ...any) }, p *play, out escalate.Decided) {
	pushes, plain, capped, rings := len(out.Digests), len(out.Digests), 0, 0
	for _, d := range out.Decisions {
		switch {
		case d.Message == nil:
		case d.Rings:
			if rings++; !p.rings(d) || reads(p.rules.Quiet, p.at) && !d.Critical {
				t.Errorf("%s: %s rings", p.at, d.ID)
			}
		case d.Critical:
			pushes++
		default:
			pushes, plain, capped = pushes+1, plain+1, capped+1
		}
	}
	rules, spent := p.rules, p.last.Spent
	if out.Spent.Rings != spent.Rings+rings || rings > 0 && out.Spent.Rings > rules.NotificationsPerDay {
		t.Errorf("%s: %d rings, but spent goes from %+v to %+v", p.at, rings, spent, out.Spent)
	}
	if plain > 0 && reads(rules.Quiet, p.at) {
		t.Errorf("%s: %d pushes in quiet hours", p.at, plain)
	}
	if reads(rules.Quiet, p.at) && out.Notices != nil {
		t.Errorf("%s: a notice in quiet hours", p.at)
	}
	if pushes > 0 && spent.Today+pushes > rules.NotificationsPerDay {
		t.Errorf("%s: %d pushes today, %d are allowed", p.at, spent.Today+pushes, rules.NotificationsPerDay)
	}
	if capped > 0 && spent.LastHour+capped > rules.EscalationsPerHour {
		t.Errorf("%s: %d pushes within the hour, %d are allowed", p.at, spent.LastHour+capped, rules.EscalationsPerHour)
	}
	if reserve := min(1, rules.NotificationsPerDay/4); plain > 0 && spent.Today+plain > rules.NotificationsPerDay-reserve {
		t.Errorf("%s: the reserve of %d was used: %d told, %d now", p.at, reserve, spent.Today, plain)
	}
	if out.Spent.Today != spent.Today+pushes || out.Spent.LastHour != spent.LastHour+pushes-len(out.Digests) {
		t.Errorf("%s: %d pushes, but spent goes from %+v to %+v", p.at, pushes, spent, out.Spent)
	}
	for _, m := range messages(out) {
		checkMessage(t, m)
	}
}

// rings reports whether a decision is told at a time that the person set, which no
// hour holds.
func (p *play) rings(d escalate.Decision) bool {
	for _, e := range p.last.Evidence {
		if len(d.Asked.Evidence) > 0 && e.Ref == d.Asked.Evidence[0].Ref && d.Asked.Kind == subconscious.KindDeadline && e.Latest.Trust == subconscious.Owner &&
			subconscious.TimeBand(cmp.Or(d.Asked.Due, e.Latest.Due), p.at) == subconscious.BandNow {
			return true
		}
	}
	return d.Again == "reminder" || slices.ContainsFunc(p.last.Incidents, func(i subconscious.Incident) bool {
		t := i.Telling
		return i.Key == d.Incident && t != nil && (!t.Remind.IsZero() || t.State == subconscious.TellingSnoozed && !p.at.Before(t.Until))
	})
}

// messages are all that is told at a tick.
func messages(out escalate.Decided) (all []escalate.Message) {
	for _, d := range out.Decisions {
		if d.Message != nil {
			all = append(all, *d.Message)
		}
	}
	for _, d := range out.Digests {
		all = append(all, d.Message)
	}
	if out.Notices != nil {
		all = append(all, out.Notices.Message)
	}
	return all
}

// openable is an address that programs open without a scheme.
var openable = regexp.MustCompile(`(?i)\bwww\d?\.`)

// checkMessage holds a message against what a channel takes and a reader needs.
func checkMessage(t interface{ Errorf(string, ...any) }, m escalate.Message) {
	whole := m.Title + m.Text
	if n := len([]rune(whole)); n > 240 || m.Title == "" || m.Text == "" {
		t.Errorf("%d characters, title %q, text %q", n, m.Title, m.Text)
	}
	if strings.ContainsAny(whole, "\n\r\t\x00\x1b") || strings.Contains(whole, "://") || openable.MatchString(whole) || subconscious.Printable(whole) != whole {
		t.Errorf("%q is not plain", whole)
	}
}
