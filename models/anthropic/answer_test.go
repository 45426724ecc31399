package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/anthropic"
)

// stream writes events as they are streamed.
func stream(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var named struct{ Type string }
		_ = json.Unmarshal([]byte(e), &named)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", named.Type, e)
	}
	return b.String()
}

func ask(t *testing.T, model, media, answer string) (models.Answer, *models.Error) {
	t.Helper()
	baseURL, _, _ := answering(t, media, answer)
	request := models.Request{MaxTokens: 50, Messages: []models.Message{{Role: models.User, Text: "hello"}}}
	told := ""
	if media == "text/event-stream" {
		request.OnText = func(delta string) { told += delta }
	}
	o := options(t, baseURL, func(p *models.Provider) { p.Schema = models.SchemaJSON })
	o.Model = model
	got, err := driver(t, o).Generate(context.Background(), request)
	if failure, ok := errors.AsType[*models.Error](err); ok {
		return got, failure
	} else if err != nil {
		t.Fatalf("%T is no *models.Error: %v", err, err)
	}
	if request.OnText != nil && told != got.Text {
		t.Errorf("OnText was told of %q, the answer has %q", told, got.Text)
	}
	return got, nil
}

func whole(content, stop, usage string) string {
	return fmt.Sprintf(`{"type":"message","model":"claude-opus-4-7","content":%s,"stop_reason":%q,"usage":%s}`, content, stop, usage)
}

const (
	newer = "claude-opus-4-7"
	older = "claude-3-5-haiku-20241022"
)

