package modeltest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// anthropic is the protocol of messages.
type anthropic struct{}

var _ protocol = anthropic{}

type anthropicRequest struct {
	Model    string          `json:"model"`
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"input_schema"`
		CacheControl json.RawMessage `json:"cache_control"`
	} `json:"tools"`
	ToolChoice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	OutputConfig struct {
		Format *anthropicFormat `json:"format"`
	} `json:"output_config"`
	OutputFormat *anthropicFormat `json:"output_format"`
	MaxTokens    int              `json:"max_tokens"`
	Temperature  *float64         `json:"temperature"`
	Thinking     struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens"`
	} `json:"thinking"`
	Stream bool `json:"stream"`
}

type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// anthropicBlock is a piece of a message, of any type.
type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	CacheControl json.RawMessage `json:"cache_control"`
}

// signature is what thoughts are signed with; they must come back with it.
const signature = "c2lnbmVkIGJ5IG1vZGVsdGVzdA=="

func (anthropic) parse(header http.Header, body []byte) (Request, *problem) {
	out := Request{Protocol: Anthropic, withUsage: true}
	var in anthropicRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return out, refuse("the body is no JSON of a message: %v", err)
	}
	out.Model, out.MaxTokens, out.Temperature, out.Stream = in.Model, in.MaxTokens, in.Temperature, in.Stream
	if in.Thinking.Type == "enabled" {
		out.Thinking = in.Thinking.BudgetTokens
	}
	p := promptBuilder{}
	in.tools(&out, &p)
	system, ok := blocks(in.System)
	if !ok {
		return out, refuse("system: Input should be a valid string or a list of blocks")
	}
	for _, b := range system {
		out.System += b.Text
		p.add("system: "+b.Text, b.CacheControl)
	}
	if refused := in.messages(&out, &p); refused != nil {
		return out, refused
	}
	out.prompt, out.kept = p.text.String(), p.kept
	return out, in.refused(header, out)
}

// refused checks what stands beside the messages.
func (in anthropicRequest) refused(header http.Header, out Request) *problem {
	if f := in.format(); f != nil {
		if f.Type != "json_schema" || f.Schema == nil {
			return refuse("output_config.format: it must be a json_schema with a schema")
		}
		if p := strictly(f.Schema, "$"); p != nil {
			return p
		}
	}
	switch {
	case header.Get("Anthropic-Version") == "":
		return refuse("anthropic-version: header is required")
	case in.Model == "":
		return refuse("model: Field required")
	case in.MaxTokens < 1:
		return refuse("max_tokens: Field required")
	case len(out.Messages) == 0:
		return refuse("messages: at least one message is required")
	case out.Thinking > 0 && (out.Thinking < 1024 || out.Thinking >= in.MaxTokens):
		return refuse("thinking.budget_tokens: must be at least 1024 and less than max_tokens")
	case out.Thinking > 0 && in.Temperature != nil && *in.Temperature != 1:
		return refuse("temperature may only be set to 1 when thinking is enabled")
	case out.Thinking > 0 && out.schemaTool != "":
		return refuse("thinking may not be enabled when tool_choice forces tool use")
	}
	return nil
}

func (in anthropicRequest) format() *anthropicFormat {
	if in.OutputConfig.Format != nil {
		return in.OutputConfig.Format
	}
	return in.OutputFormat
}

// tools reads the tools. One that must be called stands for a schema.
func (in anthropicRequest) tools(out *Request, p *promptBuilder) {
	for _, t := range in.Tools {
		p.add(t.Name+t.Description+string(t.InputSchema), t.CacheControl)
		if in.ToolChoice.Type == "tool" && in.ToolChoice.Name == t.Name {
			out.Schema, out.schemaTool = &models.Schema{Name: t.Name, JSON: t.InputSchema}, t.Name
			continue
		}
		out.Tools = append(out.Tools, models.Tool{Name: t.Name, Description: t.Description, Parameters: t.InputSchema})
	}
	if f := in.format(); f != nil {
		out.Schema = &models.Schema{Name: "answer", JSON: f.Schema}
	}
}

