package escalate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// snoozeFor is how long "not now" is where nobody says until when.
const snoozeFor = 3 * time.Hour

// obey carries out what the person said of incidents, and how deliberations
// ended, in the order in which it was said.
func (g *gate) obey() {
	commands := slices.SortedStableFunc(slices.Values(g.in.Commands), func(a, b subconscious.Command) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.At.Compare(b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Incident, b.Incident),
			cmp.Compare(a.IncidentID, b.IncidentID), cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Feedback, b.Feedback), a.Until.Compare(b.Until), cmp.Compare(a.By, b.By),
			compareWritten(a.Outcome, b.Outcome))
	})
	for _, c := range commands {
		incident := g.meant(c)
		switch c.Kind {
		case subconscious.CommandOutcome:
			g.out.Done[c.ID] = g.conclude(incident, c)
		case subconscious.CommandAck:
			g.out.Done[c.ID] = g.acknowledge(incident, c)
		case subconscious.CommandSnooze:
			g.out.Done[c.ID] = g.snooze(incident, c)
		case subconscious.CommandRemind:
			g.out.Done[c.ID] = g.remind(incident, c)
		case subconscious.CommandDismiss, subconscious.CommandClose:
			g.dismiss(incident, c)
		}
	}
}

// meant finds the incident that a command names by its key or id, or whose entry
// it names.
func (g *gate) meant(c subconscious.Command) *subconscious.Incident {
	if c.Incident != "" || c.Entry == "" && c.IncidentID == "" {
		return g.incidents[c.Incident]
	}
	for _, key := range g.keys {
		t := g.incidents[key].Telling
		if t != nil && (c.IncidentID != "" && t.ID == c.IncidentID || c.IncidentID == "" && t.Asked.Entry == c.Entry) {
			return g.incidents[key]
		}
	}
	return nil
}

// named is what a command calls its incident.
func named(c subconscious.Command) string {
	return subconscious.Shorten(plain(cmp.Or(string(c.IncidentID), string(c.Incident), string(c.Entry), "it")), 80)
}

// teaches reports whether a command is the person's own word: what an agent or a
// deliberation says of an incident is no feedback.
func teaches(c subconscious.Command) bool {
	return c.By == "" || strings.HasPrefix(c.By, "person")
}

func (g *gate) acknowledge(incident *subconscious.Incident, c subconscious.Command) string {
	switch {
	case incident == nil || incident.Telling == nil:
		return fmt.Sprintf("nothing to acknowledge: nobody asked to tell of %s", named(c))
	case c.Text != "": // what was said of a proposal is not said of being told
		g.answered(incident, c, c.Text)
		return "noted: " + c.Text + ": " + sentence(incident.Telling.Asked, incident.Key)
	case c.Feedback == subconscious.Missed: // it should have been told: that is learnt, and what waits still waits
		if teaches(c) {
			g.learn(incident.Telling, c.Feedback)
		}
		return "kept as missed: " + sentence(incident.Telling.Asked, incident.Key)
	case c.Feedback != "" && c.Feedback != subconscious.Useful && c.Feedback != subconscious.NotUseful:
		return fmt.Sprintf("refused: %.40q is no word on its use; say useful or not_useful", c.Feedback)
	}
	t, done := incident.Telling, "acknowledged: "
	if _, heard := t.Heard(); !heard {
		done = "acknowledged before it was told: "
	}
	g.hasRead(incident, c)
	switch {
	case !teaches(c):
	case c.Feedback != "" || t.Feedback == subconscious.Ignored:
		g.learn(t, c.Feedback)
	}
	if t.Waits && (len(t.Told) == 0 || t.State == subconscious.TellingSnoozed) {
		g.readInInbox(incident)
	}
	switch t.State {
	case subconscious.TellingResolved, subconscious.TellingDismissed:
	default:
		g.enter(t, subconscious.TellingAcknowledged)
	}
	done += sentence(t.Asked, incident.Key)
	if c.Feedback == "" {
		g.answered(incident, c, "acknowledged")
		return done
	}
	said := strings.ReplaceAll(string(c.Feedback), "_", " ")
	g.answered(incident, c, said)
	return done + " (" + said + ")"
}

// answered notes what the person said of an incident.
func (g *gate) answered(incident *subconscious.Incident, c subconscious.Command, said string) {
	if teaches(c) {
		g.out.Answers = append(g.out.Answers, Answer{incident.Key, said})
	}
}

