package modeltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// wire writes what a provider of one protocol writes, byte by byte.
type wire interface {
	name() string
	// problem writes the body of an answer that refuses, models the list of
	// models.
	problem(problem) []byte
	models(names []string) []byte
	// frames are the pieces in which an answer is sent: its events, or one where
	// it is plain.
	frames(answer) [][]byte
	// delta is one event with a piece of text, failure one with an error.
	delta(text string) []byte
	failure() []byte
}

// problem is why a provider refuses.
type problem struct {
	status     int
	kind, text string
}

func refuse(format string, values ...any) *problem {
	return &problem{http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, values...)}
}

// answer is what is to be written.
type answer struct {
	request   Request
	model     string
	text      string
	calls     []models.ToolCall
	stop      string
	reasoning string
	noContent bool // content is null
	usage     models.Usage
}

// object is JSON with its keys in order of the alphabet, always the same.
type object = map[string]any

// compact writes a value of this package, which can always be written.
func compact(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("modeltest: write %T: %v", value, err))
	}
	return string(data)
}

// event writes a server-sent event; name is left out where empty.
func event(name string, value any) []byte {
	if name != "" {
		name = "event: " + name + "\n"
	}
	return []byte(name + "data: " + compact(value) + "\n\n")
}

// pieces cuts a text into what a stream carries in one event.
func pieces(text string) []string {
	size := max(16, len(text)/200)
	var parts []string
	for text != "" {
		part := cmp.Or(subconscious.Head(text, size), text[:min(size, len(text))]) // a character longer than size, or no UTF-8
		parts = append(parts, part)
		text = text[len(part):]
	}
	return parts
}

// created is when answers say that they were made, in Unix seconds: always the
// same, so that they are.
const created = 1790000000

func id(prefix string, number int) string { return fmt.Sprintf("%s%06d", prefix, number) }

// openAI is the protocol of chat completions.
type openAI struct{}

var _ wire = openAI{}

type openAICall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (openAI) name() string { return OpenAI }

func (openAI) problem(p problem) []byte {
	return []byte(compact(object{"error": object{"message": p.text, "type": p.kind, "param": nil, "code": p.status}}))
}

func (openAI) models(names []string) []byte {
	list := []object{}
	for _, name := range names {
		list = append(list, object{"id": name, "object": "model", "created": created, "owned_by": "modeltest"})
	}
	return []byte(compact(object{"object": "list", "data": list}))
}

func (openAI) frames(a answer) [][]byte {
	usage := object{
		"prompt_tokens": a.usage.Input, "completion_tokens": a.usage.Output, "total_tokens": a.usage.Total(),
		"prompt_tokens_details":     object{"cached_tokens": a.usage.Cached},
		"completion_tokens_details": object{"reasoning_tokens": a.usage.Thinking},
	}
	finish := cmp.Or(map[string]string{models.StopLength: "length", models.StopTools: "tool_calls"}[a.stop], "stop")
	body := func(kind string, choices ...object) object {
		return object{"id": id("chatcmpl-", a.request.Number), "object": kind, "created": created, "model": a.model, "choices": choices}
	}
	var calls []openAICall
	for i, c := range a.calls {
		call := openAICall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, string(c.Arguments)
		if a.request.Stream {
			call.Index = &i
		}
		calls = append(calls, call)
	}
	field := "content"
	if a.stop == models.StopRefused {
		field = "refusal"
	}
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	if !a.request.Stream {
		if message[field] = a.text; a.noContent || a.text == "" && len(calls) > 0 {
			message[field] = nil
		}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		whole := body("chat.completion", object{"index": 0, "message": message, "finish_reason": finish, "logprobs": nil})
		if a.usage.Known {
			whole["usage"] = usage
		}
		return [][]byte{[]byte(compact(whole))}
	}
	// Some providers send a comment first, so that the line does not fall silent.
	frames := [][]byte{[]byte(": one moment\n\n")}
	send := func(delta object, finish any) {
		chunk := body("chat.completion.chunk", object{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil})
		frames = append(frames, event("", chunk))
	}
	send(message, nil)
	for _, piece := range pieces(a.text) {
		send(object{field: piece}, nil)
	}
	for _, call := range calls {
		arguments := pieces(call.Function.Arguments)
		call.Function.Arguments = ""
		send(object{"tool_calls": []openAICall{call}}, nil)
		for _, piece := range arguments {
			more := openAICall{Index: call.Index}
			more.Function.Arguments = piece
			send(object{"tool_calls": []openAICall{more}}, nil)
		}
	}
	send(object{}, finish)
	if a.usage.Known && a.request.withUsage {
		last := body("chat.completion.chunk")
		last["choices"], last["usage"] = []object{}, usage
		frames = append(frames, event("", last))
	}
	return append(frames, []byte("data: [DONE]\n\n"))
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

// anthropic is the protocol of messages.
type anthropic struct{}

var _ wire = anthropic{}

func (anthropic) name() string { return Anthropic }

func (anthropic) problem(p problem) []byte {
	return []byte(compact(object{"type": "error", "error": object{"type": p.kind, "message": p.text}, "request_id": "req_modeltest"}))
}

func (anthropic) models(names []string) []byte {
	list := []object{}
	for _, name := range names {
		list = append(list, object{"type": "model", "id": name, "display_name": name, "created_at": "2026-09-21T00:00:00Z"})
	}
	return []byte(compact(object{"data": list, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]}))
}