func TestAnswers(t *testing.T) {
	const usage = `{"input_tokens":10,"cache_read_input_tokens":60,"cache_creation_input_tokens":30,"output_tokens":20}`
	took := models.Usage{Input: 100, Cached: 60, Written: 30, Output: 20, Known: true}
	text := `[{"type":"text","text":"hi"}]`
	for _, c := range []struct {
		name, model, body string
		want              models.Answer
	}{
		{"text", newer, whole(text, "end_turn", usage), models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}},
		{"length", newer, whole(text, "max_tokens", usage), models.Answer{Text: "hi", Stop: models.StopLength, Usage: took}},
		{"no more room", newer, whole(text, "model_context_window_exceeded", usage), models.Answer{Text: "hi", Stop: models.StopLength, Usage: took}},
		{"paused", newer, whole(text, "pause_turn", usage), models.Answer{Text: "hi", Stop: models.StopLength, Usage: took}},
		{"refusal", newer, whole(`[]`, "refusal", usage), models.Answer{Stop: models.StopRefused, Usage: took}},
		{"calls", newer, whole(`[{"type":"text","text":"hm"},{"type":"tool_use","id":"a","name":"x","input":{"p": 1}},{"type":"tool_use","id":"b","name":"y","input":{}}]`, "tool_use", usage),
			models.Answer{Text: "hm", Stop: models.StopTools, Usage: took, Calls: []models.ToolCall{
				{ID: "a", Name: "x", Arguments: []byte(`{"p": 1}`)}, {ID: "b", Name: "y", Arguments: []byte(`{}`)}}}},
		{"the tool that takes the answer", older, whole(`[{"type":"tool_use","id":"a","name":"answer","input":{"p": 1}}]`, "tool_use", usage),
			models.Answer{Text: `{"p": 1}`, Stop: models.StopEnd, Usage: took}},
		{"beside another it is no answer yet", older, whole(`[{"type":"tool_use","id":"a","name":"answer","input":{}},{"type":"tool_use","id":"b","name":"y","input":{}}]`, "tool_use", usage),
			models.Answer{Stop: models.StopTools, Usage: took, Calls: []models.ToolCall{{ID: "b", Name: "y", Arguments: []byte(`{}`)}}}},
		{"a tool of that name of somebody else", newer, whole(`[{"type":"tool_use","id":"a","name":"answer","input":{}}]`, "tool_use", usage),
			models.Answer{Stop: models.StopTools, Usage: took, Calls: []models.ToolCall{{ID: "a", Name: "answer", Arguments: []byte(`{}`)}}}},
		{"thoughts counted", newer, whole(text, "end_turn", `{"input_tokens":100,"output_tokens":20,"output_tokens_details":{"thinking_tokens":15}}`),
			models.Answer{Text: "hi", Stop: models.StopEnd, Usage: models.Usage{Input: 100, Output: 20, Thinking: 15, Known: true}}},
		{"no usage", newer, whole(text, "end_turn", `null`), models.Answer{Text: "hi", Stop: models.StopEnd}},
		{"half a usage", newer, whole(text, "end_turn", `{"input_tokens":10}`), models.Answer{Text: "hi", Stop: models.StopEnd}},
		{"a negative usage", newer, whole(text, "end_turn", `{"input_tokens":10,"output_tokens":-1}`), models.Answer{Text: "hi", Stop: models.StopEnd}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Attempts, c.want.By = 1, models.Identity{Provider: "scripted", Model: "claude-opus-4-7"}
			got, failure := ask(t, c.model, "application/json", c.body)
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(models.Answer{}, "Latency"), cmpopts.IgnoreUnexported(models.Answer{})); diff != "" {
				t.Errorf("the answer differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStreams(t *testing.T) {
	const (
		start = `{"type":"message_start","message":{"type":"message","model":"claude-opus-4-7","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":1}}}`
		text  = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
		h     = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"h"}}`
		i     = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"i"}}`
		stop  = `{"type":"content_block_stop","index":0}`
		end   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`
		over  = `{"type":"message_stop"}`
	)
	took := models.Usage{Input: 100, Cached: 90, Output: 20, Known: true}
	tool := func(name string) []string {
		return []string{start, fmt.Sprintf(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":%q,"input":{}}}`, name)}
	}
	piece := func(text string) string {
		return fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%q}}`, text)
	}
	calls := func(name, arguments string) []models.ToolCall {
		return []models.ToolCall{{ID: "a", Name: name, Arguments: []byte(arguments)}}
	}
	for _, c := range []struct {
		name, model string
		events      []string
		want        models.Answer
		kind        models.Kind
	}{
		{"usual", newer, []string{start, `{"type":"ping"}`, text, h, i, stop, end, over}, models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}, ""},
		{"its last line lost", newer, []string{start, text, h, i, stop, end}, models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}, ""},
		{"no usage at its end", newer, []string{start, text, h, stop, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, over}, models.Answer{Text: "h", Stop: models.StopEnd}, ""},
		{"a call", newer, append(tool("x"), piece(`{"p"`), piece(`: 1}`), stop, end, over), models.Answer{Stop: models.StopEnd, Usage: took, Calls: calls("x", `{"p": 1}`)}, ""},
		{"a call without input", newer, append(tool("x"), stop, end, over), models.Answer{Stop: models.StopEnd, Usage: took, Calls: calls("x", `{}`)}, ""},
		{"a call that is no JSON", newer, append(tool("x"), piece(`{"p": "`), stop, end, over), models.Answer{Stop: models.StopEnd, Usage: took, Calls: calls("x", `{"p": "`)}, ""},
		{"the tool that takes the answer", older, append(tool("answer"), piece(`{"p": `), piece(`1}`), stop, end, over), models.Answer{Text: `{"p": 1}`, Stop: models.StopEnd, Usage: took}, ""},
		{"cut", newer, []string{start, text, h}, models.Answer{}, models.KindCut},
		{"overloaded", newer, []string{start, text, h, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, models.Answer{}, models.KindServer},
		{"too often", newer, []string{`{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}`}, models.Answer{}, models.KindRate},
		{"blocks out of order", newer, []string{start, `{"type":"content_block_start","index":3,"content_block":{"type":"text","text":""}}`, end, over}, models.Answer{}, models.KindAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, failure := ask(t, c.model, "text/event-stream", stream(c.events...))
			if c.kind != "" {
				if failure == nil || failure.Kind != c.kind || failure.Unsure != 1 || failure.Usage.Known {
					t.Errorf("the failure is %+v, want a %s that may be paid for", failure, c.kind)
				}
				return
			}
			if failure != nil {
				t.Fatal(failure)
			}
			c.want.Attempts, c.want.By = 1, got.By
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(models.Answer{}, "Latency"), cmpopts.IgnoreUnexported(models.Answer{})); diff != "" {
				t.Errorf("the answer differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestThoughtsGoBack: signed thoughts come back as they were, where they were,
// whether they came in one piece or not; not to another model.
func TestThoughtsGoBack(t *testing.T) {
	plain := whole(`[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Let me look."},{"type":"redacted_thinking","data":"eA=="},{"type":"tool_use","id":"a","name":"x","input":{"p":1}}]`,
		"tool_use", `{"input_tokens":10,"output_tokens":20}`)
	streamed := stream(`{"type":"message_start","message":{"type":"message","model":"claude-opus-4-7","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me look."}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"redacted_thinking","data":"eA=="}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"a","name":"x","input":{}}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"p\":1}"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}`)
	for media, body := range map[string]string{"application/json": plain, "text/event-stream": streamed} {
		t.Run(media, func(t *testing.T) {
			got, failure := ask(t, newer, media, body)
			if failure != nil {
				t.Fatal(failure)
			}
			request := models.Request{MaxTokens: 2000, Messages: []models.Message{{Role: models.User, Text: "u"},
				{Role: models.Assistant, Text: got.Text + " (restored)", Calls: got.Calls, Opaque: got.Opaque}, {Role: models.ToolRole, CallID: "a", Text: "r"}}}
			types := func(model string) (types []string) {
				for _, block := range sent(t, model, "", request)["messages"].([]any)[1].(map[string]any)["content"].([]any) {
					b := block.(map[string]any)
					types = append(types, b["type"].(string))
					if b["type"] == "thinking" && (b["thinking"] != "hm" || b["signature"] != "c2ln") || b["type"] == "text" && b["text"] != "Let me look. (restored)" {
						t.Errorf("a block came back as %v", b)
					}
				}
				return types
			}
			if want, got := []string{"thinking", "text", "redacted_thinking", "tool_use"}, types(newer); !cmp.Equal(want, got) {
				t.Errorf("the same model gets %v back, want %v", got, want)
			}
			if want, got := []string{"text", "tool_use"}, types("claude-opus-5"); !cmp.Equal(want, got) {
				t.Errorf("another model gets %v, want %v", got, want)
			}
		})
	}
}

