package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	client "github.com/sashabaranov/go-openai"

	"github.com/subconsciousd/subconsciousd/models"
)

// body is the JSON of what is asked: the library's, with the fields beside those
// that it has.
func (d *Driver) body(r models.Request) ([]byte, error) {
	asked := client.ChatCompletionRequest{Model: d.options.Model, Messages: d.messages(r), Stream: r.OnText != nil}
	for _, tool := range r.Tools {
		asked.Tools = append(asked.Tools, client.Tool{Type: client.ToolTypeFunction, Function: &client.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: parameters(tool.Parameters),
		}})
	}
	if r.OnText != nil && d.vendor.StreamUsage {
		asked.StreamOptions = &client.StreamOptions{IncludeUsage: true}
	}
	d.format(r, &asked)
	extra := map[string]any{d.vendor.TokenFieldOf(d.options.Model): r.MaxTokens}
	maps.Copy(extra, d.vendor.Extra(d.options.Model, r.Thinking))
	if r.Temperature != nil && !d.vendor.FixedTemperature(d.options.Model) {
		extra["temperature"] = *r.Temperature // the library leaves out a 0
	}
	added := map[string]json.RawMessage{}
	for _, message := range r.Messages {
		maps.Copy(added, d.kept(message.Opaque).Calls)
	}
	messages, err := withAdded(asked.Messages, added)
	if err != nil {
		return nil, err
	}
	extra["messages"] = messages
	return withFields(asked, extra)
}

func (d *Driver) messages(r models.Request) []client.ChatCompletionMessage {
	var messages []client.ChatCompletionMessage
	if r.System != "" {
		messages = append(messages, client.ChatCompletionMessage{Role: client.ChatMessageRoleSystem, Content: r.System})
	}
	for _, m := range r.Messages {
		message := client.ChatCompletionMessage{Role: m.Role, Content: m.Text}
		switch m.Role {
		case models.Assistant:
			for _, call := range m.Calls {
				message.ToolCalls = append(message.ToolCalls, client.ToolCall{ID: call.ID, Type: client.ToolTypeFunction,
					Function: client.FunctionCall{Name: call.Name, Arguments: arguments(call.Arguments)}})
			}
			if d.vendor.Name == "deepseek" { // it wants its thoughts back within a turn
				message.ReasoningContent = d.kept(m.Opaque).Thought
			}
			if message.Content == "" && len(message.ToolCalls) == 0 {
				continue
			}
		case models.ToolRole:
			message.ToolCallID = m.CallID
			fallthrough
		default:
			if strings.TrimSpace(message.Content) == "" { // most refuse a message without content
				message.Content = "(empty)"
			}
		}
		messages = append(messages, message)
	}
	return messages
}

// format asks for JSON as far as the provider enforces it. What it does not
// enforce is said in words.
func (d *Driver) format(r models.Request, asked *client.ChatCompletionRequest) {
	if r.Schema == nil {
		return
	}
	enforced := d.options.Provider.Schema
	if len(r.Tools) > 0 && !d.formatsWithTools() {
		enforced = models.SchemaNone
	}
	switch enforced {
	case models.SchemaJSON:
		asked.ResponseFormat = &client.ChatCompletionResponseFormat{Type: client.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &client.ChatCompletionResponseFormatJSONSchema{Name: schemaName(r.Schema.Name), Schema: models.Strict(r.Schema.JSON), Strict: true}}
		return
	case models.SchemaObject:
		asked.ResponseFormat = &client.ChatCompletionResponseFormat{Type: client.ChatCompletionResponseFormatTypeJSONObject}
	}
	said := models.InWords(*r.Schema)
	if r.System == "" {
		asked.Messages = slices.Insert(asked.Messages, 0, client.ChatCompletionMessage{Role: client.ChatMessageRoleSystem, Content: said})
		return
	}
	asked.Messages[0].Content += "\n\n" + said
}

// formatsWithTools reports whether tools and a format go together: Groq, Gemini
// and llama.cpp refuse a request with both, others let the format win, so that
// no tool is ever asked for.
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

// parameters is the schema of a tool's arguments, which must be one.
func parameters(schema json.RawMessage) any {
	if len(bytes.TrimSpace(schema)) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}

// arguments go back as the model wrote them. What is no JSON was answered with
// an error; providers that parse it again would refuse all of the request.
func arguments(written json.RawMessage) string {
	if !json.Valid(written) {
		return "{}"
	}
	return string(written)
}

// withFields returns a request as JSON with fields set.
func withFields(request any, fields map[string]any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	for name, value := range fields {
		if all[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(all)
}

// withAdded gives tool calls back what their provider added to them, by their
// ids.
func withAdded(messages []client.ChatCompletionMessage, added map[string]json.RawMessage) (any, error) {
	if len(added) == 0 {
		return messages, nil
	}
	written, err := json.Marshal(messages)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	if err := json.Unmarshal(written, &all); err != nil {
		return nil, err
	}
	for _, message := range all {
		calls, _ := message["tool_calls"].([]any)
		for _, item := range calls {
			call, _ := item.(map[string]any)
			id, _ := call["id"].(string)
			if extra, ok := added[id]; ok {
				call["extra_content"] = extra
			}
		}
	}
	return all, nil
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
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil || o.By != d.by.String() {
		return opaque{}
	}
	return o
}
