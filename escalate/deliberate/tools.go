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

// effect is a tool that asks for an effect.
type effect struct {
	models.Tool
	// ends: it ends the deliberation, and is there to the last.
	ends bool
	do   func(context.Context, ToolCall) error
}

// effects are what the model may ask for.
func (d *deliberation) effects() []effect {
	var all []effect
	add := func(there bool, name escalate.Effect, ends bool, do func(context.Context, ToolCall) error, schema, description string) {
		if there {
			all = append(all, effect{models.Tool{Name: string(name), Description: description, Parameters: json.RawMessage(schema)}, ends, do})
		}
	}
	offers := d.offers()
	add(true, escalate.EffectNotify, true, does(d.notify), notifySchema, "Tell the person. The title is given; write the text below it. This ends the deliberation.")
	add(d.Memories != nil, escalate.EffectRemember, false, does(d.remember), rememberSchema, "Keep a fact for later. This does not end the deliberation.")
	add(d.Conversations != nil, escalate.EffectPost, false, does(d.post), postSchema, "Post a message to a conversation. This does not end the deliberation.")
	add(len(offers) > 0, escalate.EffectAct, true, does(d.act), actSchema(offers), actDescription(offers))
	add(true, escalate.EffectSnooze, true, does(d.snooze), snoozeSchema, "Tell the person later, if it still stands then. This ends the deliberation.")
	add(true, escalate.EffectDismiss, true, does(d.dismiss), dismissSchema, "Do not tell the person: it is of no use. This ends the deliberation.")
	return all
}

// tools are those that the model may ask for: for reading, and for what it may
// ask for.
func (d *deliberation) tools() []models.Tool {
	var all []models.Tool
	for _, t := range d.reading() {
		if !slices.Contains(escalate.Effects(), escalate.Effect(t.Name)) {
			all = append(all, t)
		}
	}
	for _, e := range d.effects() {
		all = append(all, e.Tool)
	}
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

// use runs one tool, or says why not. What the model is told is written down.
func (d *deliberation) use(ctx, asking context.Context, call ToolCall) error {
	effects := d.effects()
	at := slices.IndexFunc(effects, func(e effect) bool { return e.Name == call.Name })
	var err error
	switch {
	case d.inRound >= callsPerRound:
		err = refused("not run: %d tools may be used at once", callsPerRound)
	case d.calls >= maxCalls && (at < 0 || !effects[at].ends):
		err = refused("not run: %d tools may be used in all; end it now", maxCalls)
	case !slices.ContainsFunc(d.tools(), func(t models.Tool) bool { return t.Name == call.Name }):
		err = refused("there is no tool %.60q", call.Name)
	case len(call.Arguments) > maxArguments:
		err = refused("the arguments have %d bytes, and may have %d", len(call.Arguments), maxArguments)
	case at >= 0:
		err = effects[at].do(ctx, call)
	default:
		err = d.read(ctx, asking, call)
	}
	return d.refusing(ctx, call, err)
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
		return refused("not run: enough was read; end it with what you have")
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
