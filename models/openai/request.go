package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
	var tools []object
	for _, tool := range r.Tools {
		tools = append(tools, object{"type": "function",
			"function": object{"name": tool.Name, "description": tool.Description, "parameters": tool.Schema()}})
	}
	if tools != nil {
		asked["tools"] = tools
	}
	if r.OnText != nil && d.vendor.StreamUsage {
		asked["stream_options"] = object{"include_usage": true}
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
		messages = append(messages, object{"role": "system", "content": r.System})
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

// calls gives tool calls back, with what their provider added to them, by their
// ids.
func calls(asked []models.ToolCall, added map[string]json.RawMessage) []object {
	var all []object
	for _, call := range asked {
		one := object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": arguments(call.Arguments)}}
		if extra := added[call.ID]; len(extra) > 0 {
			one["extra_content"] = extra
		}
		all = append(all, one)
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
		asked["response_format"] = object{"type": "json_schema",
			"json_schema": object{"name": schemaName(r.Schema.Name), "schema": models.Strict(r.Schema.JSON), "strict": true}}
		return r.System
	case models.SchemaObject:
		asked["response_format"] = object{"type": "json_object"}
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
