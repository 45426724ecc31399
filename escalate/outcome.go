package escalate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// snoozedAtMost is how long a deliberation can put off that the person is
	// told.
	snoozedAtMost = 7 * 24 * time.Hour
	// deliberatesAtMost is how long a connection waits for a deliberation on one
	// of its parts. What has no end by then counts as told.
	deliberatesAtMost = time.Hour
)

// conclude carries out how a deliberation ended. What it decided of counts as
// told, or as kept back; what the person said meanwhile wins over it.
func (g *gate) conclude(incident *subconscious.Incident, c subconscious.Command) string {
	o := c.Outcome
	if !subconscious.IsDeliberation(c.By) || o == nil {
		return "refused: only a deliberation says how it ended"
	}
	if err := o.Validate(); err != nil {
		return "refused: it is no outcome: " + subconscious.Shorten(plain(err.Error()), 200)
	}
	if incident == nil || incident.Telling == nil {
		return fmt.Sprintf("nothing to conclude: %s is not known any more", named(c))
	}
	t := incident.Telling
	i := slices.IndexFunc(t.Told, func(told subconscious.Told) bool {
		return told.Tick == o.Tick && told.Outcome == subconscious.OutcomePending
	})
	if i < 0 {
		return fmt.Sprintf("nothing to conclude: no deliberation of tick %d on %s is under way", o.Tick, named(c))
	}
	told := &t.Told[i]
	told.Outcome = o.Kind
	g.out.Concluded = append(g.out.Concluded, subconscious.EscalationRecord{
		At: told.At, Incident: incident.Key, Summary: t.Asked.Summary, Reason: outcomeReason(o), Outcome: string(o.Kind),
		Deliberation: o.Deliberation, Cost: o.Cost, Cited: citedText(o.Cited),
	})
	if o.Kind.Tells() {
		if c.At.After(told.At) && !c.At.After(g.in.At) {
			told.At = c.At.In(g.in.At.Location())
		}
		t.Times++
		return string(o.Kind) + ": " + sentence(t.Asked, incident.Key)
	}
	return g.keepBack(incident, o, i)
}

// keepBack notes that the person was not told the i-th time, after all.
func (g *gate) keepBack(incident *subconscious.Incident, o *subconscious.Outcome, i int) string {
	t := incident.Telling
	d := Decision{
		Incident: incident.Key, ID: t.ID, Asked: t.Asked, New: true,
		Ruling: Ruling{Verdict: Drop, Reason: KeptBack, Detail: "thought over, and not told: " + outcomeReason(o)},
	}
	words := map[subconscious.OutcomeKind]string{subconscious.OutcomeDismissed: "kept back", subconscious.OutcomeRemembered: "remembered, and not told"}[o.Kind]
	switch {
	case i < len(t.Told)-1:
		words = "kept back, but it was told or thought over again since"
	case t.State == subconscious.TellingResolved || t.State == subconscious.TellingReopened || t.State == subconscious.TellingOpen:
		words = "kept back; it has gone on since"
	case t.State != subconscious.TellingTold || incident.Closed != nil:
		words = "kept back; what you said of it meanwhile stands"
		read := t.Told[i]
		read.Why, read.Outcome = whyRead, ""
		if t.Since.After(read.At) {
			read.At = t.Since
		}
		t.Told = append(t.Told, read)
		t.Told = t.Told[max(0, len(t.Told)-toldKept):]
	case t.Waits:
		g.enter(t, subconscious.TellingOpen)
		words = "kept back; what has changed since waits to be told"
	case o.Kind == subconscious.OutcomeSnoozed:
		until := g.putOff(incident, o.Until)
		g.enter(t, subconscious.TellingSnoozed)
		t.Waits, t.Held, t.HeldSince, t.Until = true, string(Snoozed), g.in.At, until
		d.Verdict, d.Until = Hold, until
		words = "put off until " + subconscious.Moment(until, g.in.At)
	default:
		g.enter(t, subconscious.TellingDismissed)
		if o.Kind == subconscious.OutcomeRemembered {
			g.enter(t, subconscious.TellingAcknowledged)
		}
		t.Held = string(KeptBack)
	}
	g.out.Decisions = append(g.out.Decisions, d)
	return words + ": " + sentence(t.Asked, incident.Key)
}

// putOff is until when a deliberation may put off that the person is told: while
// it is of use, no longer than a week, and no longer than to when the person
// asked to be reminded.
func (g *gate) putOff(incident *subconscious.Incident, until time.Time) time.Time {
	at, t := g.in.At, incident.Telling
	if latest := at.Add(snoozedAtMost); until.After(latest) {
		until = latest
	}
	if !t.Remind.IsZero() {
		until = t.Remind
	}
	if last := due(t.Asked, g.own(incident, t.Asked)).Add(-15 * time.Minute); last.After(at) && last.Before(until) {
		until = last
	}
	if until.Before(at) {
		until = at
	}
	return until.In(at.Location())
}

// outcomeReason is the sentence of a deliberation as it is kept.
func outcomeReason(o *subconscious.Outcome) string {
	return cmp.Or(subconscious.Shorten(plain(o.Reason), reasonKept), string(o.Kind))
}

func citedText(cited []subconscious.Citation) []string {
	var texts []string
	for _, c := range cited {
		texts = append(texts, c.String())
	}
	return texts
}

// isKeptBack reports whether a deliberation kept an incident back the last time,
// so that the person heard nothing of it.
func isKeptBack(t *subconscious.Telling) bool {
	last, told := lastTold(t)
	return told && last.Outcome.KeepsBack()
}

// isPending reports whether a deliberation on it, that time, is under way and can
// still be waited for.
func (g *gate) isPending(told subconscious.Told) bool {
	return told.Outcome == subconscious.OutcomePending && g.in.At.Sub(told.At) < deliberatesAtMost && !isAhead(told.At, g.in.At)
}

// hasRead notes that the person answered on what a deliberation had kept back:
// they have read it.
func (g *gate) hasRead(incident *subconscious.Incident, c subconscious.Command) {
	t := incident.Telling
	if !isKeptBack(t) || !teaches(c) {
		return
	}
	t.Told = append(t.Told, g.told(g.candidate(incident, t.Asked, true), whyRead))
	t.Told = t.Told[max(0, len(t.Told)-toldKept):]
	if t.State == subconscious.TellingDismissed && incident.Closed == nil { // not by the person
		g.enter(t, subconscious.TellingAcknowledged)
	}
}

// wentAway reports whether all that a request rests on has been gone since.
func wentAway(evidence []*subconscious.Evidence, since time.Time) bool {
	return len(evidence) > 0 && !slices.ContainsFunc(evidence, func(e *subconscious.Evidence) bool {
		return !slices.ContainsFunc(e.Occurrences, func(o subconscious.Occurrence) bool {
			return o.Change == subconscious.Gone && o.At.After(since)
		})
	})
}
