package anthropic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// reply is an answer in one piece that says nothing.
const reply = `{"type":"message","model":"scripted-1","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}}`

// answering is a server that always gives one answer and keeps what it was
// asked last.
func answering(t testing.TB, media, answer string) (baseURL string, asked *[]byte, header *http.Header) {
	t.Helper()
	asked, header = new([]byte), new(http.Header)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*header = r.Header
		*asked, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked, header
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
			{Role: models.User, Text: "Go on."},
		},
		Tools: []models.Tool{
			{Name: "health", Description: "How this machine does."},
			{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		},
		Schema: &models.Schema{Name: "thought", JSON: json.RawMessage(`{"type":"object","properties":{"findings":{"type":"array","maxItems":3,"items":{"type":"object",` +
			`"properties":{"summary":{"type":"string"},"importance":{"type":"integer","minimum":1,"maximum":10},"minimum":{"type":"string","format":"date"}},"required":["summary","importance","minimum"]}}},"required":["findings"]}`)},
	}
}

// sent returns the body of a request as it was sent.
func sent(t *testing.T, model, schema string, request models.Request) map[string]any {
	t.Helper()
	media, answer := "application/json", reply
	if request.OnText != nil {
		media, answer = "text/event-stream", stream(`{"type":"message_start","message":{"model":"scripted-1","usage":{"input_tokens":7,"output_tokens":1}}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)
	}
	baseURL, asked, _ := answering(t, media, answer)
	o := options(t, baseURL, func(p *models.Provider) { p.Schema = schema })
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
		request     func(*models.Request)
	}{
		{"thread.json", "claude-opus-4-7", nil},
		{"thread-haiku.json", "claude-haiku-4-5-20251001", func(r *models.Request) { r.Thinking, r.MaxTokens = 4096, 5296 }},
		{"thread-oldest.json", "claude-3-5-haiku-20241022", nil},
		{"stream-newest.json", "claude-opus-5-5", func(r *models.Request) { r.OnText, r.Tools, r.Messages = func(string) {}, nil, r.Messages[:2] }},
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
			if err := encoder.Encode(sent(t, c.model, models.SchemaJSON, request)); err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, *update, filepath.Join("testdata", c.file), got.Bytes())
		})
	}
}

// TestModels: what each model refuses is not sent to it.
func TestModels(t *testing.T) {
	type want struct {
		temperature    bool
		idle, thinking map[string]any // the field thinking, without and with thought
		idleEffort     any            // the field output_config.effort without thought
		effort         any            // and with it
		format         bool
	}
	enabled := map[string]any{"type": "enabled", "budget_tokens": 4096.0}
	adaptive := map[string]any{"type": "adaptive"}
	disabled := map[string]any{"type": "disabled"}
	for model, want := range map[string]want{
		"claude-3-haiku-20240307":    {true, nil, enabled, nil, nil, false},
		"claude-3-5-sonnet-latest":   {true, nil, enabled, nil, nil, false},
		"claude-opus-4-1-20250805":   {true, nil, enabled, nil, nil, false},
		"claude-sonnet-4-20250514":   {true, nil, enabled, nil, nil, false},
		"claude-haiku-4-5":           {true, nil, enabled, nil, nil, true},
		"claude-haiku-4-5-20251001":  {true, nil, enabled, nil, nil, true},
		"claude-opus-4-6":            {true, nil, adaptive, nil, "medium", true},
		"claude-opus-4-7":            {false, nil, adaptive, nil, "medium", true},
		"claude-opus-5":              {false, disabled, adaptive, nil, "medium", true},
		"claude-sonnet-5":            {false, disabled, adaptive, nil, "medium", true},
		"claude-fable-5":             {false, nil, adaptive, "low", "medium", true},
		"claude-opus-5-5":            {false, nil, adaptive, "low", "medium", true},
		"claude-haiku-6":             {false, nil, adaptive, "low", "medium", true},
		"anthropic/claude-opus-4.7":  {false, nil, adaptive, nil, "medium", true},
		"glm-5-by-another-provider":  {true, nil, enabled, nil, nil, false},
		"claude-sonnet-4-5@20250929": {true, nil, enabled, nil, nil, true},
	} {
		t.Run(model, func(t *testing.T) {
			request := threadLike()
			request.Tools, request.Messages = nil, request.Messages[:2]
			idle := sent(t, model, models.SchemaJSON, request)
			request.Thinking, request.MaxTokens = 4096, 5296
			thinking := sent(t, model, models.SchemaJSON, request)
			if _, ok := idle["temperature"]; ok != want.temperature {
				t.Errorf("the temperature is sent: %v", ok)
			}
			if _, ok := thinking["temperature"]; ok {
				t.Errorf("a temperature is sent to a model that thinks")
			}
			for name, pair := range map[string][2]any{"without thought": {want.idle, idle["thinking"]}, "with thought": {want.thinking, thinking["thinking"]}} {
				if expected, _ := pair[0].(map[string]any); expected == nil && pair[1] != nil || expected != nil && !cmp.Equal(pair[0], pair[1]) {
					t.Errorf("thinking %s is %v, want %v", name, pair[1], pair[0])
				}
			}
			output := func(body map[string]any) map[string]any { o, _ := body["output_config"].(map[string]any); return o }
			if output(idle)["effort"] != want.idleEffort || output(thinking)["effort"] != want.effort {
				t.Errorf("the effort is %v and %v, want %v and %v", output(idle)["effort"], output(thinking)["effort"], want.idleEffort, want.effort)
			}
			if _, ok := output(idle)["format"]; ok != want.format {
				t.Errorf("a format is sent: %v", ok)
			}
			if choice, ok := idle["tool_choice"]; ok == want.format {
				t.Errorf("a tool is forced: %v", choice)
			}
			if choice, ok := thinking["tool_choice"]; ok {
				t.Errorf("a tool is forced on a model that thinks: %v", choice)
			}
		})
	}
}

// TestMarks: at most four places are marked, the last ones.
func TestMarks(t *testing.T) {
	request := models.Request{MaxTokens: 9, System: "s"}
	for range 6 {
		request.Messages = append(request.Messages, models.Message{Role: models.User, Text: "u", Kept: true}, models.Message{Role: models.Assistant, Text: "a", Kept: true})
	}
	body := sent(t, "claude-opus-4-7", "", request)
	var marked []int
	for i, m := range body["messages"].([]any) {
		for _, block := range m.(map[string]any)["content"].([]any) {
			if block.(map[string]any)["cache_control"] != nil {
				marked = append(marked, i)
			}
		}
	}
	if want := []int{9, 10, 11}; !cmp.Equal(want, marked) {
		t.Errorf("the messages %v are marked, want %v", marked, want)
	}
	if body["system"].([]any)[0].(map[string]any)["cache_control"] == nil {
		t.Error("the end of the system prompt is not marked")
	}
	request.System, request.Tools = "", []models.Tool{{Name: "x"}}
	body = sent(t, "claude-opus-4-7", "", request)
	if body["tools"].([]any)[0].(map[string]any)["cache_control"] == nil {
		t.Error("the end of the tools is not marked where there is no system prompt")
	}
}

// TestHeaders: the key is where it belongs, and the library tells nothing of
// this machine, whatever the environment says.
func TestHeaders(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "another-key")
	t.Setenv("ANTHROPIC_BASE_URL", "http://192.0.2.1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: 1")
	baseURL, _, header := answering(t, "application/json", reply)
	for _, address := range []string{baseURL, baseURL + "/", baseURL + "/v1", baseURL + "/v1/"} {
		if _, err := driver(t, options(t, address, nil)).Generate(context.Background(), threadLike()); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"X-Api-Key": modeltest.Key, "Authorization": "", "X-Custom": "", "User-Agent": "subconsciousd", "Anthropic-Version": "2023-06-01"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name := range *header {
		if len(name) > 10 && name[:11] == "X-Stainless" {
			t.Errorf("%s is sent", name)
		}
	}
}
