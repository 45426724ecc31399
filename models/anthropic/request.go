package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

const (
	// answerTool takes the answer of models that are given no format.
	answerTool = "answer"
	// maxMarks is how many places of a prompt the provider is told to keep.
	maxMarks = 4
	// minThinking is the least budget of thoughts.
	minThinking = 1024
)

// unknown are keywords that Anthropic's structured outputs refuse, beside those
// that models.Strict leaves out. Whoever asks checks the answer by the schema as
// it was.
//
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs
var unknown = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems", "minItems", "pattern", "format"}

// asked is what is sent.
//
// https://platform.claude.com/docs/en/api/messages
type asked struct {
	Model       string         `json:"model"`
	MaxTokens   int            `json:"max_tokens"`
	Messages    []turn         `json:"messages"`
	System      []*content     `json:"system,omitempty"`
	Temperature *float64       `json:"temperature,omitempty"`
	Tools       []*tool        `json:"tools,omitempty"`
	ToolChoice  *choice        `json:"tool_choice,omitempty"`
	Thinking    map[string]any `json:"thinking,omitempty"`
	Output      outputConfig   `json:"output_config,omitzero"`
	Stream      bool           `json:"stream,omitempty"`
}

type turn struct {
	Role    string     `json:"role"` // user, assistant
	Content []*content `json:"content"`
}

// content is a block of a turn: a text, a call of a tool, its result, or a thought
// as it was given.
type content struct {
	Type   string          `json:"type"`
	Text   string          `json:"text,omitempty"`
	ID     string          `json:"id,omitempty"`
	Name   string          `json:"name,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	CallID string          `json:"tool_use_id,omitempty"`
	Result []*content      `json:"content,omitempty"`
	Failed *bool           `json:"is_error,omitempty"` // of a result
	Kept   *keep           `json:"cache_control,omitempty"`

	thought json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (c *content) MarshalJSON() ([]byte, error) {
	if c.thought != nil {
		return c.thought, nil
	}
	type plain content
	return json.Marshal((*plain)(c))
}

func textBlock(text string) *content { return &content{Type: "text", Text: text} }

// keep marks the end of what the provider is told to keep for the next request.
type keep struct {
	Type string `json:"type"`
}

var ephemeral = &keep{"ephemeral"}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	Kept        *keep           `json:"cache_control,omitempty"`
}

type choice struct {
	Type string `json:"type"` // any, tool
	Name string `json:"name,omitempty"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitempty"` // low, medium, high
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// body is the JSON of what is asked.
func (d *Driver) body(r models.Request) ([]byte, error) {
	q := asked{Model: d.Model, MaxTokens: r.MaxTokens, Messages: d.messages(r), Stream: r.OnText != nil}
	thinks := d.think(r, &q)
	if r.Temperature != nil && d.can.temperature && !thinks {
		q.Temperature = r.Temperature
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, &tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema()})
	}
	d.hold(r, &q, thinks)
	system := r.System
	if format, tool := d.can.enforces(d.Provider.Schema); r.Schema != nil && !format && !tool {
		system = r.Schema.InWords(system)
	}
	switch {
	case system != "":
		q.System = []*content{{Type: "text", Text: system, Kept: ephemeral}}
	case len(q.Tools) > 0:
		q.Tools[len(q.Tools)-1].Kept = ephemeral
	}
	return json.Marshal(q)
}

// think asks for thoughts, or for none, and reports which.
func (d *Driver) think(r models.Request, q *asked) bool {
	switch {
	case r.Thinking <= 0:
		switch d.can.off {
		case offByWord:
			q.Thinking = map[string]any{"type": "disabled"}
		case offByEffort:
			q.Output.Effort = "low"
		}
		return d.can.off == offByEffort
	case d.can.adaptive:
		q.Thinking = map[string]any{"type": "adaptive"}
		q.Output.Effort = models.Effort(r.Thinking)
	case r.MaxTokens <= minThinking:
		return false // there is no room to think
	default:
		q.Thinking = map[string]any{"type": "enabled", "budget_tokens": min(max(r.Thinking, minThinking), r.MaxTokens-1)}
	}
	return true
}

