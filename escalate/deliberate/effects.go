package deliberate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// refusal is an error that the model is told of its request: of what is wrong with
// it, or of the policy's judgement.
type refusal struct {
	why    string
	judged *escalate.Judgement
	shown  []subconscious.Trust
}

// Error implements error.
func (r refusal) Error() string { return r.why }

func refused(format string, values ...any) error {
	return refusal{why: fmt.Sprintf(format, values...)}
}

// refusing tells the model what was refused; other errors it returns.
func (d *deliberation) refusing(ctx context.Context, call ToolCall, err error) error {
	r, ok := errors.AsType[refusal](err)
	switch {
	case errors.Is(err, ErrRequest):
		r = refusal{why: d.spoken(err.Error(), d.taint, 2*maxReason)}
	case !ok:
		return err
	}
	return d.answer(ctx, Step{Text: "error: " + r.why, Call: &Called{ToolCall: call, Failed: true, Judgement: r.judged, Shown: r.shown}})
}

// does is a tool whose arguments are read into a T.
func does[T any](do func(context.Context, ToolCall, T) error) func(context.Context, ToolCall) error {
	return func(ctx context.Context, call ToolCall) error {
		var in T
		if err := decode(call.Arguments, &in); err != nil {
			return refusal{why: err.Error()}
		}
		return do(ctx, call, in)
	}
}

// maxArguments bounds what a model writes for one tool, in bytes.
const maxArguments = 16 << 10

// decode reads the arguments of a tool: one object of known fields, none of them
// twice. An error is in words for the model.
func decode(arguments string, into any) error {
	if len(arguments) > maxArguments {
		return fmt.Errorf("the arguments have %d bytes, and may have %d", len(arguments), maxArguments)
	}
	if _, err := escalate.Arguments([]byte(arguments)); err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	return nil
}

// judged is a step that tells what the policy says of a request; with an error it
// permits none of these.
func (d *deliberation) judged(call ToolCall, effect escalate.Effect, approval escalate.Approval, permitted ...escalate.Permission) (Step, error) {
	j, shown := d.judge(effect, approval), d.taint.Trusts()
	if !slices.Contains(permitted, j.Permission) {
		return Step{}, refusedBy(j, shown, "")
	}
	return Step{Kind: StepCalled, Round: d.rounds, Call: &Called{ToolCall: call, Judgement: &j, Shown: shown}}, nil
}

// refusedBy is the refusal of a judgement, and what more there is to say.
func refusedBy(j escalate.Judgement, shown []subconscious.Trust, more string) error {
	return refusal{fmt.Sprintf("refused by clause %s: %s%s. Choose otherwise.", j.Clause, j.Why, more), &j, shown}
}

// effect carries out what belongs in the transaction of its step.
func (d *deliberation) effect(ctx context.Context, s Step, do func(context.Context, *store.Tx) (id, told string, err error)) error {
	warning := d.lastWarning()
	return d.put(ctx, &s, func(ctx context.Context, tx *store.Tx) (err error) {
		s.Call.Made, s.Text, err = do(ctx, tx)
		s.Text += warning
		return err
	})
}

