package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// openAI is the protocol of chat completions.
type openAI struct{}

var _ protocol = openAI{}

type openAIRequest struct {
	Model    string          `json:"model"`
	Messages []openAIMessage `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	ReasoningEffort     string   `json:"reasoning_effort"`
	Stream              bool     `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type openAIMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []openAICall    `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type openAICall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// reasoners are names of models that want max_completion_tokens.
var reasoners = regexp.MustCompile(`^(o[134]|gpt-[5-9])`)

func (openAI) parse(_ http.Header, body []byte) (Request, *problem) {
	var in openAIRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{Protocol: OpenAI}, refuse("the body is no JSON of a chat completion: %v", err)
	}
	out := Request{
		Protocol: OpenAI, Model: in.Model, MaxTokens: max(in.MaxTokens, in.MaxCompletionTokens), Temperature: in.Temperature,
		Stream: in.Stream, withUsage: in.StreamOptions.IncludeUsage, kept: -1,
	}
	if in.ReasoningEffort != "" && in.ReasoningEffort != "none" && in.ReasoningEffort != "minimal" {
		out.Thinking = 1
	}
	for _, t := range in.Tools {
		if t.Type != "function" || t.Function.Name == "" {
			return out, refuse("a tool must be a function with a name")
		}
		out.Tools = append(out.Tools, models.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	if p := in.messages(&out); p != nil {
		return out, p
	}
	if p := in.format(&out); p != nil {
		return out, p
	}
	switch {
	case in.Model == "":
		return out, refuse("you must provide a model parameter")
	case len(in.Messages) == 0:
		return out, refuse("messages must not be empty")
	case in.MaxTokens > 0 && (reasoners.MatchString(in.Model) || in.MaxCompletionTokens > 0):
		return out, refuse("max_tokens is not supported with this model: use max_completion_tokens alone")
	}
	return out, nil
}

// messages reads the turns. Each call of a tool must be answered next.
func (in openAIRequest) messages(out *Request) *problem {
	prompt := compact(out.Tools)
	var system []string
	open := map[string]bool{}
	for i, m := range in.Messages {
		text, ok := plainText(m.Content)
		if !ok {
			return refuse("messages[%d].content is neither text nor parts of text", i)
		}
		prompt += m.Role + ": " + text + "\n"
		message := models.Message{Role: m.Role, Text: text, CallID: m.ToolCallID}
		if m.Role != "tool" && len(open) > 0 {
			return refuse("messages[%d]: a message with tool_calls must be followed by what they returned", i)
		}
		switch m.Role {
		case "system", "developer":
			system = append(system, text)
			continue
		case "user":
		case "assistant":
			for _, c := range m.ToolCalls {
				open[c.ID] = true
				prompt += compact(c)
				message.Calls = append(message.Calls, models.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
			}
		case "tool":
			if !open[m.ToolCallID] {
				return refuse("messages[%d]: tool_call_id %q answers no call", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		default:
			return refuse("messages[%d]: there is no role %q", i, m.Role)
		}
		out.Messages = append(out.Messages, message)
	}
	out.System, out.prompt = strings.Join(system, "\n"), prompt
	if len(open) > 0 {
		return refuse("a message with tool_calls must be followed by what they returned")
	}
	return nil
}

// format reads the shape that is asked for.
func (in openAIRequest) format(out *Request) *problem {
	if in.ResponseFormat == nil {
		return nil
	}
	switch f := in.ResponseFormat; f.Type {
	case "text":
	case "json_object":
		out.JSONOnly = true
		if !strings.Contains(strings.ToLower(out.Text()), "json") {
			return refuse("messages must contain the word 'json' to use response_format of type json_object")
		}
	case "json_schema":
		if f.JSONSchema.Name == "" || f.JSONSchema.Schema == nil {
			return refuse("response_format.json_schema lacks a name or a schema")
		}
		out.Schema = &models.Schema{Name: f.JSONSchema.Name, JSON: f.JSONSchema.Schema}
		out.prompt = string(f.JSONSchema.Schema) + out.prompt
		if f.JSONSchema.Strict {
			return strictly(f.JSONSchema.Schema, "$")
		}
	default:
		return refuse("there is no response_format %q", f.Type)
	}
	return nil
}

// plainText reads content that is a text, parts of text, or null.
func plainText(content json.RawMessage) (string, bool) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, true
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	for _, part := range parts {
		if part.Type != "text" {
			return "", false
		}
		text += part.Text
	}
	return text, true
}

func (openAI) problem(p problem) []byte {
	return []byte(compact(object{"error": object{"message": p.text, "type": p.kind, "param": nil, "code": p.status}}))
}

func (openAI) models(known []string) []byte {
	list := []object{}
	for _, name := range names(known) {
		list = append(list, object{"id": name, "object": "model", "created": created, "owned_by": "modeltest"})
	}
	return []byte(compact(object{"object": "list", "data": list}))
}

// object is JSON with its keys in order of the alphabet, always the same.
type object = map[string]any

func openAIUsage(u models.Usage) any {
	if !u.Known {
		return nil
	}
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Total(),
		"prompt_tokens_details":     object{"cached_tokens": u.Cached},
		"completion_tokens_details": object{"reasoning_tokens": u.Thinking},
	}
}

// finish is the word for why the answer ends.
func (a answer) finish() string {
	switch a.stop {
	case "length":
		return "length"
	case "tools":
		return "tool_calls"
	}
	return "stop"
}

func (a answer) openAICalls(indexed bool) []openAICall {
	var calls []openAICall
	for i, c := range a.calls {
		call := openAICall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, string(c.Arguments)
		if indexed {
			call.Index = &i
		}
		calls = append(calls, call)
	}
	return calls
}

func (openAI) plain(a answer) []byte {
	message := object{"role": "assistant", "content": a.text, "refusal": nil}
	switch {
	case a.stop == "refused":
		message["content"], message["refusal"] = nil, a.text
	case a.noContent, a.text == "" && len(a.calls) > 0:
		message["content"] = nil
	}
	if len(a.calls) > 0 {
		message["tool_calls"] = a.openAICalls(false)
	}
	body := object{
		"id": id("chatcmpl-", a.request.Number), "object": "chat.completion", "created": created, "model": a.model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": a.finish(), "logprobs": nil}},
	}
	if usage := openAIUsage(a.usage); usage != nil {
		body["usage"] = usage
	}
	return []byte(compact(body))
}

func (openAI) stream(a answer) [][]byte {
	// Some providers send a comment first, so that the line does not fall
	// silent.
	frames := [][]byte{[]byte(": one moment\n\n")}
	send := func(delta object, finish any) {
		chunk := a.chunk([]object{{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}})
		frames = append(frames, event("", chunk))
	}
	first := object{"role": "assistant", "content": ""}
	if a.noContent {
		first["content"] = nil
	}
	send(first, nil)
	field := "content"
	if a.stop == "refused" {
		field = "refusal"
	}
	for _, piece := range pieces(a.text) {
		send(object{field: piece}, nil)
	}
	for _, call := range a.openAICalls(true) {
		arguments := call.Function.Arguments
		call.Function.Arguments = ""
		send(object{"tool_calls": []openAICall{call}}, nil)
		for _, piece := range pieces(arguments) {
			more := openAICall{Index: call.Index}
			more.Function.Arguments = piece
			send(object{"tool_calls": []openAICall{more}}, nil)
		}
	}
	send(object{}, a.finish())
	if usage := openAIUsage(a.usage); usage != nil && a.request.withUsage {
		chunk := a.chunk([]object{})
		chunk["usage"] = usage
		frames = append(frames, event("", chunk))
	}
	return append(frames, []byte("data: [DONE]\n\n"))
}

func (a answer) chunk(choices []object) object {
	chunk := object{
		"id": id("chatcmpl-", a.request.Number), "object": "chat.completion.chunk", "created": created, "model": a.model, "choices": choices,
	}
	if a.request.withUsage {
		chunk["usage"] = nil
	}
	return chunk
}

func (openAI) delta(text string) []byte {
	return event("", object{
		"id": "chatcmpl-more", "object": "chat.completion.chunk", "created": created, "model": Model,
		"choices": []object{{"index": 0, "delta": object{"content": text}, "finish_reason": nil}},
	})
}

func (o openAI) failure() []byte {
	return []byte("data: " + string(o.problem(problem{http.StatusBadGateway, "server_error", "the provider behind failed"})) + "\n\n")
}

// event writes a server-sent event; name is left out where empty.
func event(name string, value any) []byte {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: " + compact(value) + "\n\n")
	return b.Bytes()
}
