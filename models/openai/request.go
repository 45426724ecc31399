package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	client "github.com/sashabaranov/go-openai"

	"github.com/subconsciousd/subconsciousd/models"
)

type object = map[string]any

// body is the JSON of what is asked.
//
// https://platform.openai.com/docs/api-reference/chat/create
func (d *Driver) body(r models.Request) ([]byte, error) {
	asked := object{"model": d.Model, "stream": r.OnText != nil, d.vendor.TokenFieldOf(d.Model): r.MaxTokens}
	maps.Copy(asked, d.vendor.Extra(d.Model, r.Thinking))
	if r.Temperature != nil && !d.vendor.FixedTemperature(d.Model) {
		asked["temperature"] = *r.Temperature
	}
	var tools []client.Tool
	for _, tool := range r.Tools {
		tools = append(tools, client.Tool{Type: client.ToolTypeFunction, Function: &client.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Schema()}})
	}
	if tools != nil {
		asked["tools"] = tools
	}
	if r.OnText != nil && d.vendor.StreamUsage {
		asked["stream_options"] = client.StreamOptions{IncludeUsage: true}
	}
	if r.Schema != nil {
		r.System = d.format(r, asked)
	}
	asked["messages"] = d.messages(r)
	return json.Marshal(asked)
}

func (d *Driver) messages(r models.Request) []object {
	var messages []object
	if r.System != "" {
		messages = append(messages, object{"role": client.ChatMessageRoleSystem, "content": r.System})
	}
	for _, m := range r.Messages {
		message := object{"role": m.Role, "content": m.Text}
		switch {
		case m.Role == models.Assistant:
			back := d.kept(m.Opaque)
			if calls := calls(m.Calls, back.Calls); calls != nil {
				message["tool_calls"] = calls
			}
			if d.vendor.Name == "deepseek" && back.Thought != "" { // it wants its thoughts back within a turn
				message["reasoning_content"] = back.Thought
			}
			if m.Text == "" && len(m.Calls) == 0 {
				continue
			}
			if m.Text == "" {
				delete(message, "content")
			}
		case strings.TrimSpace(m.Text) == "": // most refuse a message without content
			message["content"] = "(empty)"
		}
		if m.Role == models.ToolRole {
			message["tool_call_id"] = m.CallID
		}
		messages = append(messages, message)
	}
	return messages
}

// signedCall is a tool call with what its provider added to it.
type signedCall struct {
	client.ToolCall
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// calls gives tool calls back, with what their provider added to them, by their
// ids.
func calls(asked []models.ToolCall, added map[string]json.RawMessage) []signedCall {
	var all []signedCall
	for _, call := range asked {
		all = append(all, signedCall{client.ToolCall{ID: call.ID, Type: client.ToolTypeFunction,
			Function: client.FunctionCall{Name: call.Name, Arguments: arguments(call.Arguments)}}, added[call.ID]})
	}
	return all
}

// format asks for JSON as far as the provider enforces it, and returns the
// system's part with what it does not enforce said in words.
func (d *Driver) format(r models.Request, asked object) (system string) {
	enforced := d.Provider.Schema
	if len(r.Tools) > 0 && !d.formatsWithTools() {
		enforced = models.SchemaNone
	}
	switch enforced {
	case models.SchemaJSON:
		asked["response_format"] = client.ChatCompletionResponseFormat{Type: client.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &client.ChatCompletionResponseFormatJSONSchema{Name: schemaName(r.Schema.Name), Schema: models.Strict(r.Schema.JSON), Strict: true}}
		return r.System
	case models.SchemaObject:
		asked["response_format"] = client.ChatCompletionResponseFormat{Type: client.ChatCompletionResponseFormatTypeJSONObject}
	}
	return r.Schema.InWords(r.System)
}

// formatsWithTools reports whether tools and a format go together: Groq, Gemini
// and llama.cpp refuse a request with both, others let the format win, so that
// no tool is ever asked for (https://github.com/ollama/ollama/issues/8095). There
// the format comes with the answer that Converse asks for again, without tools.
func (d *Driver) formatsWithTools() bool {
	return slices.Contains([]string{"openai", "openrouter", "zai", "deepseek", "mistral"}, d.vendor.Name)
}

// schemaName has the letters that providers allow, at most 64.
func schemaName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "answer"
	}
	return name[:min(len(name), 64)]
}

// arguments go back as the model wrote them. What is no JSON was answered with
// an error; providers that parse it again would refuse all of the request.
func arguments(written json.RawMessage) string {
	if !json.Valid(written) {
		return "{}"
	}
	return string(written)
}

// opaque is what goes back with an assistant's message, to the model that wrote
// it alone: a local one's may hold what a remote one is not told.
type opaque struct {
	By string `json:"by"`
	// Thought is what DeepSeek wants back, Calls what Gemini signs.
	Thought string                     `json:"thought,omitempty"`
	Calls   map[string]json.RawMessage `json:"calls,omitempty"`
}

func (d *Driver) kept(raw json.RawMessage) opaque {
	var o opaque
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil || o.By != d.Identity().String() {
		return opaque{}
	}
	return o
}
