package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
)

var update = flag.Bool("update", false, "write the golden files anew")

// reply is an answer in one piece that says nothing.
const reply = `{"model":"scripted-1","choices":[{"index":0,"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`

// answering is a server that always gives one answer and keeps what it was
// asked last.
func answering(t testing.TB, media, answer string) (baseURL string, asked *[]byte) {
	t.Helper()
	asked = new([]byte)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1/", asked
}

// threadLike is a question as a thread asks it, in the middle of its tools.
func threadLike() models.Request {
	return models.Request{
		Purpose: models.Purpose{Role: "watcher", Tick: 7}, MaxTokens: 1200, Temperature: new(0.2),
		System: "You are the watcher. Answer with JSON.",
		Messages: []models.Message{
			{Role: models.User, Text: "What stands.", Kept: true},
			{Role: models.User, Text: "What is new: <b>backup</b> failed."},
			{Role: models.Assistant, Text: "Let me look.", Calls: []models.ToolCall{
				{ID: "call_1", Name: "health", Arguments: json.RawMessage(`{}`)},
				{ID: "call_2", Name: "read_file", Arguments: json.RawMessage(`{"path": "notes/backup.md"}`)},
			}},
			{Role: models.ToolRole, CallID: "call_1", Text: "disk 91 %"},
			{Role: models.ToolRole, CallID: "call_2", Text: ""},
		},
		Tools: []models.Tool{
			{Name: "health", Description: "How this machine does."},
			{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		},
		Schema: &models.Schema{Name: "thought", JSON: json.RawMessage(`{"type":"object","properties":{"findings":{"type":"array","maxItems":3,"items":{"type":"object",` +
			`"properties":{"summary":{"type":"string"},"importance":{"type":"integer","minimum":1,"maximum":10},"due":{"type":"string"}},"required":["summary","importance"]}},"journal":{"type":"string"}},"required":["findings"]}`)},
	}
}

// sent returns the body of a request as it was sent.
func sent(t *testing.T, model string, change func(*models.Provider), request models.Request) map[string]any {
	t.Helper()
	media, answer := "application/json", reply
	if request.OnText != nil {
		media, answer = "text/event-stream", `data: {"choices":[{"index":0,"delta":{"content":"{}"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n"
	}
	baseURL, asked := answering(t, media, answer)
	o := options(t, baseURL, change)
	o.Model = model
	if _, err := driver(t, o).Generate(context.Background(), request); err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(*asked, &body); err != nil {
		t.Fatalf("%v in %s", err, *asked)
	}
	return body
}

func TestRequestGolden(t *testing.T) {
	for _, c := range []struct {
		file, model string
		change      func(*models.Provider)
		request     func(*models.Request)
	}{
		{"thread.json", "gpt-4o-mini", nil, nil},
		{"thread-groq.json", "llama-3.3-70b-versatile", vendor("groq", models.SchemaObject), nil},
		{"thread-zai.json", "glm-5", vendor("zai", models.SchemaObject), func(r *models.Request) { r.Tools, r.Messages = nil, r.Messages[:2] }},
		{"stream-reasoning.json", "gpt-5-mini", nil, func(r *models.Request) { r.OnText, r.Thinking, r.MaxTokens = func(string) {}, 4096, 5296 }},
	} {
		t.Run(c.file, func(t *testing.T) {
			request := threadLike()
			if c.request != nil {
				c.request(&request)
			}
			var got bytes.Buffer
			encoder := json.NewEncoder(&got)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			if err := encoder.Encode(sent(t, c.model, c.change, request)); err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, *update, filepath.Join("testdata", c.file), got.Bytes())
		})
	}
}

func vendor(name, schema string) func(*models.Provider) {
	return func(p *models.Provider) { p.ID, p.Vendor, p.Schema = name, name, schema }
}

// TestFields looks at single fields of what is sent.
func TestFields(t *testing.T) {
	plain := models.Request{MaxTokens: 50, Messages: []models.Message{{Role: models.User, Text: "hello"}}}
	with := func(change func(*models.Request)) models.Request {
		r := plain
		change(&r)
		return r
	}
	for _, c := range []struct {
		name, model string
		change      func(*models.Provider)
		request     models.Request
		want        map[string]any // nil: the field is not there
	}{
		{"a temperature of 0 is sent", "gpt-4o-mini", nil, with(func(r *models.Request) { r.Temperature = new(0.0) }), map[string]any{"temperature": 0.0}},
		{"none is not", "gpt-4o-mini", nil, plain, map[string]any{"temperature": nil, "seed": nil, "stream": false}},
		{"models that reason take none", "o4-mini", nil, with(func(r *models.Request) { r.Temperature = new(0.2) }),
			map[string]any{"temperature": nil, "max_completion_tokens": 50.0, "max_tokens": nil, "reasoning_effort": "low"}},
		{"others have the old bound", "mistral-small-latest", vendor("mistral", ""), plain, map[string]any{"max_tokens": 50.0, "max_completion_tokens": nil}},
		{"a stream asks for usage", "gpt-4o-mini", nil, with(func(r *models.Request) { r.OnText = func(string) {} }),
			map[string]any{"stream": true, "stream_options": map[string]any{"include_usage": true}}},
		{"but not where that is refused", "mistral-small-latest", vendor("mistral", ""), with(func(r *models.Request) { r.OnText = func(string) {} }),
			map[string]any{"stream": true, "stream_options": nil}},
		{"no thinking at Z.AI", "glm-4.7-flash", vendor("zai", ""), plain, map[string]any{"thinking": map[string]any{"type": "disabled"}}},
		{"thinking at OpenRouter", "openai/gpt-4o", vendor("openrouter", ""), with(func(r *models.Request) { r.Thinking = 20 }),
			map[string]any{"reasoning": map[string]any{"max_tokens": 20.0}}},
		{"no format beside tools at Ollama, where it would keep the model from calling them", "qwen3:8b", vendor("ollama", ""), with(func(r *models.Request) {
			r.Schema, r.Tools = &models.Schema{JSON: json.RawMessage(`{"type":"object"}`)}, []models.Tool{{Name: "health"}}
		}), map[string]any{"response_format": nil}},
		{"no schema, no format", "gpt-4o-mini", nil, plain, map[string]any{"response_format": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := sent(t, c.model, c.change, c.request)
			for field, want := range c.want {
				got, ok := body[field]
				if ok != (want != nil) || ok && !cmp.Equal(want, got) {
					t.Errorf("%s is %v, want %v", field, got, want)
				}
			}
		})
	}
}

// TestSchemaInWords: a provider that enforces no schema is told of it.
func TestSchemaInWords(t *testing.T) {
	for _, schema := range []string{models.SchemaObject, models.SchemaNone} {
		for _, system := range []string{"", "Be brief."} {
			request := threadLike()
			request.Tools, request.Messages, request.System = nil, request.Messages[:1], system
			body := sent(t, "any", vendor("llama.cpp", schema), request)
			first := body["messages"].([]any)[0].(map[string]any)
			text, _ := first["content"].(string)
			if first["role"] != "system" || !strings.HasPrefix(text, system) || !strings.Contains(text, `"findings"`) {
				t.Errorf("%s: the system message is %v", schema, first)
			}
			if format, ok := body["response_format"]; ok != (schema == models.SchemaObject) {
				t.Errorf("%s: response_format is %v", schema, format)
			}
		}
	}
}

// TestOpaque: what a provider adds to tool calls goes back with them, and what
// DeepSeek thought; another vendor's thoughts do not.
func TestOpaque(t *testing.T) {
	answer := `{"model":"scripted-1","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"health","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
	for _, name := range []string{"gemini", "deepseek"} {
		t.Run(name, func(t *testing.T) {
			baseURL, _ := answering(t, "application/json", answer)
			got, err := driver(t, options(t, baseURL, vendor(name, ""))).Generate(context.Background(), threadLike())
			if err != nil {
				t.Fatal(err)
			}
			request := models.Request{MaxTokens: 5, Messages: []models.Message{
				{Role: models.User, Text: "how is it?"},
				{Role: models.Assistant, Calls: got.Calls, Opaque: got.Opaque},
				{Role: models.ToolRole, CallID: "c1", Text: "fine"},
			}}
			body := sent(t, "scripted-1", vendor(name, ""), request)
			message := body["messages"].([]any)[1].(map[string]any)
			call := message["tool_calls"].([]any)[0].(map[string]any)
			if want := map[string]any{"google": map[string]any{"thought_signature": "c2ln"}}; !cmp.Equal(call["extra_content"], any(want)) {
				t.Errorf("the signature came back as %v", call["extra_content"])
			}
			if other := fmt.Sprint(sent(t, "another-1", vendor(name, ""), request)); strings.Contains(other, "c2ln") || strings.Contains(other, "hm") {
				t.Errorf("another model is given %s", other)
			}
			if back := message["reasoning_content"] == "hm"; back != (name == "deepseek") {
				t.Errorf("the thought came back as %v", message["reasoning_content"])
			}
		})
	}
}