func (d *deliberation) notify(ctx context.Context, call ToolCall, in struct{ Text, Reason string }) error {
	heading := d.heading(d.Escalation, d.taint)
	text := d.spoken(in.Text, d.taint, room(heading))
	if text == "" {
		return refused("the text is empty")
	}
	s, err := d.judged(call, escalate.EffectNotify, "", escalate.Allowed)
	if err != nil {
		return err
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

func (d *deliberation) remember(ctx context.Context, call ToolCall, in struct {
	Text, Kind, Reason string
	Tags               []string
},
) error {
	memo := Memo{Key: d.key(), Text: d.Redact(oneLine(clip(in.Text, maxMemo))), Kind: d.spoken(in.Kind, d.taint, 40), Trusts: d.taint.Trusts(), Escalation: d.Escalation, Evidence: d.Evidence}
	if memo.Text == "" || len(in.Tags) > maxTags {
		return refused("a memory needs a text, and has at most %d tags", maxTags)
	}
	for _, tag := range in.Tags {
		memo.Tags = append(memo.Tags, d.spoken(tag, d.taint, 40))
	}
	s, err := d.judged(call, escalate.EffectRemember, "", escalate.Allowed, escalate.Quarantined)
	if err != nil {
		return err
	}
	memo.Quarantined = s.Call.Judgement.Permission == escalate.Quarantined
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

func (d *deliberation) post(ctx context.Context, call ToolCall, in struct{ Conversation, Text, Reason string }) error {
	post := Post{Key: d.key(), Conversation: subconscious.Shorten(oneLine(in.Conversation), maxName), Text: d.Redact(clip(in.Text, maxPost)), Escalation: d.Escalation}
	if post.Conversation == "" || post.Text == "" {
		return refused("a message needs a conversation and a text")
	}
	s, err := d.judged(call, escalate.EffectPost, "", escalate.Allowed, escalate.Proposed)
	switch {
	case err != nil:
		return err
	case s.Call.Judgement.Permission == escalate.Allowed:
		return d.effect(ctx, s, func(ctx context.Context, tx *store.Tx) (string, string, error) {
			id, err := d.Conversations.Post(ctx, tx, post)
			return id, "posted as " + id, err
		})
	}
	arguments, err := json.Marshal(map[string]string{"conversation": post.Conversation, "text": post.Text})
	if err != nil {
		return err
	}
	return d.propose(ctx, s, d.asked(s, string(escalate.EffectPost), arguments, in.Reason))
}

// acting is what a model writes to have an action carried out.
type acting struct {
	Action, Reason string
	Arguments      json.RawMessage
}

func (d *deliberation) act(ctx context.Context, call ToolCall, in acting) error {
	offer, ok := d.offered(in.Action)
	if !ok {
		return refused("there is no action %.60q", in.Action)
	}
	if _, err := escalate.Arguments(in.arguments()); err != nil {
		return refusal{why: err.Error()}
	}
	s, err := d.judged(call, escalate.EffectAct, offer.Approval, escalate.Allowed, escalate.Proposed)
	switch {
	case err != nil:
		return err
	case s.Call.Judgement.Permission == escalate.Proposed:
		return d.propose(ctx, s, d.asked(s, in.Action, in.arguments(), in.Reason))
	}
	s.Kind = StepStarted
	if err := d.put(ctx, &s, nil); err != nil {
		return err
	}
	return d.carryOut(ctx)
}

// arguments are those of the action, without white space.
func (in acting) arguments() json.RawMessage {
	var out bytes.Buffer
	switch err := json.Compact(&out, in.Arguments); {
	case len(in.Arguments) == 0:
		return json.RawMessage("{}")
	case err != nil:
		return in.Arguments
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
		return refusedBy(*s.Call.Judgement, s.Call.Shown, ", and nothing can be proposed here")
	}
	return d.end(ctx, &s, func(ctx context.Context, tx *store.Tx, c *conclusion) error {
		proposed, err := d.Actions.Propose(ctx, tx, request)
		s.Call.Made, c.telling = proposed.ID, d.proposal(proposed)
		return err
	}, conclusion{kind: subconscious.OutcomeProposed, reason: d.reason(request.Reason, "the model proposes "+request.Action)})
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
	end := " It waits for your yes at home"
	if !p.Expires.IsZero() {
		end += ", until " + subconscious.Moment(p.Expires, d.Now())
	}
	text := joined(subconscious.Ended("Proposed: "+d.mechanical(p.Words, maxWords)), end, room(heading))
	return &Telling{Told: Told{Kind: TellProposed, Title: heading, Text: text}, Proposal: p.ID, Expires: p.Expires}
}

func (d *deliberation) snooze(ctx context.Context, call ToolCall, in struct {
	Until, Reason string
	Hours         float64
},
) error {
	until, err := d.until(in.Until, in.Hours)
	if err != nil {
		return refusal{why: err.Error()}
	}
	s, err := d.judged(call, escalate.EffectSnooze, "", escalate.Allowed)
	if err != nil {
		return err
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

func (d *deliberation) dismiss(ctx context.Context, call ToolCall, in struct{ Reason string }) error {
	s, err := d.judged(call, escalate.EffectDismiss, "", escalate.Allowed)
	if err != nil {
		return err
	}
	return d.end(ctx, &s, nil, conclusion{kind: subconscious.OutcomeDismissed, reason: d.reason(in.Reason, "the model found it of no use")})
}
