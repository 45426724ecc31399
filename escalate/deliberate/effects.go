package deliberate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// Bounds of what a model may have kept or posted, in bytes and pieces.
	maxMemo = 2 << 10
	maxPost = 8 << 10
	maxName = 100
	maxTags = 8
	// minSnooze and maxSnooze are how long something may be put off.
	minSnooze = time.Minute
	maxSnooze = 14 * 24 * time.Hour
)

// request has the policy decide about an effect, and carries it out where it may
// be.
func (d *deliberation) request(ctx context.Context, call ToolCall) error {
	switch escalate.Effect(call.Name) {
	case escalate.EffectNotify:
		return d.notify(ctx, call)
	case escalate.EffectRemember:
		return d.remember(ctx, call)
	case escalate.EffectPost:
		return d.post(ctx, call)
	case escalate.EffectAct:
		return d.act(ctx, call)
	case escalate.EffectSnooze:
		return d.snooze(ctx, call)
	}
	return d.dismiss(ctx, call)
}

// judged is a step that tells what the policy says of a request.
func (d *deliberation) judged(call ToolCall, effect escalate.Effect, approval escalate.Approval) (Step, escalate.Permission) {
	j := d.judge(effect, approval)
	s := Step{Kind: StepCalled, Round: d.rounds, Call: &Called{ToolCall: call, Judgement: &j, Shown: d.taint.Trusts()}}
	return s, j.Permission
}

// denied tells the model that the policy refuses a request, and why.
func (d *deliberation) denied(ctx context.Context, s Step, more string) error {
	s.Call.Failed = true
	s.Text = fmt.Sprintf("error: refused by clause %s: %s%s. Choose otherwise.", s.Call.Judgement.Clause, s.Call.Judgement.Why, more)
	return d.answer(ctx, s)
}

// effect carries out what belongs in the transaction of its step. What is wrong
// with the request itself is told to the model.
func (d *deliberation) effect(ctx context.Context, s Step, do func(context.Context, *store.Tx) (id, told string, err error)) error {
	s.Kind, s.Round = StepCalled, d.rounds
	warning := d.lastWarning()
	var wrong error
	err := d.put(ctx, &s, func(ctx context.Context, tx *store.Tx) error {
		s.Call.Made, s.Text, wrong = do(ctx, tx)
		s.Text += warning
		return wrong
	})
	if errors.Is(wrong, ErrRequest) {
		return d.wrong(ctx, s.Call.ToolCall, wrong)
	}
	return err
}

// wrong tells the model what is wrong with a request.
func (d *deliberation) wrong(ctx context.Context, call ToolCall, err error) error {
	return d.refuse(ctx, call, d.spoken(err.Error(), d.taint, 2*maxReason))
}

func (d *deliberation) notify(ctx context.Context, call ToolCall) error {
	var in struct{ Text, Reason string }
	if err := decode(call.Arguments, &in); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	heading := d.heading(d.Escalation, d.taint)
	text := d.spoken(in.Text, d.taint, room(heading))
	if text == "" {
		return d.refuse(ctx, call, "the text is empty")
	}
	s, permission := d.judged(call, escalate.EffectNotify, "")
	if permission != escalate.Allowed {
		return d.denied(ctx, s, "")
	}
	return d.end(ctx, &s, nil, conclusion{kind: subconscious.OutcomeTold, reason: d.reason(in.Reason, "the model found it worth telling"),
		telling: &Telling{Told: Told{Kind: TellTold, Title: heading, Text: text}}})
}

// reason is the one sentence of a model, or what stands for it.
func (d *deliberation) reason(text, otherwise string) string {
	if reason := d.spoken(text, d.taint, maxReason); reason != "" {
		return reason
	}
	return otherwise
}

