package modeltest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/subconsciousd/subconsciousd/models"
)

// asked is a request of either protocol.
type asked struct {
	Model    string          `json:"model"`
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCalls  []openAICall    `json:"tool_calls"`
		ToolCallID string          `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Name, Description string
		InputSchema       json.RawMessage `json:"input_schema"`
		CacheControl      any             `json:"cache_control"`
		Function          models.Tool     `json:"function"`
	} `json:"tools"`
	ToolChoice     any     `json:"tool_choice"`
	ResponseFormat *format `json:"response_format"`
	OutputFormat   *format `json:"output_format"`
	OutputConfig   struct {
		Format *format `json:"format"`
	} `json:"output_config"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	ReasoningEffort     string   `json:"reasoning_effort"`
	Thinking            struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens"`
	} `json:"thinking"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// format is the shape that is asked for.
type format struct {
	Type       string
	Schema     json.RawMessage
	JSONSchema struct {
		Name   string
		Schema json.RawMessage
		Strict bool
	} `json:"json_schema"`
}

// part is a piece of a message, of any type.
type part struct {
	Type, Text, ID, Name string
	Input                json.RawMessage
	ToolUseID            string `json:"tool_use_id"`
	Content              json.RawMessage
	Thinking, Signature  string
	CacheControl         any `json:"cache_control"`
}

// signature is what thoughts are signed with; they must come back with it.
const signature = "c2lnbmVkIGJ5IG1vZGVsdGVzdA=="

// reasoners are names of models that want max_completion_tokens.
var reasoners = regexp.MustCompile(`^(o[134]|gpt-[5-9])`)

// parse reads a request for an answer as strictly as the provider does.
func parse(protocol string, header http.Header, body []byte) (Request, *problem) {
	var in asked
	out := Request{Protocol: protocol}
	if err := json.Unmarshal(body, &in); err != nil {
		return out, refuse("the body is no JSON of a request: %v", err)
	}
	out.Model, out.MaxTokens, out.Temperature, out.Stream = in.Model, max(in.MaxTokens, in.MaxCompletionTokens), in.Temperature, in.Stream
	out.withUsage = in.StreamOptions.IncludeUsage || protocol == Anthropic
	if in.Thinking.Type == "enabled" {
		out.Thinking = in.Thinking.BudgetTokens
	} else if in.ReasoningEffort != "" && in.ReasoningEffort != "none" && in.ReasoningEffort != "minimal" {
		out.Thinking = 1
	}
	for _, read := range []func(*Request) *problem{in.tools, in.turns, in.shape} {
		if p := read(&out); p != nil {
			return out, p
		}
	}
	if protocol == OpenAI {
		out.kept = -1 // it decides itself what it keeps
	}
	return out, in.refused(header, out)
}

// refused checks what stands beside the messages.
func (in asked) refused(header http.Header, out Request) *problem {
	native := out.Protocol == Anthropic
	switch {
	case in.Model == "":
		return refuse("model: Field required")
	case len(out.Messages) == 0:
		return refuse("messages must not be empty")
	case !native && in.MaxTokens > 0 && (reasoners.MatchString(in.Model) || in.MaxCompletionTokens > 0):
		return refuse("max_tokens is not supported with this model: use max_completion_tokens alone")
	case !native:
	case header.Get("Anthropic-Version") == "":
		return refuse("anthropic-version: header is required")
	case in.MaxTokens < 1:
		return refuse("max_tokens: Field required")
	case out.Thinking > 0 && (out.Thinking < 1024 || out.Thinking >= in.MaxTokens):
		return refuse("thinking.budget_tokens: must be at least 1024 and less than max_tokens")
	case out.Thinking > 0 && in.Temperature != nil && *in.Temperature != 1:
		return refuse("temperature may only be set to 1 when thinking is enabled")
	case out.Thinking > 0 && out.schemaTool != "":
		return refuse("thinking may not be enabled when tool_choice forces tool use")
	}
	return nil
}

// tools reads the tools. One that must be called stands for a schema.
func (in asked) tools(out *Request) *problem {
	forced, _ := in.ToolChoice.(object)
	for _, t := range in.Tools {
		tool := models.Tool{Name: t.Name, Description: t.Description, Parameters: t.InputSchema}
		if out.Protocol == OpenAI {
			tool = t.Function
		}
		if tool.Name == "" {
			return refuse("a tool must have a name")
		}
		out.took(tool.Name+tool.Description+string(tool.Parameters), t.CacheControl)
		if forced["type"] == "tool" && forced["name"] == tool.Name {
			out.Schema, out.schemaTool = &models.Schema{Name: tool.Name, JSON: tool.Parameters}, tool.Name
			continue
		}
		out.Tools = append(out.Tools, tool)
	}
	return nil
}

// took adds to what is taken in; control asks to keep all of it up to here.
func (r *Request) took(text string, control any) {
	r.prompt += text + "\n"
	if control != nil {
		r.kept = len(r.prompt)
	}
}

// turns reads the messages. Each call of a tool must be answered next, and
// thoughts come back as they were.
func (in asked) turns(out *Request) *problem {
	native := out.Protocol == Anthropic
	system, ok := parts(in.System)
	if !ok {
		return refuse("system: Input should be a valid string or a list of blocks")
	}
	for _, p := range system {
		out.System += p.Text
		out.took("system: "+p.Text, p.CacheControl)
	}
	open := map[string]bool{} // calls without a result
	for i, m := range in.Messages {
		all, ok := parts(m.Content)
		switch {
		case !ok || native && len(all) == 0:
			return refuse("messages.%d.content: Input should be a valid string or a list of blocks", i)
		case native && i == 0 && m.Role != models.User:
			return refuse("messages: first message must use the user role")
		case !native && (m.Role == "system" || m.Role == "developer"):
			for _, p := range all {
				out.System += p.Text
				out.took(m.Role+": "+p.Text, nil)
			}
			continue
		case !native && m.Role == models.ToolRole:
			all = []part{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Content}}
		case m.Role != models.User && m.Role != models.Assistant:
			return refuse("messages.%d: there is no role %q", i, m.Role)
		}
		for _, c := range m.ToolCalls {
			all = append(all, part{Type: "tool_use", ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(c.Function.Arguments)})
		}
		if len(open) > 0 && !slices.ContainsFunc(all, func(p part) bool { return p.Type == "tool_result" }) {
			return refuse("messages.%d: calls of tools must be followed by their results immediately after", i)
		}
		if p := out.turn(i, m.Role, all, open); p != nil {
			return p
		}
		if native && m.Role == models.User && len(open) > 0 {
			return refuse("messages.%d: not all calls of tools have a result immediately after", i)
		}
	}
	if len(open) > 0 {
		return refuse("calls of tools must be followed by their results")
	}
	return nil
}

// turn reads one message.
func (r *Request) turn(i int, role string, all []part, open map[string]bool) *problem {
	native := r.Protocol == Anthropic
	message := models.Message{Role: role}
	for _, p := range all {
		r.took(role+": "+p.Text+p.Thinking+p.Name+string(p.Input)+string(p.Content), p.CacheControl)
		switch {
		case p.Type == "text" && (p.Text != "" || !native):
			message.Text += p.Text
		case p.Type == "text":
			return refuse("messages.%d: text content blocks must be non-empty", i)
		case p.Type == "tool_use":
			open[p.ID] = true
			message.Calls = append(message.Calls, models.ToolCall{ID: p.ID, Name: p.Name, Arguments: p.Input})
		case p.Type == "tool_result" && !open[p.ToolUseID]:
			return refuse("messages.%d: tool_use_id %q answers no call", i, p.ToolUseID)
		case p.Type == "tool_result":
			delete(open, p.ToolUseID)
			result := models.Message{Role: models.ToolRole, CallID: p.ToolUseID}
			content, _ := parts(p.Content)
			for _, c := range content {
				result.Text += c.Text
			}
			r.Messages = append(r.Messages, result)
		case p.Type == "thinking" && native && p.Signature == signature:
		default:
			return refuse("messages.%d: there is no content of type %q, or its signature is wrong", i, p.Type)
		}
	}
	if r.Thinking > 1 && len(message.Calls) > 0 && all[0].Type != "thinking" {
		return refuse("messages.%d: expected thinking before tool_use when thinking is enabled", i)
	}
	if message.Text != "" || len(message.Calls) > 0 {
		r.Messages = append(r.Messages, message)
	}
	return nil
}

// parts reads content that is a text, a list of parts, or null.
func parts(content json.RawMessage) ([]part, bool) {
	var text string
	if len(content) == 0 || string(content) == "null" {
		return nil, true
	}
	if json.Unmarshal(content, &text) == nil {
		return []part{{Type: "text", Text: text}}, true
	}
	var list []part
	return list, json.Unmarshal(content, &list) == nil
}

// shape reads the shape that is asked for.
func (in asked) shape(out *Request) *problem {
	f := cmp.Or(in.ResponseFormat, in.OutputConfig.Format, in.OutputFormat)
	if f == nil || f.Type == "text" {
		return nil
	}
	name, schema, strict := f.JSONSchema.Name, f.JSONSchema.Schema, f.JSONSchema.Strict
	if out.Protocol == Anthropic {
		name, schema, strict = "answer", f.Schema, true
	}
	switch {
	case f.Type == "json_object" && !strings.Contains(strings.ToLower(out.Text()), "json"):
		return refuse("messages must contain the word 'json' to use response_format of type json_object")
	case f.Type == "json_object":
		return nil
	case f.Type != "json_schema" || name == "" || schema == nil:
		return refuse("the format %q is unknown, or lacks a name or a schema", f.Type)
	}
	out.Schema = &models.Schema{Name: name, JSON: schema}
	out.prompt = string(schema) + out.prompt
	var read jsonschema.Schema
	if err := json.Unmarshal(schema, &read); err != nil {
		return refuse("the schema cannot be read: %v", err)
	}
	if strict {
		return strictly(&read, "$")
	}
	return nil
}

// strictly checks a schema as providers do that enforce it: each object closed,
// each of its properties required.
func strictly(s *jsonschema.Schema, path string) *problem {
	for name, inner := range s.Properties {
		if !slices.Contains(s.Required, name) {
			return refuse("in a strict schema every property must be required: %s lacks %q", path, name)
		}
		if p := strictly(inner, path+"."+name); p != nil {
			return p
		}
	}
	if s.Properties != nil && (s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil) {
		return refuse("in a strict schema additionalProperties must be false: %s", path)
	}
	inner := slices.Concat(s.AnyOf, s.OneOf, s.AllOf)
	if s.Items != nil {
		inner = append(inner, s.Items)
	}
	for _, each := range inner {
		if p := strictly(each, path); p != nil {
			return p
		}
	}
	return nil
}