// hold holds the answer to the schema, as far as the model can be held.
func (d *Driver) hold(r models.Request, q *asked, thinks bool) {
	if r.Schema == nil {
		return
	}
	format, force := d.can.enforces(d.Provider.Schema)
	switch {
	case format:
		q.Output.Format = &outputFormat{"json_schema", models.Strict(r.Schema.JSON, unknown...)}
	case force:
		q.Tools = append(q.Tools, &tool{Name: answerTool, Description: "Takes your answer. Call it once, at the end.", InputSchema: r.Schema.JSON})
		switch {
		case thinks: // nothing can be forced on a model that thinks
		case len(r.Tools) > 0:
			q.ToolChoice = &choice{Type: "any"}
		default:
			q.ToolChoice = &choice{"tool", answerTool}
		}
	}
}

// messages returns the turns. Results of tools, and what the person says, are
// of one turn where they follow each other: the results first.
func (d *Driver) messages(r models.Request) []turn {
	var turns []turn
	marks := d.marks(r)
	for i, m := range r.Messages {
		role, blocks := "user", []*content(nil)
		switch m.Role {
		case models.Assistant:
			role, blocks = "assistant", d.said(m)
		case models.ToolRole:
			blocks = append(blocks, &content{Type: "tool_result", CallID: m.CallID, Result: []*content{textBlock(filled(m.Text))}, Failed: new(bool)})
		default:
			blocks = append(blocks, textBlock(filled(m.Text)))
		}
		if len(blocks) == 0 {
			continue
		}
		if marks[i] {
			blocks[len(blocks)-1].Kept = ephemeral
		}
		if len(turns) == 0 && role == "assistant" {
			turns = append(turns, turn{"user", []*content{textBlock("(empty)")}}) // the person's turn is the first
		}
		last := len(turns) - 1
		if last < 0 || turns[last].Role != role {
			turns = append(turns, turn{role, blocks})
			continue
		}
		at := len(turns[last].Content)
		if m.Role == models.ToolRole {
			at = results(turns[last].Content)
		}
		turns[last].Content = append(turns[last].Content[:at:at], append(blocks, turns[last].Content[at:]...)...)
	}
	return turns
}

// results counts the results at the beginning of a turn.
func results(blocks []*content) int {
	n := 0
	for n < len(blocks) && blocks[n].Type == "tool_result" {
		n++
	}
	return n
}

// marks are the messages at whose end the provider is told to keep: the last
// ones of those that are Kept, since one mark stands behind the system prompt.
func (d *Driver) marks(r models.Request) map[int]bool {
	marks, left := map[int]bool{}, maxMarks-1
	for i := len(r.Messages) - 1; i >= 0 && left > 0; i-- {
		if r.Messages[i].Kept {
			marks[i] = true
			left--
		}
	}
	return marks
}

// filled is text that is not empty: the provider refuses a block without.
func filled(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}

// said is an assistant's turn, in the order in which it was said.
func (d *Driver) said(m models.Message) []*content {
	calls := map[string]*content{}
	for _, call := range m.Calls {
		calls[call.ID] = &content{Type: "tool_use", ID: call.ID, Name: call.Name, Input: input(call.Arguments)}
	}
	var blocks []*content
	text := strings.TrimSpace(m.Text) != ""
	for _, part := range d.kept(m.Opaque) {
		switch {
		case part.Thought != nil:
			blocks = append(blocks, &content{thought: part.Thought})
		case part.Text && text:
			blocks, text = append(blocks, textBlock(m.Text)), false
		case part.Call != "":
			if call, ok := calls[part.Call]; ok {
				blocks = append(blocks, call)
				delete(calls, part.Call)
			}
		}
	}
	if text {
		blocks = append(blocks, textBlock(m.Text))
	}
	for _, call := range m.Calls {
		if block, ok := calls[call.ID]; ok {
			blocks = append(blocks, block)
			delete(calls, call.ID)
		}
	}
	return blocks
}

// input is what a tool was called with; what is no object was answered with an
// error, and is refused by the provider if it is sent again.
func input(written json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(written, &object) != nil || object == nil {
		return json.RawMessage(`{}`)
	}
	return written
}

// opaque is what goes back with an assistant's turn: its thoughts as they were,
// and where they stood. Only the model that had them understands them.
type opaque struct {
	Model string `json:"model"`
	Parts []part `json:"parts"`
}

// part is one of: a thought, the text, a call.
type part struct {
	Thought json.RawMessage `json:"thought,omitempty"`
	Text    bool            `json:"text,omitempty"`
	Call    string          `json:"call,omitempty"`
}

func (d *Driver) kept(raw json.RawMessage) []part {
	var o opaque
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil || o.Model != d.Model {
		return nil
	}
	return o.Parts
}