func (d *deliberation) remember(ctx context.Context, call ToolCall) error {
	var in struct {
		Text, Kind, Reason string
		Tags               []string
	}
	if err := decode(call.Arguments, &in); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	memo := Memo{Key: d.key(), Text: d.Redact(oneLine(clip(in.Text, maxMemo))), Kind: d.spoken(in.Kind, d.taint, 40), Trusts: d.taint.Trusts(), Escalation: d.Escalation, Evidence: d.Evidence}
	if memo.Text == "" || len(in.Tags) > maxTags {
		return d.refuse(ctx, call, fmt.Sprintf("a memory needs a text, and has at most %d tags", maxTags))
	}
	for _, tag := range in.Tags {
		memo.Tags = append(memo.Tags, d.spoken(tag, d.taint, 40))
	}
	s, permission := d.judged(call, escalate.EffectRemember, "")
	if permission != escalate.Allowed && permission != escalate.Quarantined {
		return d.denied(ctx, s, "")
	}
	memo.Quarantined = permission == escalate.Quarantined
	return d.effect(ctx, s, func(ctx context.Context, tx *store.Tx) (string, string, error) {
		id, err := d.Memories.Remember(ctx, tx, memo)
		if memo.Quarantined {
			return id, "kept apart as " + id + " until the person confirms it", err
		}
		return id, "kept as " + id, err
	})
}

// key names an effect for good: the escalation, and which of its steps.
func (d *deliberation) key() string { return fmt.Sprintf("%s/%d", d.ID, d.n) }

func (d *deliberation) post(ctx context.Context, call ToolCall) error {
	var in struct{ Conversation, Text, Reason string }
	if err := decode(call.Arguments, &in); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	post := Post{Key: d.key(), Conversation: subconscious.Shorten(oneLine(in.Conversation), maxName), Text: d.Redact(clip(in.Text, maxPost)), Escalation: d.Escalation}
	if post.Conversation == "" || post.Text == "" {
		return d.refuse(ctx, call, "a message needs a conversation and a text")
	}
	s, permission := d.judged(call, escalate.EffectPost, "")
	switch permission {
	case escalate.Allowed:
		return d.effect(ctx, s, func(ctx context.Context, tx *store.Tx) (string, string, error) {
			id, err := d.Conversations.Post(ctx, tx, post)
			return id, "posted as " + id, err
		})
	case escalate.Proposed:
		arguments, err := json.Marshal(map[string]string{"conversation": post.Conversation, "text": post.Text})
		if err != nil {
			return err
		}
		return d.propose(ctx, s, d.asked(s, string(escalate.EffectPost), arguments, in.Reason))
	}
	return d.denied(ctx, s, "")
}

func (d *deliberation) act(ctx context.Context, call ToolCall) error {
	var in struct {
		Action, Reason string
		Arguments      json.RawMessage
	}
	if err := decode(call.Arguments, &in); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	offer, ok := d.offered(in.Action)
	if !ok {
		return d.refuse(ctx, call, fmt.Sprintf("there is no action %.60q", in.Action))
	}
	if len(in.Arguments) == 0 {
		in.Arguments = json.RawMessage("{}")
	}
	if _, err := escalate.Arguments(in.Arguments); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	in.Arguments = compact(in.Arguments)
	s, permission := d.judged(call, escalate.EffectAct, offer.Approval)
	switch permission {
	case escalate.Allowed:
		s.Kind = StepStarted
		if err := d.put(ctx, &s, nil); err != nil {
			return err
		}
		return d.carryOut(ctx)
	case escalate.Proposed:
		return d.propose(ctx, s, d.asked(s, in.Action, in.Arguments, in.Reason))
	}
	return d.denied(ctx, s, "")
}

// compact is a JSON text without white space.
func compact(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return raw
	}
	return out.Bytes()
}

// offered returns an action. One that is configured with no known approval is
// approved each time.
func (d *deliberation) offered(name string) (escalate.Offer, bool) {
	for _, o := range d.offers() {
		if o.Name != name {
			continue
		}
		if o.Approval != escalate.ApproveTainted && o.Approval != escalate.ApproveNever {
			o.Approval = escalate.ApproveAlways
		}
		return o, true
	}
	return escalate.Offer{}, false
}