// messages reads the turns. The results of tools come in a user's message
// right after the calls, and thoughts come back as they were.
func (in anthropicRequest) messages(out *Request, p *promptBuilder) *problem {
	open := map[string]bool{}
	for i, m := range in.Messages {
		parts, ok := blocks(m.Content)
		switch {
		case !ok || len(parts) == 0:
			return refuse("messages.%d.content: Input should be a valid string or a list of blocks", i)
		case m.Role != "user" && m.Role != "assistant":
			return refuse("messages.%d.role: Input should be 'user' or 'assistant'", i)
		case i == 0 && m.Role != "user":
			return refuse("messages: first message must use the user role")
		case m.Role == "assistant" && len(open) > 0:
			return refuse("messages.%d: tool_use ids were found without tool_result blocks immediately after", i)
		}
		message := models.Message{Role: m.Role}
		for _, b := range parts {
			p.add(m.Role+": "+b.Text+b.Thinking+b.Name+string(b.Input)+string(b.Content), b.CacheControl)
			switch b.Type {
			case "text":
				if b.Text == "" {
					return refuse("messages.%d: text content blocks must be non-empty", i)
				}
				message.Text += b.Text
			case "tool_use":
				open[b.ID] = true
				message.Calls = append(message.Calls, models.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Input})
			case "tool_result":
				if !open[b.ToolUseID] {
					return refuse("messages.%d: unexpected tool_use_id %q in tool_result blocks", i, b.ToolUseID)
				}
				delete(open, b.ToolUseID)
				text, _ := plainText(b.Content)
				out.Messages = append(out.Messages, models.Message{Role: models.ToolRole, Text: text, CallID: b.ToolUseID})
			case "thinking":
				if b.Signature != signature {
					return refuse("messages.%d: invalid signature in thinking block", i)
				}
			default:
				return refuse("messages.%d: there is no block of type %q", i, b.Type)
			}
		}
		if m.Role == "user" && len(open) > 0 {
			return refuse("messages.%d: tool_use ids were found without tool_result blocks immediately after", i)
		}
		if out.Thinking > 0 && len(message.Calls) > 0 && parts[0].Type != "thinking" {
			return refuse("messages.%d: expected thinking before tool_use when thinking is enabled", i)
		}
		if message.Text != "" || len(message.Calls) > 0 {
			out.Messages = append(out.Messages, message)
		}
	}
	if len(open) > 0 {
		return refuse("tool_use ids were found without tool_result blocks immediately after")
	}
	return nil
}

// blocks reads content that is a text or a list of blocks.
func blocks(content json.RawMessage) ([]anthropicBlock, bool) {
	if len(content) == 0 || string(content) == "null" {
		return nil, true
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text}}, true
	}
	var list []anthropicBlock
	return list, json.Unmarshal(content, &list) == nil
}

// promptBuilder puts together what is taken in, and knows up to where it is to
// be kept.
type promptBuilder struct {
	text strings.Builder
	kept int
}

func (p *promptBuilder) add(text string, control json.RawMessage) {
	p.text.WriteString(text + "\n")
	if len(control) > 0 && string(control) != "null" {
		p.kept = p.text.Len()
	}
}

func (anthropic) problem(p problem) []byte {
	return []byte(compact(object{"type": "error", "error": object{"type": p.kind, "message": p.text}, "request_id": "req_modeltest"}))
}

func (anthropic) models(known []string) []byte {
	list := []object{}
	all := names(known)
	for _, name := range all {
		list = append(list, object{"type": "model", "id": name, "display_name": name, "created_at": "2026-09-21T00:00:00Z"})
	}
	return []byte(compact(object{"data": list, "has_more": false, "first_id": all[0], "last_id": all[len(all)-1]}))
}

func anthropicUsage(u models.Usage, output int) object {
	return object{
		"input_tokens": u.Input - u.Cached - u.Written, "cache_read_input_tokens": u.Cached,
		"cache_creation_input_tokens": u.Written, "output_tokens": output,
	}
}

