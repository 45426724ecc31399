// Package escalate is the gate: it decides, of each request that the person be
// told, whether that happens now, later or never, with one named reason. It is
// pure: no I/O, no model, no clock. It keeps the life of an incident with the
// person (subconscious.Telling), which nothing else changes, and learns from
// what the person says of it. It stores nothing.
//
// The daemon calls Decide once a tick, after the merge, and commits what comes
// of it in the transaction of the tick.
package escalate

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Version names the rules of the gate. It rises with every change that could
// make a recorded tick be judged otherwise.
const Version = 9

// Decide judges every request asked and every incident that waits, giving each the
// first reason that applies, moves incidents on in their life with the person,
// and says which digests and notices go out. It depends on nothing but in, and
// leaves it as it is; the order of what in lists does not matter.
func Decide(in Input) Decided {
	g := open(in)
	g.obey()
	g.live()
	g.owe()
	candidates := g.candidates()
	g.begins = in.First && (!in.Spent.Restored.IsZero() || len(candidates) > max(in.Rules.EscalationsPerHour, 1))
	for _, l := range candidates {
		g.rule(l)
	}
	g.digests()
	g.notices()
	return g.outcome()
}

// rule finds the first reason that applies to a request, and carries it out.
func (g *gate) rule(l *candidate) {
	for _, r := range reasons() {
		if ruled, applies := r.applies(l); applies {
			if !ruled.Until.IsZero() { // by the clock of now: what is read back may have that of then
				ruled.Until = ruled.Until.In(g.in.At.Location())
			}
			if ruled.Verdict == Hold && l.due.IsZero() && g.in.At.Before(l.end) && !isSnoozed(l.telling, g.in.At) {
				ruled.Detail += "; " + l.use()
			}
			g.carry(l, r.reason, ruled)
			return
		}
	}
}

// carry writes a ruling down, in the decision and in the incident's life.
func (g *gate) carry(l *candidate, reason Reason, ruled Ruling) {
	d := l.decision(reason, ruled)
	if t := l.telling; t != nil {
		d.New = ruled.Verdict == Tell || t.Held != string(reason) || t.Waits != (ruled.Verdict == Hold)
		if ruled.Verdict != Drop || t.Times == 0 && d.New && !t.Deliberating() {
			t.Asked = l.asked
		}
		switch ruled.Verdict {
		case Tell:
			d.Message = g.message(l)
			d.Deliberate = g.in.Rules.Deliberates && !l.reminds && !(l.rings() && l.isOurs())
			g.deliver(l, d.Deliberate)
			g.spend(d)
		case Hold:
			if !t.Waits {
				t.HeldSince = g.in.At
			}
			if reason != Snoozed && l.snoozeBroken() {
				g.enter(t, l.unsnoozed())
			}
			g.reopen(l)
			if t.State == subconscious.TellingDismissed && isKeptBack(t) { // and matters again
				g.enter(t, subconscious.TellingOpen)
			}
			t.Waits, t.Held = true, string(reason)
			if !t.Until.Equal(ruled.Until) {
				t.Until = ruled.Until
			}
		case Drop:
			g.drop(l, reason)
		}
	}
	g.out.Decisions = append(g.out.Decisions, d)
	if ruled.Verdict == Hold {
		g.held = append(g.held, heldRequest{l, len(g.out.Decisions) - 1})
	}
}

// decision is the record of what became of a request.
func (l *candidate) decision(reason Reason, ruled Ruling) Decision {
	ruled.Reason, ruled.Critical, ruled.Confidence = reason, l.critical, l.confidence
	if ruled.Verdict != Drop {
		ruled.Again = l.again
	}
	d := Decision{Incident: l.key, Asked: l.asked, Ruling: ruled, Urgent: l.isUrgent(), Stranger: l.stranger(), Rings: l.hasRing(), New: true}
	if l.telling != nil {
		d.ID = l.telling.ID
	}
	return d
}

// heldRequest is a request that was held, and its decision.
type heldRequest struct {
	*candidate
	decision int
}

// spend takes one push out of what the person has of attention.
func (g *gate) spend(d Decision) {
	if d.Rings {
		g.out.Spent.Rings++
		return
	}
	g.out.Spent.Today++
	g.out.Spent.LastHour++
	g.out.Spent.Opens = cmp.Or(g.out.Spent.Opens, g.in.At.Add(time.Hour))
	if d.Urgent {
		g.out.Spent.UrgentToday++
		g.out.Spent.UrgentLastHour++
	}
	if d.Stranger != "" {
		g.out.Spent.Strangers = append(slices.Clip(g.out.Spent.Strangers), d.Stranger)
	}
}

// replacesAfter is how long after a message the next one of its incident takes its
// place by itself; see package notify.
const replacesAfter = 15 * time.Minute

// outcome puts everything into an order that depends on nothing but itself.
func (g *gate) outcome() Decided {
	g.out.Clears = slices.DeleteFunc(g.out.Clears, func(c Clear) bool { // what corrects it takes its place
		return g.in.At.Sub(c.told) >= replacesAfter && slices.ContainsFunc(g.out.Decisions, func(d Decision) bool { return d.ID == c.ID && d.Message != nil })
	})
	slices.SortFunc(g.out.Concluded, func(a, b subconscious.EscalationRecord) int {
		return cmp.Or(cmp.Compare(a.Incident, b.Incident), a.At.Compare(b.At))
	})
	slices.SortStableFunc(g.out.Decisions, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(order(a.Verdict), order(b.Verdict)), cmp.Compare(a.Incident, b.Incident))
	})
	g.out.Incidents = g.changed()
	g.out.Scores = g.learnt()
	return g.out
}

// order puts what is told first, then what is held.
func order(v Verdict) int { return slices.Index([]Verdict{Tell, Hold, Drop}, v) }

// sortOf is the sort of thing that a request is about; none where habits are learnt
// in its place.
func sortOf(asked subconscious.Asked) subconscious.Sort {
	if asked.Scored {
		return subconscious.Sort{}
	}
	return subconscious.Sort{Thread: asked.Thread, Source: asked.Source, Kind: asked.Kind}
}