// readInInbox notes that the person read what waited to be told: it is as good
// as told, and waits no more.
func (g *gate) readInInbox(incident *subconscious.Incident) {
	t := incident.Telling
	l := g.candidate(incident, t.Asked, true)
	if len(t.Told) == 0 {
		t.Told = append(t.Told, g.told(l, whyRead))
	}
	d := l.decision(Duplicate, Ruling{Verdict: Drop, Detail: answeredBefore(l.telling)})
	g.out.Decisions = append(g.out.Decisions, d)
	t.Waits, t.Held, t.HeldSince, t.Until = false, string(Duplicate), time.Time{}, time.Time{}
}

// answeredBefore says why what waited is not told any more.
func answeredBefore(t *subconscious.Telling) string {
	if _, told := lastPush(t); told {
		return "you answered before it was told again"
	}
	return "you answered before it was told"
}

func (g *gate) snooze(incident *subconscious.Incident, c subconscious.Command) string {
	at := g.in.At
	if incident == nil || incident.Telling == nil {
		return fmt.Sprintf("nothing to snooze: nobody asked to tell of %s", named(c))
	}
	t := incident.Telling
	g.hasRead(incident, c)
	if t.State == subconscious.TellingResolved || t.State == subconscious.TellingDismissed || incident.Closed != nil {
		return "nothing to snooze: it is over or dismissed: " + sentence(t.Asked, incident.Key)
	}
	until := c.Until
	switch {
	case until.IsZero():
		until = g.notNow(incident)
	case !until.After(at):
		return "refused: snooze until a time that is ahead, not " + subconscious.Moment(until, at)
	}
	if t.Feedback == subconscious.Ignored && teaches(c) {
		g.learn(t, "")
	}
	g.enter(t, subconscious.TellingSnoozed)
	t.Waits, t.Held, t.HeldSince, t.Until = true, string(Snoozed), at, until.In(at.Location())
	said := "snoozed until " + subconscious.Moment(until, at)
	if due := g.dueBefore(until, incident); !due.IsZero() {
		said += ", though it is due before that, " + when(due, at)
	}
	g.answered(incident, c, said)
	return said + ": " + sentence(t.Asked, incident.Key)
}

// notNow is when something is told again that came at a bad moment: in three
// hours, or when quiet hours end, whichever is later; but while it is of use.
func (g *gate) notNow(incident *subconscious.Incident) time.Time {
	at := g.in.At
	until := at.Add(snoozeFor)
	for _, moment := range []time.Time{at, until} {
		if end, quiet := QuietUntil(g.in.Rules, moment); quiet && end.After(until) {
			until = end
		}
	}
	asked := incident.Telling.Asked
	last := due(asked, g.own(incident, asked)).Add(-15 * time.Minute)
	if last.After(at) && last.Before(until) {
		return last
	}
	return until
}

func (g *gate) remind(incident *subconscious.Incident, c subconscious.Command) string {
	at := g.in.At
	switch {
	case incident == nil:
		return fmt.Sprintf("nothing to remind of: %s is not known", named(c))
	case incident.Closed != nil:
		return "nothing to remind of: it is dismissed: " + keyOf(subconscious.IncidentKey(cmp.Or(incident.Summary, string(incident.Key))))
	case !c.Until.After(at):
		return "refused: a reminder needs a time that is ahead"
	}
	t := g.begin(incident, unasked(incident, at))
	t.Remind = c.Until.In(at.Location())
	return "reminder " + when(c.Until, at) + ": " + sentence(t.Asked, incident.Key)
}

// unasked stands for the request where nobody but the person asks to be told.
func unasked(incident *subconscious.Incident, at time.Time) subconscious.Asked {
	asked := subconscious.Asked{
		At: at, Kind: subconscious.KindObservation, Summary: incident.Summary, Importance: 5, Reason: "you asked to be reminded",
	}
	for _, ref := range slices.Sorted(maps.Keys(incident.Recorded)) {
		asked.Evidence = append(asked.Evidence, subconscious.Citation{Ref: ref})
		asked.Source = asked.Evidence[0].Ref.Sense()
	}
	return bounded(asked)
}

// dismiss notes that the person wants to hear no more of an incident. That it is
// closed, and until when, is the merge's.
func (g *gate) dismiss(incident *subconscious.Incident, c subconscious.Command) {
	if incident == nil || incident.Telling == nil {
		return
	}
	t := incident.Telling
	g.hasRead(incident, c)
	g.answered(incident, c, "dismissed")
	if c.Kind == subconscious.CommandDismiss && teaches(c) {
		g.learn(t, subconscious.Dismissed)
	}
	g.enter(t, subconscious.TellingDismissed)
	t.Remind = time.Time{}
}
