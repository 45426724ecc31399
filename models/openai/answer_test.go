package openai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/openai"
)

func ask(t *testing.T, media, answer, name string) (models.Answer, *models.Error) {
	t.Helper()
	baseURL, _ := answering(t, media, answer)
	request := models.Request{MaxTokens: 50, Messages: []models.Message{{Role: models.User, Text: "hello"}}}
	told := ""
	if media == "text/event-stream" {
		request.OnText = func(delta string) { told += delta }
	}
	change := vendor(name, "")
	if name == "" {
		change = nil
	}
	got, err := driver(t, options(t, baseURL, change)).Generate(context.Background(), request)
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

// whole is an answer in one piece with one message.
func whole(message, finish, usage string) string {
	return fmt.Sprintf(`{"model":"scripted-1","choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":%s}`, message, finish, usage)
}

func TestAnswers(t *testing.T) {
	const usage = `{"prompt_tokens":100,"completion_tokens":20}`
	took := models.Usage{Input: 100, Output: 20, Known: true}
	by := models.Identity{Provider: "scripted", Model: "scripted-1"}
	for _, c := range []struct {
		name, body string
		want       models.Answer
	}{
		{"text", whole(`{"content":"hi"}`, "stop", usage), models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took, By: by}},
		{"parts", whole(`{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"h"},{"type":"text","text":"i"}]}`, "stop", usage),
			models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took, By: by}},
		{"length", whole(`{"content":"h"}`, "length", usage), models.Answer{Text: "h", Stop: models.StopLength, Usage: took, By: by}},
		{"refusal", whole(`{"content":null,"refusal":"No."}`, "stop", usage), models.Answer{Text: "No.", Stop: models.StopRefused, Usage: took, By: by}},
		{"filtered", whole(`{"content":""}`, "content_filter", usage), models.Answer{Stop: models.StopRefused, Usage: took, By: by}},
		{"calls, one without id, one with an object, one that is no JSON", whole(`{"content":"","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"p\": 1}"}},`+
			`{"function":{"name":"y","arguments":{"q":2}}},{"id":"c","function":{"name":"z","arguments":"{p:"}}]}`, "stop", usage),
			models.Answer{Stop: models.StopTools, Usage: took, By: by, Calls: []models.ToolCall{
				{ID: "a", Name: "x", Arguments: []byte(`{"p": 1}`)}, {ID: "call_2", Name: "y", Arguments: []byte(`{"q":2}`)}, {ID: "c", Name: "z", Arguments: []byte(`{p:`)}}}},
		{"cached", whole(`{"content":"hi"}`, "stop", `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":12}}`),
			models.Answer{Text: "hi", Stop: models.StopEnd, By: by, Usage: models.Usage{Input: 100, Cached: 64, Output: 20, Thinking: 12, Known: true}}},
		{"cached as DeepSeek says it", whole(`{"content":"hi"}`, "stop", `{"prompt_tokens":100,"completion_tokens":20,"prompt_cache_hit_tokens":32}`),
			models.Answer{Text: "hi", Stop: models.StopEnd, By: by, Usage: models.Usage{Input: 100, Cached: 32, Output: 20, Known: true}}},
		{"thoughts in the total alone, as Gemini counts", whole(`{"content":"hi"}`, "stop", `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":150}`),
			models.Answer{Text: "hi", Stop: models.StopEnd, By: by, Usage: models.Usage{Input: 100, Output: 50, Thinking: 30, Known: true}}},
		{"thoughts that nobody counts", whole(`{"content":"hi","reasoning_content":"`+strings.Repeat("h", 40)+`"}`, "stop", usage),
			models.Answer{Text: "hi", Stop: models.StopEnd, By: by, Usage: models.Usage{Input: 100, Output: 20, Thinking: 10, Known: true}}},
		{"no usage", whole(`{"content":"hi"}`, "stop", `null`), models.Answer{Text: "hi", Stop: models.StopEnd, By: by}},
		{"a usage of nothing", whole(`{"content":"hi"}`, "stop", `{"prompt_tokens":0,"completion_tokens":0}`), models.Answer{Text: "hi", Stop: models.StopEnd, By: by}},
		{"a negative usage", whole(`{"content":"hi"}`, "stop", `{"prompt_tokens":10,"completion_tokens":-5}`), models.Answer{Text: "hi", Stop: models.StopEnd, By: by}},
		{"another model", strings.Replace(whole(`{"content":"hi"}`, "stop", usage), "scripted-1", "other-9", 1),
			models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took, By: models.Identity{Provider: "scripted", Model: "other-9"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Attempts = 1
			got, failure := ask(t, "application/json", c.body, "")
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
	took := models.Usage{Input: 100, Output: 20, Known: true}
	const first, end, usage = `data: {"model":"scripted-1","choices":[{"index":0,"delta":{"content":"h"}}]}`, `data: {"choices":[{"index":0,"delta":{"content":"i"},"finish_reason":"stop"}]}`,
		`data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20}}`
	for _, c := range []struct {
		name  string
		lines []string
		want  models.Answer
		kind  models.Kind // of the failure
		text  string      // in the failure
	}{
		{"usual", []string{first, "", end, "", usage, "", "data: [DONE]", ""}, models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}, "", ""},
		{"comments, names and no spaces", []string{": OPENROUTER PROCESSING", "", "event: x", "id: 3", strings.Replace(first, "data: ", "data:", 1), end, usage, "data: [DONE]"},
			models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}, "", ""},
		{"no end line, but a reason", []string{first, end, usage, ""}, models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}, "", ""},
		{"no reason, but an end line", []string{first, "data: [DONE]", ""}, models.Answer{Text: "h", Stop: models.StopEnd}, "", ""},
		{"usage as Groq says it", []string{first, end, `data: {"choices":[],"x_groq":{"usage":{"prompt_tokens":100,"completion_tokens":20}}}`, "data: [DONE]", ""},
			models.Answer{Text: "hi", Stop: models.StopEnd, Usage: took}, "", ""},
		{"calls in pieces, side by side", []string{
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":""}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"y","arguments":"{"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":1}"}},{"index":1,"function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}]}`,
			usage, "data: [DONE]", ""},
			models.Answer{Stop: models.StopTools, Usage: took, Calls: []models.ToolCall{{ID: "a", Name: "x", Arguments: []byte(`{"p":1}`)}, {ID: "b", Name: "y", Arguments: []byte(`{}`)}}}, "", ""},
		{"whole calls that all have number 0", []string{
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, "data: [DONE]", ""},
			models.Answer{Stop: models.StopTools, Calls: []models.ToolCall{{ID: "a", Name: "x", Arguments: []byte(`{}`)}, {ID: "b", Name: "y", Arguments: []byte(`{}`)}}}, "", ""},
		{"cut", []string{first, ""}, models.Answer{}, models.KindCut, "in the middle"},
		{"nothing but an end", []string{"data: [DONE]", ""}, models.Answer{}, models.KindCut, ""},
		{"an error", []string{first, `data: {"error":{"message":"the engine is overloaded","code":529}}`, ""}, models.Answer{}, models.KindServer, "the engine is overloaded"},
		{"an error after a comment", []string{": ping", `data: {"error":{"message":"slow down","type":"rate_limit_error"}}`, "", "data: [DONE]", ""}, models.Answer{}, models.KindRate, "slow down"},
		{"an error as an event", []string{first, "event: error", `data: {"id":"1","error":{"message":"it broke","code":502},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`, ""},
			models.Answer{}, models.KindServer, "it broke"},
		{"no JSON", []string{first, "data: {oops", ""}, models.Answer{}, models.KindAnswer, "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, failure := ask(t, "text/event-stream", strings.Join(c.lines, "\n"), "")
			if c.kind != "" {
				if failure == nil || failure.Kind != c.kind || !strings.Contains(failure.Text, c.text) || failure.Unsure != 1 || failure.Usage.Known {
					t.Errorf("the failure is %+v, want a %s about %q that may be paid for", failure, c.kind, c.text)
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

func TestEmbed(t *testing.T) {
	for _, c := range []struct {
		name, body, fails string
	}{
		{"in any order", `{"model":"scripted-1","data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`, ""},
		{"too few", `{"model":"scripted-1","data":[{"index":0,"embedding":[1,2]}]}`, "2 texts have 1 vectors"},
		{"one twice", `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`, "not numbered"},
		{"of different dimensions", `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}`, "different dimensions"},
		{"empty", `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, "different dimensions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			baseURL, _ := answering(t, "application/json", c.body)
			got, err := driver(t, options(t, baseURL, nil)).Generate(context.Background(), models.Request{Texts: []string{"a", "b"}, MaxTokens: 1})
			if c.fails != "" {
				var failure *models.Error
				if !errors.As(err, &failure) || failure.Kind != models.KindAnswer || !strings.Contains(failure.Text, c.fails) || failure.Unsure != 1 {
					t.Errorf("the failure is %+v, want one about %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := [][]float32{{1, 2}, {3, 4}}; !cmp.Equal(want, got.Vectors) || got.Usage != (models.Usage{Input: 5, Known: true}) {
				t.Errorf("got %v for %+v", got.Vectors, got.Usage)
			}
		})
	}
}

// TestTooManyCalls: an answer that asks for tools without end is given up at
// once, in one piece and in many.
func TestTooManyCalls(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("{},", 100_000), ",")
	for media, answer := range map[string]string{
		"application/json": `{"choices":[{"message":{"tool_calls":[` + many + `]}}],"usage":{"prompt_tokens":5,"completion_tokens":7}}`,
		"text/event-stream": strings.Repeat(`data: {"choices":[{"delta":{"tool_calls":[{"id":"x"},{"id":"y"}]}}]}`+"\n\n", 10) +
			`data: {"choices":[{"delta":{"tool_calls":[` + strings.Repeat(`{"id":"z"},`, 90) + `{}]}}]}` + "\n\n",
	} {
		if _, failure := ask(t, media, answer, ""); failure == nil || failure.Kind != models.KindTooLarge || !strings.Contains(failure.Text, "64 tools at once") || failure.Unsure != 1 {
			t.Errorf("%s: the failure is %+v", media, failure)
		}
	}
}

func TestListOfModels(t *testing.T) {
	baseURL, _ := answering(t, "application/json", `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`)
	names, err := openai.List(context.Background(), options(t, baseURL, nil))
	if err != nil || !cmp.Equal(names, []string{"a", "b"}) {
		t.Errorf("got %v, %v", names, err)
	}
}

// FuzzStream feeds the reader of streams: whatever a server sends, there is an
// answer or an *Error, and nothing else.
func FuzzStream(f *testing.F) {
	f.Add(`data: {"choices":[{"index":0,"delta":{"content":"h"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n")
	f.Add("data: {\"error\":{\"message\":\"x\"}}\n\n")
	f.Add(": ping\n\ndata:{}\n")
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"arguments":{"a":[]}}}]}}]}` + "\n")
	f.Fuzz(func(t *testing.T, stream string) {
		got, failure := ask(t, "text/event-stream", stream, "deepseek")
		if failure != nil && (failure.Kind == "" || failure.Text == "" || failure.Attempts != 1) {
			t.Errorf("the failure is %+v", failure)
		}
		if failure == nil && got.Stop == "" {
			t.Errorf("the answer is %+v", got)
		}
	})
}