// stopReason is the word for why the answer ends.
func (a answer) stopReason() string {
	switch a.stop {
	case "length":
		return "max_tokens"
	case "tools":
		return "tool_use"
	case "refused":
		return "refusal"
	}
	return "end_turn"
}

// content are the blocks of an answer.
func (a answer) content() []object {
	list := []object{}
	if a.reasoning != "" {
		list = append(list, object{"type": "thinking", "thinking": a.reasoning, "signature": signature})
	}
	switch {
	case a.stop == "refused":
	case a.request.schemaTool != "":
		list = append(list, object{"type": "tool_use", "id": id("toolu_", a.request.Number), "name": a.request.schemaTool, "input": schemaInput(a.text)})
	case a.text != "":
		list = append(list, object{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		list = append(list, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": raw(string(c.Arguments))})
	}
	return list
}

// raw writes JSON as it is, and what is none as a text.
func raw(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// schemaInput is an answer given by way of a tool. In one piece the provider
// leaves out what was cut off at the limit of tokens; a stream has its
// beginning.
type schemaInput string

// MarshalJSON implements json.Marshaler.
func (s schemaInput) MarshalJSON() ([]byte, error) {
	if !json.Valid([]byte(s)) {
		return []byte("{}"), nil
	}
	return []byte(s), nil
}

func (anthropic) plain(a answer) []byte {
	body := a.envelope()
	body["content"], body["stop_reason"] = a.content(), a.stopReason()
	if a.noContent {
		body["content"] = nil
	}
	if a.usage.Known {
		body["usage"] = anthropicUsage(a.usage, a.usage.Output)
	}
	return []byte(compact(body))
}

func (a answer) envelope() object {
	return object{
		"id": id("msg_", a.request.Number), "type": "message", "role": "assistant", "model": a.model,
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil,
	}
}

func (anthropic) stream(a answer) [][]byte {
	var frames [][]byte
	send := func(name string, more object) {
		more["type"] = name
		frames = append(frames, event(name, more))
	}
	message := a.envelope()
	if a.usage.Known {
		message["usage"] = anthropicUsage(a.usage, 1)
	}
	if a.noContent {
		message["content"] = nil
	}
	send("message_start", object{"message": message})
	send("ping", object{})
	for i, block := range a.content() {
		start, deltas := blockEvents(block)
		send("content_block_start", object{"index": i, "content_block": start})
		for _, delta := range deltas {
			send("content_block_delta", object{"index": i, "delta": delta})
		}
		send("content_block_stop", object{"index": i})
	}
	last := object{"delta": object{"stop_reason": a.stopReason(), "stop_sequence": nil}}
	if a.usage.Known {
		last["usage"] = object{"output_tokens": a.usage.Output}
	}
	send("message_delta", last)
	send("message_stop", object{})
	return frames
}

// blockEvents is how a block begins in a stream, and what follows.
func blockEvents(block object) (start object, deltas []object) {
	add := func(kind, field, text string) {
		for _, piece := range pieces(text) {
			deltas = append(deltas, object{"type": kind, field: piece})
		}
	}
	switch block["type"] {
	case "text":
		add("text_delta", "text", block["text"].(string))
		return object{"type": "text", "text": ""}, deltas
	case "thinking":
		add("thinking_delta", "thinking", block["thinking"].(string))
		add("signature_delta", "signature", signature)
		return object{"type": "thinking", "thinking": "", "signature": ""}, deltas
	}
	switch input := block["input"].(type) {
	case json.RawMessage:
		add("input_json_delta", "partial_json", string(input))
	case schemaInput:
		add("input_json_delta", "partial_json", string(input))
	case string: // no JSON: it comes in pieces as it is
		add("input_json_delta", "partial_json", input)
	}
	return object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}, deltas
}

func (anthropic) delta(text string) []byte {
	return event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
}

func (anthropic) failure() []byte {
	return event("error", object{"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}})
}