// blocks are those of an answer: as they are in one piece, and each as it begins
// in a stream, with what follows.
func (a answer) blocks() (whole, starts []object, deltas [][]object) {
	add := func(block, start object, texts ...string) {
		var more []object // texts has triples of a delta's type, its field and the text
		for ; len(texts) > 0; texts = texts[3:] {
			for _, piece := range pieces(texts[2]) {
				more = append(more, object{"type": texts[0], texts[1]: piece})
			}
		}
		whole, starts, deltas = append(whole, block), append(starts, start), append(deltas, more)
	}
	tool := func(id, name string, input any, text string) {
		add(object{"type": "tool_use", "id": id, "name": name, "input": input},
			object{"type": "tool_use", "id": id, "name": name, "input": object{}}, "input_json_delta", "partial_json", text)
	}
	if a.reasoning != "" {
		add(object{"type": "thinking", "thinking": a.reasoning, "signature": signature}, object{"type": "thinking", "thinking": "", "signature": ""},
			"thinking_delta", "thinking", a.reasoning, "signature_delta", "signature", signature)
	}
	switch {
	case a.stop == models.StopRefused:
	case a.request.schemaTool != "":
		// In one piece the provider leaves out what was cut off at the limit of
		// tokens; a stream has its beginning.
		input := json.RawMessage(a.text)
		if !json.Valid(input) {
			input = json.RawMessage("{}")
		}
		tool(id("toolu_", a.request.Number), a.request.schemaTool, input, a.text)
	case a.text != "":
		add(object{"type": "text", "text": a.text}, object{"type": "text", "text": ""}, "text_delta", "text", a.text)
	}
	for _, c := range a.calls {
		var input any = c.Arguments
		if !json.Valid(c.Arguments) {
			input = string(c.Arguments)
		}
		tool(c.ID, c.Name, input, string(c.Arguments))
	}
	return whole, starts, deltas
}

func (anthropic) frames(a answer) [][]byte {
	usage := func(output int) object {
		return object{"input_tokens": a.usage.Input - a.usage.Cached - a.usage.Written, "cache_read_input_tokens": a.usage.Cached,
			"cache_creation_input_tokens": a.usage.Written, "output_tokens": output}
	}
	reason := cmp.Or(map[string]string{models.StopLength: "max_tokens", models.StopTools: "tool_use", models.StopRefused: "refusal"}[a.stop], "end_turn")
	message := object{"id": id("msg_", a.request.Number), "type": "message", "role": "assistant", "model": a.model,
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil}
	whole, starts, deltas := a.blocks()
	if a.noContent {
		message["content"] = nil
	} else if !a.request.Stream && whole != nil {
		message["content"] = whole
	}
	if !a.request.Stream {
		if message["stop_reason"] = reason; a.usage.Known {
			message["usage"] = usage(a.usage.Output)
		}
		return [][]byte{[]byte(compact(message))}
	}
	var frames [][]byte
	send := func(name string, more object) {
		more["type"] = name
		frames = append(frames, event(name, more))
	}
	last := object{"delta": object{"stop_reason": reason, "stop_sequence": nil}}
	if a.usage.Known {
		message["usage"], last["usage"] = usage(1), object{"output_tokens": a.usage.Output}
	}
	send("message_start", object{"message": message})
	send("ping", object{})
	for i, start := range starts {
		send("content_block_start", object{"index": i, "content_block": start})
		for _, delta := range deltas[i] {
			send("content_block_delta", object{"index": i, "delta": delta})
		}
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", last)
	send("message_stop", object{})
	return frames
}

func (anthropic) delta(text string) []byte {
	return event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
}

func (anthropic) failure() []byte {
	return event("error", object{"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}})
}
