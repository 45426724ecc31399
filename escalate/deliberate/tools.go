package deliberate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxResult bounds what one tool tells a model, and maxShown all of them
	// together, in bytes.
	maxResult = 8 << 10
	maxShown  = 48 << 10
)

// schemas of the effects' arguments.
const (
	notifySchema   = `{"type":"object","properties":{"text":{"type":"string","description":"what the person reads below the title, one or two sentences, at most 160 characters"},"reason":{"type":"string","description":"one sentence: why now"}},"required":["text","reason"],"additionalProperties":false}`
	rememberSchema = `{"type":"object","properties":{"text":{"type":"string"},"kind":{"type":"string","description":"fact, pattern, insight, solution, learning, decision, style, note or event"},"tags":{"type":"array","items":{"type":"string"}}},"required":["text","kind"],"additionalProperties":false}`
	postSchema     = `{"type":"object","properties":{"conversation":{"type":"string"},"text":{"type":"string"}},"required":["conversation","text"],"additionalProperties":false}`
	snoozeSchema   = `{"type":"object","properties":{"until":{"type":"string","description":"RFC 3339, with the offset"},"hours":{"type":"number","description":"in place of until"},"reason":{"type":"string","description":"one sentence"}},"required":["reason"],"additionalProperties":false}`
	dismissSchema  = `{"type":"object","properties":{"reason":{"type":"string","description":"one sentence"}},"required":["reason"],"additionalProperties":false}`
)

// tools are those that the model may ask for: for reading, and for what it may
// ask for.
func (d *deliberation) tools() []models.Tool {
	var all []models.Tool
	for _, t := range d.reading() {
		if !slices.Contains(escalate.Effects(), escalate.Effect(t.Name)) {
			all = append(all, t)
		}
	}
	add := func(effect escalate.Effect, schema, description string) {
		all = append(all, models.Tool{Name: string(effect), Description: description, Parameters: json.RawMessage(schema)})
	}
	add(escalate.EffectNotify, notifySchema, "Tell the person. The title is given; write the text below it. This ends the deliberation.")
	if d.Memories != nil {
		add(escalate.EffectRemember, rememberSchema, "Keep a fact for later. This does not end the deliberation.")
	}
	if d.Conversations != nil {
		add(escalate.EffectPost, postSchema, "Post a message to a conversation. This does not end the deliberation.")
	}
	if offers := d.offers(); len(offers) > 0 {
		add(escalate.EffectAct, actSchema(offers), actDescription(offers))
	}
	add(escalate.EffectSnooze, snoozeSchema, "Tell the person later, if it still stands then. This ends the deliberation.")
	add(escalate.EffectDismiss, dismissSchema, "Do not tell the person: it is of no use. This ends the deliberation.")
	return all
}

func (d *deliberation) reading() []models.Tool {
	if d.desk == nil {
		return nil
	}
	return d.desk.Tools()
}

func (d *deliberation) offers() []escalate.Offer {
	if d.Actions == nil {
		return nil
	}
	return d.Actions.Offers()
}

func actSchema(offers []escalate.Offer) string {
	names := make([]string, 0, len(offers))
	for _, o := range offers {
		names = append(names, o.Name)
	}
	list, err := json.Marshal(names)
	if err != nil { // strings always are JSON
		list = []byte("[]")
	}
	return `{"type":"object","properties":{"action":{"type":"string","enum":` + string(list) +
		`},"arguments":{"type":"object"},"reason":{"type":"string","description":"one sentence"}},"required":["action","arguments","reason"],"additionalProperties":false}`
}

func actDescription(offers []escalate.Offer) string {
	var text strings.Builder
	text.WriteString("Carry out one of the configured actions, or have the person asked to approve it. This ends the deliberation. Actions:")
	for _, o := range offers {
		fmt.Fprintf(&text, "\n- %s: %s Arguments: %s", o.Name, subconscious.Ended(subconscious.Shorten(oneLine(o.Description), maxReason)), cmp.Or(string(o.Parameters), "{}"))
	}
	return text.String()
}

// enders are the effects that end an escalation. They are there to the last.
func enders() []escalate.Effect {
	return []escalate.Effect{escalate.EffectNotify, escalate.EffectAct, escalate.EffectSnooze, escalate.EffectDismiss}
}

// use runs one tool, or says why not. What the model is told is written down.
func (d *deliberation) use(ctx, asking context.Context, call ToolCall) error {
	known := slices.ContainsFunc(d.tools(), func(t models.Tool) bool { return t.Name == call.Name })
	switch {
	case d.inRound >= callsPerRound:
		return d.refuse(ctx, call, fmt.Sprintf("not run: %d tools may be used at once", callsPerRound))
	case d.calls >= maxCalls && !slices.Contains(enders(), escalate.Effect(call.Name)):
		return d.refuse(ctx, call, fmt.Sprintf("not run: %d tools may be used in all; end it now", maxCalls))
	case !known:
		return d.refuse(ctx, call, fmt.Sprintf("there is no tool %.60q", call.Name))
	case len(call.Arguments) > maxArguments:
		return d.refuse(ctx, call, fmt.Sprintf("the arguments have %d bytes, and may have %d", len(call.Arguments), maxArguments))
	case slices.Contains(escalate.Effects(), escalate.Effect(call.Name)):
		return d.request(ctx, call)
	}
	return d.read(ctx, asking, call)
}

// refuse tells the model that a tool did not work.
func (d *deliberation) refuse(ctx context.Context, call ToolCall, why string) error {
	return d.answer(ctx, Step{Text: "error: " + why, Call: &Called{ToolCall: call, Failed: true}})
}

// answer tells the model what became of a tool.
func (d *deliberation) answer(ctx context.Context, s Step) error {
	s.Kind, s.Round = StepCalled, d.rounds
	s.Text += d.lastWarning()
	return d.put(ctx, &s, nil)
}

// lastWarning says, below the last result of the last round but one, that there
// is one more.
func (d *deliberation) lastWarning() string {
	if len(d.pending) > 1 || d.rounds != d.Config.Rounds-1 {
		return ""
	}
	return "\n[you have one more answer: end it with that]"
}

// read runs a tool that reads. Whose words it tells is in the taint before the
// model sees them.
func (d *deliberation) read(ctx, asking context.Context, call ToolCall) error {
	if d.shown >= maxShown {
		return d.refuse(ctx, call, "not run: enough was read; end it with what you have")
	}
	reading, err := d.callDesk(asking, call)
	if ctx.Err() != nil {
		return nil
	}
	s := Step{Words: reading.Words, Call: &Called{ToolCall: call, Failed: err != nil}}
	s.Text = clip(d.Redact(strings.ToValidUTF8(reading.Text, "")), min(maxResult, maxShown-d.shown))
	if err != nil {
		s.Text = clip("error: "+d.Redact(oneLine(err.Error())), maxReason*4)
	}
	if len(s.Words) == 0 && (err == nil || !errors.Is(err, ErrRequest)) && s.Text != "" {
		s.Words = []escalate.Word{{Trust: subconscious.Outsider, Source: clip(call.Name, 60)}}
	}
	if s.Text == "" {
		s.Text = "(nothing)"
	}
	return d.answer(ctx, s)
}

func (d *deliberation) callDesk(ctx context.Context, call ToolCall) (reading Reading, err error) {
	defer contained(&err)
	return d.desk.Read(ctx, models.ToolCall{ID: call.ID, Name: call.Name, Arguments: json.RawMessage(call.Arguments)})
}
