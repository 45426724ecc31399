package deliberate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// The reasons why nothing is told, or not now, whatever a model says: the
	// message is of no use any more, the person knows, or quiet hours have begun
	// since the gate let it through.
	tooLate  = "it came too late"
	answered = "you answered it meanwhile"
	nowQuiet = "quiet hours have begun"
	// maxCited is how many citations an outcome has.
	maxCited = 8
	// byRule is the model of an outcome where rules told the person.
	byRule = "template"
)

// conclusion is how an escalation ends.
type conclusion struct {
	kind   subconscious.OutcomeKind
	reason string
	until  time.Time
	// telling is what the person is told; nil for nothing.
	telling *Telling
	// fallback is why the words of the gate are told, where they are.
	fallback string
	// mechanical: no model decided it.
	mechanical bool
}

// end ends the escalation: the last step, what else belongs in it, what the person is
// told and what the mind is told are one transaction. Where the person is not told
// (now), what else belongs in it is left undone.
func (d *deliberation) end(ctx context.Context, last *Step, also func(context.Context, *store.Tx, *conclusion) error, c conclusion) error {
	n := d.n
	err := d.write(ctx, "end", func(ctx context.Context, tx *store.Tx) error {
		d.n = n
		c, changed, err := d.held(ctx, tx, c)
		if err != nil {
			return err
		}
		if also != nil && !changed {
			if err := also(ctx, tx, &c); err != nil {
				return err
			}
		}
		if last != nil {
			last.Text = cmp.Or(last.Text, "it has ended: "+string(c.kind))
			if _, err := d.insert(ctx, tx, last, d.n); err != nil {
				return err
			}
			if err := d.endOthers(ctx, tx); err != nil {
				return err
			}
		}
		return d.conclude(ctx, tx, c)
	})
	if err != nil {
		d.n = n
		return err
	}
	d.over = true
	if d.Ended != nil {
		d.Ended(d.ID)
	}
	return nil
}

// held is the end of an escalation whose telling is held back: it is of no use
// any more, the person has answered, or it would break into quiet hours. What
// became of an action is always told.
func (d *deliberation) held(ctx context.Context, tx *store.Tx, c conclusion) (instead conclusion, changed bool, err error) {
	if !c.kind.Tells() || c.acted() {
		return c, false, nil
	}
	instead = conclusion{kind: subconscious.OutcomeDismissed, fallback: c.fallback, mechanical: true}
	if d.isLate(d.Now()) {
		instead.reason = tooLate
		return instead, true, nil
	}
	known, err := d.Answered(ctx, tx, d.Escalation)
	if err != nil {
		return c, false, err
	}
	until, quiet := d.quiet()
	switch {
	case known:
		instead.reason = answered
	case quiet:
		instead.kind, instead.reason, instead.until = subconscious.OutcomeSnoozed, nowQuiet, until
	default:
		return c, false, nil
	}
	return instead, true, nil
}

// wasAnswered asks it outside of the transaction that ends the escalation.
func (d *deliberation) wasAnswered(ctx context.Context) (known bool, err error) {
	err = d.DB.Read(ctx, func(tx *store.Tx) (err error) {
		known, err = d.Answered(ctx, tx, d.Escalation)
		return err
	})
	return known, err
}

// acted reports whether it tells of an action that was run, or may have been.
func (c conclusion) acted() bool {
	return c.telling != nil && (c.telling.Run != "" || c.telling.Kind == TellFailed || c.telling.Kind == TellActed)
}

// quiet returns until when this escalation is not told of. It began when it could be,
// but may have been interrupted since. What is due or of no use before then is
// told all the same.
func (d *deliberation) quiet() (until time.Time, ok bool) {
	if d.Critical {
		return until, false
	}
	until, ok = d.Quiet(d.Now())
	if ok && (d.isLate(until) || d.Due.After(d.Now()) && !until.Before(d.Due)) {
		return until, false
	}
	return until, ok
}

// endOthers writes down that what the answer asked for behind the end was not
// run.
func (d *deliberation) endOthers(ctx context.Context, tx *store.Tx) error {
	d.n++
	if len(d.pending) < 2 {
		return nil
	}
	for _, call := range d.pending[1:] {
		s := Step{Kind: StepCalled, Round: d.rounds, Text: "error: it has ended", Call: &Called{ToolCall: call.shortened(), Failed: true}}
		if _, err := d.insert(ctx, tx, &s, d.n); err != nil {
			return err
		}
		d.n++
	}
	return nil
}

// conclude writes down how the escalation ended, tells the person and the mind.
func (d *deliberation) conclude(ctx context.Context, tx *store.Tx, c conclusion) error {
	now := d.Now()
	outcome := subconscious.Outcome{Deliberation: d.ID, Kind: c.kind, Reason: subconscious.Clip(c.reason, subconscious.OutcomeReasonBytes), Until: c.until,
		Tick: d.Tick, Model: cmp.Or(d.model, byRule), Cost: d.Cost, Cited: slices.Clone(d.Evidence[:min(len(d.Evidence), maxCited)])}
	if c.fallback != "" || c.mechanical {
		outcome.Model = byRule
	}
	e := Ending{Outcome: &outcome, Fallback: c.fallback}
	if c.telling != nil {
		t := d.addressed(*c.telling)
		if err := d.Teller.Tell(ctx, tx, t); err != nil {
			return err
		}
		e.Told = &t.Told
	}
	if err := d.Mind.Conclude(ctx, tx, subconscious.Command{At: now, Kind: subconscious.CommandOutcome, Incident: d.Incident, IncidentID: d.Person,
		Until: c.until, Outcome: &outcome, By: subconscious.ByDeliberation}, !c.kind.Tells()); err != nil {
		return err
	}
	if _, err := d.insert(ctx, tx, &Step{Kind: StepEnded, Round: d.rounds, Text: string(c.kind) + ": " + cmp.Or(c.fallback, c.reason)}, d.n); err != nil {
		return err
	}
	body, _, err := d.pack(e)
	if err != nil {
		return err
	}
	return tx.Exec(ctx, "UPDATE escalations SET state = 'ended', ended = ?, ending = ? WHERE id = ? AND state <> 'ended'",
		now.UnixNano(), body, d.ID)
}

// addressed fills in what every message of the escalation has.
func (d *deliberation) addressed(t Telling) Telling {
	t.Key, t.Escalation, t.Urgent = "deliberation:"+d.ID, d.Escalation, d.Template.Urgent
	if t.Expires.IsZero() {
		t.Expires = d.Template.Expires
	}
	return t
}

// tellByRule ends the escalation with the words of the gate, and says so in brackets.
func (d *deliberation) tellByRule(ctx context.Context, why fallback) error {
	heading := d.heading(d.Escalation, d.taint)
	text := oneLine(d.Redact(oneLine(d.Template.Text)))
	if why.short != "" {
		text = joined(text, " (told by rule: "+why.short+")", room(heading))
	}
	reason := cmp.Or(why.long, why.short, "a rule told it")
	return d.end(ctx, nil, nil, conclusion{kind: subconscious.OutcomeTold, reason: subconscious.Shorten(reason, maxReason), fallback: reason,
		telling: &Telling{Told: Told{Kind: TellTemplate, Title: heading, Text: subconscious.Shorten(text, room(heading))}}})
}