// propose has the person asked to approve exactly this.
func (d *deliberation) propose(ctx context.Context, s Step, request escalate.ActRequest) error {
	if d.Actions == nil {
		return d.denied(ctx, s, ", and nothing can be proposed here")
	}
	reason := d.reason(request.Reason, "the model proposes "+request.Action)
	var wrong error
	err := d.end(ctx, &s, func(ctx context.Context, tx *store.Tx, c *conclusion) error {
		proposed, err := d.Actions.Propose(ctx, tx, request)
		if err != nil {
			wrong = err
			return err
		}
		s.Call.Made = proposed.ID
		c.telling = d.proposal(proposed)
		return nil
	}, conclusion{kind: subconscious.OutcomeProposed, reason: reason})
	if errors.Is(wrong, ErrRequest) {
		return d.wrong(ctx, s.Call.ToolCall, wrong)
	}
	return err
}

// asked is the request for an action, with what the policy and the escalation say.
func (d *deliberation) asked(s Step, action string, arguments json.RawMessage, reason string) escalate.ActRequest {
	key := fmt.Sprintf("%s/%d", d.ID, s.N)
	if s.Kind == StepCalled {
		key = d.key()
	}
	return escalate.ActRequest{At: s.At, Act: escalate.Act{Key: key, Action: action, Arguments: arguments, Reason: d.spoken(reason, d.taint, maxReason),
		Incident: d.Person, Deliberation: d.ID, Trusts: s.Call.Shown, Clause: s.Call.Judgement.Clause, Why: s.Call.Judgement.Why}}
}

// proposal tells the person that an action waits.
func (d *deliberation) proposal(p Proposed) *Telling {
	heading := d.heading(d.Escalation, d.taint)
	end := " To do it: subconsciousctl approve " + p.ID
	if !p.Expires.IsZero() {
		end += " (until " + subconscious.Moment(p.Expires, d.Now()) + ")"
	}
	text := joined(subconscious.Ended("Proposed: "+d.mechanical(p.Words, maxWords)), end, room(heading))
	return &Telling{Told: Told{Kind: TellProposed, Title: heading, Text: text}, Proposal: p.ID, Expires: p.Expires}
}

func (d *deliberation) snooze(ctx context.Context, call ToolCall) error {
	var in struct {
		Until, Reason string
		Hours         float64
	}
	if err := decode(call.Arguments, &in); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	until, err := d.until(in.Until, in.Hours)
	if err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	s, permission := d.judged(call, escalate.EffectSnooze, "")
	if permission != escalate.Allowed {
		return d.denied(ctx, s, "")
	}
	return d.end(ctx, &s, nil, conclusion{kind: subconscious.OutcomeSnoozed, reason: d.reason(in.Reason, "the model put it off"), until: until})
}

// until is when something that is put off is told: while it is of use.
func (d *deliberation) until(text string, hours float64) (until time.Time, err error) {
	now := d.Now()
	switch {
	case text != "" && hours != 0:
		return until, errors.New("give until or hours, not both")
	case text != "":
		if until, err = time.Parse(time.RFC3339, text); err != nil {
			return until, errors.New("until is no time of RFC 3339, such as " + now.Format(time.RFC3339))
		}
	case hours > 0 && hours <= maxSnooze.Hours():
		until = now.Add(time.Duration(hours * float64(time.Hour)))
	default:
		return until, fmt.Errorf("hours is above 0 and at most %.0f", maxSnooze.Hours())
	}
	switch {
	case !until.After(now.Add(minSnooze)):
		return until, errors.New("until must be ahead of " + now.Format(time.RFC3339))
	case until.After(now.Add(maxSnooze)):
		return until, errors.New("until is more than 14 days ahead")
	case d.Due.After(now) && !until.Before(d.Due):
		return until, errors.New("it is due before that, at " + d.Due.Format(time.RFC3339))
	case d.isLate(until):
		return until, errors.New("it is of no use any more by then: that is after " + d.Template.Expires.Format(time.RFC3339))
	}
	return until.In(now.Location()), nil
}

func (d *deliberation) dismiss(ctx context.Context, call ToolCall) error {
	var in struct{ Reason string }
	if err := decode(call.Arguments, &in); err != nil {
		return d.refuse(ctx, call, err.Error())
	}
	s, permission := d.judged(call, escalate.EffectDismiss, "")
	if permission != escalate.Allowed {
		return d.denied(ctx, s, "")
	}
	return d.end(ctx, &s, nil, conclusion{kind: subconscious.OutcomeDismissed, reason: d.reason(in.Reason, "the model found it of no use")})
}
