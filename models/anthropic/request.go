package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	client "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

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

// body is the JSON of what is asked.
func (d *Driver) body(r models.Request) ([]byte, error) {
	asked := client.MessageNewParams{Model: d.options.Model, MaxTokens: int64(r.MaxTokens), Messages: d.messages(r)}
	thinks := d.think(r, &asked)
	if r.Temperature != nil && d.can.temperature && !thinks {
		asked.Temperature = param.NewOpt(*r.Temperature)
	}
	for _, tool := range r.Tools {
		asked.Tools = append(asked.Tools, toolOf(tool.Name, tool.Description, tool.Parameters))
	}
	d.hold(r, &asked, thinks)
	system := r.System
	if format, tool := d.can.enforces(d.options.Provider.Schema); r.Schema != nil && !format && !tool {
		system = strings.TrimSpace(system + "\n\n" + models.InWords(*r.Schema))
	}
	switch {
	case system != "":
		asked.System = []client.TextBlockParam{{Text: system, CacheControl: client.NewCacheControlEphemeralParam()}}
	case len(asked.Tools) > 0:
		asked.Tools[len(asked.Tools)-1].OfTool.CacheControl = client.NewCacheControlEphemeralParam()
	}
	if r.OnText != nil {
		asked.SetExtraFields(map[string]any{"stream": true})
	}
	return json.Marshal(asked)
}

// think asks for thoughts, or for none, and reports which.
func (d *Driver) think(r models.Request, asked *client.MessageNewParams) bool {
	switch {
	case r.Thinking <= 0:
		switch d.can.off {
		case offByWord:
			disabled := client.NewThinkingConfigDisabledParam()
			asked.Thinking.OfDisabled = &disabled
		case offByEffort:
			asked.OutputConfig.Effort = client.OutputConfigEffortLow
		}
		return d.can.off == offByEffort
	case d.can.adaptive:
		asked.Thinking.OfAdaptive = &client.ThinkingConfigAdaptiveParam{}
		asked.OutputConfig.Effort = effort(r.Thinking)
	case r.MaxTokens <= minThinking:
		return false // there is no room to think
	default:
		asked.Thinking = client.ThinkingConfigParamOfEnabled(int64(min(max(r.Thinking, minThinking), r.MaxTokens-1)))
	}
	return true
}

// effort is the word for a budget of thoughts.
func effort(thinking int) client.OutputConfigEffort {
	switch {
	case thinking <= 2048:
		return client.OutputConfigEffortLow
	case thinking <= 12288:
		return client.OutputConfigEffortMedium
	}
	return client.OutputConfigEffortHigh
}

// hold holds the answer to the schema, as far as the model can be held.
func (d *Driver) hold(r models.Request, asked *client.MessageNewParams, thinks bool) {
	if r.Schema == nil {
		return
	}
	format, tool := d.can.enforces(d.options.Provider.Schema)
	switch {
	case format:
		asked.OutputConfig.Format = param.Override[client.JSONOutputFormatParam](json.RawMessage(
			`{"type":"json_schema","schema":` + string(models.Strict(r.Schema.JSON, unknown...)) + `}`))
	case tool:
		asked.Tools = append(asked.Tools, toolOf(answerTool, "Takes your answer. Call it once, at the end.", r.Schema.JSON))
		switch {
		case thinks: // nothing can be forced on a model that thinks
		case len(r.Tools) > 0:
			asked.ToolChoice = client.ToolChoiceUnionParam{OfAny: &client.ToolChoiceAnyParam{}}
		default:
			asked.ToolChoice = client.ToolChoiceParamOfTool(answerTool)
		}
	}
}

func toolOf(name, description string, schema json.RawMessage) client.ToolUnionParam {
	if len(bytes.TrimSpace(schema)) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	tool := client.ToolParam{Name: name, InputSchema: param.Override[client.ToolInputSchemaParam](schema)}
	if description != "" {
		tool.Description = param.NewOpt(description)
	}
	return client.ToolUnionParam{OfTool: &tool}
}

// messages returns the turns. Results of tools, and what the person says, are
// of one turn where they follow each other: the results first.
func (d *Driver) messages(r models.Request) []client.MessageParam {
	var turns []client.MessageParam
	marks := d.marks(r)
	for i, m := range r.Messages {
		role, blocks := client.MessageParamRoleUser, []client.ContentBlockParamUnion(nil)
		switch m.Role {
		case models.Assistant:
			role, blocks = client.MessageParamRoleAssistant, d.said(m)
		case models.ToolRole:
			blocks = append(blocks, client.NewToolResultBlock(m.CallID, filled(m.Text), false))
		default:
			blocks = append(blocks, client.NewTextBlock(filled(m.Text)))
		}
		if len(blocks) == 0 {
			continue
		}
		if marks[i] {
			mark(&blocks[len(blocks)-1])
		}
		if len(turns) == 0 && role == client.MessageParamRoleAssistant {
			turns = append(turns, client.NewUserMessage(client.NewTextBlock("(empty)"))) // the person's turn is the first
		}
		last := len(turns) - 1
		if last < 0 || turns[last].Role != role {
			turns = append(turns, client.MessageParam{Role: role, Content: blocks})
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
func results(blocks []client.ContentBlockParamUnion) int {
	n := 0
	for n < len(blocks) && blocks[n].OfToolResult != nil {
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

func mark(block *client.ContentBlockParamUnion) {
	if control := block.GetCacheControl(); control != nil {
		*control = client.NewCacheControlEphemeralParam()
	}
}

// filled is text that is not empty: the provider refuses a block without.
func filled(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}

// said is an assistant's turn, in the order in which it was said.
func (d *Driver) said(m models.Message) []client.ContentBlockParamUnion {
	calls := map[string]client.ContentBlockParamUnion{}
	for _, call := range m.Calls {
		calls[call.ID] = client.NewToolUseBlock(call.ID, input(call.Arguments), call.Name)
	}
	var blocks []client.ContentBlockParamUnion
	text := strings.TrimSpace(m.Text) != ""
	for _, part := range d.kept(m.Opaque) {
		switch {
		case part.Thought != nil:
			blocks = append(blocks, param.Override[client.ContentBlockParamUnion](part.Thought))
		case part.Text && text:
			blocks, text = append(blocks, client.NewTextBlock(m.Text)), false
		case part.Call != "":
			if call, ok := calls[part.Call]; ok {
				blocks = append(blocks, call)
				delete(calls, part.Call)
			}
		}
	}
	if text {
		blocks = append(blocks, client.NewTextBlock(m.Text))
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
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil || o.Model != d.options.Model {
		return nil
	}
	return o.Parts
}