func TestListOfModels(t *testing.T) {
	baseURL, _, _ := answering(t, "application/json", `{"data":[{"type":"model","id":"a"},{"type":"model","id":"b"}],"has_more":false}`)
	names, err := anthropic.List(context.Background(), options(t, baseURL, nil))
	if err != nil || !cmp.Equal(names, []string{"a", "b"}) {
		t.Errorf("got %v, %v", names, err)
	}
}

// FuzzStream feeds the reader of streams: whatever a server sends, there is an
// answer or an *Error, and nothing else.
func FuzzStream(f *testing.F) {
	f.Add(stream(`{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`))
	f.Add(stream(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"answer","input":[]}}`, `{"type":"content_block_delta","index":0,"delta":{"partial_json":"x","type":"input_json_delta"}}`))
	f.Add(stream(`{"type":"content_block_start","index":0,"content_block":null}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, `{"type":"message_delta","delta":{"stop_reason":"x"}}`))
	f.Add(stream(`{"type":"error","error":"x"}`))
	f.Fuzz(func(t *testing.T, body string) {
		got, failure := ask(t, newer, "text/event-stream", body)
		if failure != nil && (failure.Kind == "" || failure.Text == "" || failure.Attempts != 1) {
			t.Errorf("the failure is %+v", failure)
		}
		if failure == nil && got.Stop == "" {
			t.Errorf("the answer is %+v", got)
		}
	})
}
