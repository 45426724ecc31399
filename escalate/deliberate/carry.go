package deliberate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// ranOf is how long what became of an action is worth telling.
const ranOf = 6 * time.Hour

// maxOutput is how many characters of what a failed program said are told.
const maxOutput = 80

// carryOut runs the action that was written down as started, or asks how it went
// where it was started in another life, and tells the person.
func (d *deliberation) carryOut(ctx context.Context) error {
	s := *d.underway
	call := s.Call.ToolCall
	var in acting
	if err := decode(call.Arguments, &in); err != nil {
		return err // it was read before it was started
	}
	request := d.asked(s, in.Action, in.arguments(), in.Reason)
	known, err := d.wasAnswered(ctx)
	if err != nil {
		return err
	}
	request.Refused = d.refusedNow(in.Action, known)
	ran, err := d.runAction(ctx, request)
	if ctx.Err() != nil {
		return nil // how it went is asked at the next start
	}
	if errors.Is(err, ErrRequest) {
		return d.refusing(ctx, call, err)
	}
	if err := failpoint.Hit("deliberate.ran"); err != nil {
		return err
	}
	called := Step{Kind: StepCalled, Round: d.rounds, Text: clip(d.Redact(ran.Output), maxMemo),
		Call: &Called{ToolCall: call, Judgement: s.Call.Judgement, Shown: s.Call.Shown, Made: ran.ID}}
	telling, what := d.afterRun(request, ran, err)
	c := conclusion{kind: subconscious.OutcomeActed, reason: d.reason(in.Reason, "the model asked for "+in.Action), telling: telling}
	if telling.Kind == TellFailed {
		c.kind, c.reason = subconscious.OutcomeTold, subconscious.Shorten(what, maxReason)
		called.Call.Failed = true
	}
	if called.Text == "" {
		called.Text = what
	}
	return d.end(ctx, &called, nil, c)
}

// refusedNow says why an action that was let through may not begin any more: the
// person has answered, or it was interrupted, and all is configured otherwise
// since. It is "" where it may.
func (d *deliberation) refusedNow(action string, known bool) string {
	switch {
	case known:
		return answered
	case !d.Config.Enabled:
		return switchedOff
	}
	offer, ok := d.offered(action)
	if !ok {
		return "" // whoever carries it out says so
	}
	j := d.judge(escalate.EffectAct, offer.Approval)
	if j.Permission == escalate.Allowed {
		return ""
	}
	return fmt.Sprintf("%s is configured otherwise now: %s (clause %s)", action, j.Why, j.Clause)
}

func (d *deliberation) runAction(ctx context.Context, request escalate.ActRequest) (ran Ran, err error) {
	if d.Actions == nil {
		return Ran{Unknown: true}, nil
	}
	defer contained(&err)
	return d.Actions.Run(ctx, request)
}

// afterRun is what the person is told of an action, and what became of it.
func (d *deliberation) afterRun(request escalate.ActRequest, ran Ran, err error) (*Telling, string) {
	now, heading := d.Now(), d.heading(d.Escalation, d.taint)
	words := cmp.Or(d.mechanical(ran.Words, maxWords), d.mechanical(request.Action, maxWords))
	kind, what, end := TellFailed, words, ""
	said := ""
	switch {
	case err != nil:
		what += " could not be carried out: " + d.mechanical(err.Error(), maxOutput)
	case ran.Unknown:
		what += " was begun, and nobody knows whether it was done: the daemon was interrupted"
		end = " Look before you repeat it." + end
	case !ran.OK:
		what += " failed"
		if output := d.mechanical(ran.Output, maxOutput); output != "" {
			what += ": " + output
		}
	default:
		kind, said, end = TellActed, "Done: ", ""
		if ran.UndoUntil.After(now) {
			end = " It can be undone until " + subconscious.Moment(ran.UndoUntil, now) + "."
		}
	}
	return &Telling{Told: Told{Kind: kind, Title: heading, Text: joined(subconscious.Ended(said+what), end, room(heading))}, Run: ran.ID, Expires: now.Add(ranOf)}, what
}
