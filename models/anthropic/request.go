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

type object = map[string]any

// turn is what the person (user) or the model (assistant) says. Its blocks are
// texts, calls of tools, their results, and thoughts as they were given.
type turn struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

func textBlock(text string) object { return object{"type": "text", "text": text} }

// keep marks the end of what the provider is told to keep for the next request.
func keep(block any) {
	if marked, ok := block.(object); ok { // no mark fits on a thought
		marked["cache_control"] = object{"type": "ephemeral"}
	}
}

// body is the JSON of what is asked.
//
// https://platform.claude.com/docs/en/api/messages
func (d *Driver) body(r models.Request) ([]byte, error) {
	asked := object{"model": d.Model, "max_tokens": r.MaxTokens, "messages": d.messages(r)}
	if r.OnText != nil {
		asked["stream"] = true
	}
	output := object{}
	thinks := d.think(r, asked, output)
	if r.Temperature != nil && d.can.temperature && !thinks {
		asked["temperature"] = *r.Temperature
	}
	var tools []object
	for _, t := range r.Tools {
		tools = append(tools, toolOf(t.Name, t.Description, t.Schema()))
	}
	system := r.System
	if r.Schema != nil {
		format, force := d.can.enforces(d.Provider.Schema)
		switch {
		case format:
			output["format"] = object{"type": "json_schema", "schema": models.Strict(r.Schema.JSON, unknown...)}
		case force:
			if !thinks { // nothing can be forced on a model that thinks
				asked["tool_choice"] = choice(len(tools) > 0)
			}
			tools = append(tools, toolOf(answerTool, "Takes your answer. Call it once, at the end.", r.Schema.JSON))
		default:
			system = r.Schema.InWords(system)
		}
	}
	if system != "" {
		told := textBlock(system)
		keep(told)
		asked["system"] = []object{told}
	} else if len(tools) > 0 {
		keep(tools[len(tools)-1])
	}
	if tools != nil {
		asked["tools"] = tools
	}
	if len(output) > 0 {
		asked["output_config"] = output
	}
	return json.Marshal(asked)
}

func toolOf(name, description string, schema json.RawMessage) object {
	tool := object{"name": name, "input_schema": schema}
	if description != "" {
		tool["description"] = description
	}
	return tool
}

// choice has the model call a tool: that which takes the answer, or, where there
// are others, any.
func choice(others bool) object {
	if others {
		return object{"type": "any"}
	}
	return object{"type": "tool", "name": answerTool}
}

// think asks for thoughts, or for none, and reports which.
func (d *Driver) think(r models.Request, asked, output object) bool {
	switch {
	case r.Thinking <= 0:
		switch d.can.off {
		case offByWord:
			asked["thinking"] = object{"type": "disabled"}
		case offByEffort:
			output["effort"] = "low"
		}
		return d.can.off == offByEffort
	case d.can.adaptive:
		asked["thinking"] = object{"type": "adaptive"}
		output["effort"] = models.Effort(r.Thinking)
	case r.MaxTokens <= minThinking:
		return false // there is no room to think
	default:
		asked["thinking"] = object{"type": "enabled", "budget_tokens": min(max(r.Thinking, minThinking), r.MaxTokens-1)}
	}
	return true
}

// messages returns the turns. Results of tools, and what the person says, are
// of one turn where they follow each other: the results first.
func (d *Driver) messages(r models.Request) []turn {
	var turns []turn
	marks := d.marks(r)
	for i, m := range r.Messages {
		role, blocks := "user", []any(nil)
		switch m.Role {
		case models.Assistant:
			role, blocks = "assistant", d.said(m)
		case models.ToolRole:
			blocks = append(blocks, object{"type": "tool_result", "tool_use_id": m.CallID, "is_error": false,
				"content": []object{textBlock(filled(m.Text))}})
		default:
			blocks = append(blocks, textBlock(filled(m.Text)))
		}
		if len(blocks) == 0 {
			continue
		}
		if marks[i] {
			keep(blocks[len(blocks)-1])
		}
		if len(turns) == 0 && role == "assistant" {
			turns = append(turns, turn{"user", []any{textBlock("(empty)")}}) // the person's turn is the first
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
func results(blocks []any) int {
	n := 0
	for _, block := range blocks {
		if one, ok := block.(object); !ok || one["type"] != "tool_result" {
			break
		}
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
func (d *Driver) said(m models.Message) []any {
	calls := map[string]object{}
	for _, call := range m.Calls {
		calls[call.ID] = object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": input(call.Arguments)}
	}
	var blocks []any
	text := strings.TrimSpace(m.Text) != ""
	for _, part := range d.kept(m.Opaque) {
		switch {
		case part.Thought != nil:
			blocks = append(blocks, part.Thought)
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
