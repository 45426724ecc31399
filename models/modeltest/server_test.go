package modeltest

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/models"
)

// get fetches a path.
func get(t *testing.T, url string, header http.Header) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

func TestModels(t *testing.T) {
	s := NewServer(Options{Models: []string{"one", "two"}, Key: Key})
	defer s.Close()
	status, body := get(t, s.BaseURL(OpenAI)+"/models", http.Header{"Authorization": {"Bearer " + Key}})
	if status != 200 || !strings.Contains(body, `"id":"two"`) || !strings.Contains(body, `"object":"list"`) {
		t.Errorf("%d %s", status, body)
	}
	status, body = get(t, s.BaseURL(Anthropic)+"/v1/models", http.Header{"X-Api-Key": {Key}, "Anthropic-Version": {"2023-06-01"}})
	if status != 200 || !strings.Contains(body, `"last_id":"two"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body = get(t, s.URL()+"/v1/models", nil); status != 401 {
		t.Errorf("without a key: %d %s", status, body)
	}
	if status, body = get(t, s.URL()+"/elsewhere", http.Header{"X-Api-Key": {Key}}); status != 404 {
		t.Errorf("elsewhere: %d %s", status, body)
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests are kept, want 4", n)
	}
}

// TestRefusals sends what providers refuse.
func TestRefusals(t *testing.T) {
	thinking := `"thinking":{"type":"enabled","budget_tokens":1024},`
	cases := []struct {
		name, protocol, body, want string
	}{
		{"no JSON", OpenAI, `{"model"`, "no JSON"},
		{"no model", OpenAI, `{"messages":[{"role":"user","content":"x"}]}`, "model"},
		{"no messages", OpenAI, `{"model":"m","messages":[]}`, "messages"},
		{"role", OpenAI, `{"model":"m","messages":[{"role":"owner","content":"x"}]}`, "role"},
		{"picture", OpenAI, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, "content"},
		{"result of nothing", OpenAI, `{"model":"m","messages":[{"role":"tool","content":"x","tool_call_id":"a"}]}`, "answers no call"},
		{"call without result", OpenAI, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"x"}]}`, "followed"},
		{"call at the end", OpenAI, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`, "followed"},
		{"JSON unasked", OpenAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_object"}}`, "'json'"},
		{"unknown format", OpenAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"xml"}}`, "xml"},
		{"nameless schema", OpenAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"schema":{}}}}`, "name"},
		{"open schema", OpenAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}}`, "additionalProperties"},
		{"optional field", OpenAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"b":{"type":"string"}}}}},"required":["a"]}}}}`, "required"},
		{"reasoner", OpenAI, `{"model":"gpt-5-mini","max_tokens":5,"messages":[{"role":"user","content":"x"}]}`, "max_completion_tokens"},
		{"two limits", OpenAI, `{"model":"m","max_tokens":5,"max_completion_tokens":5,"messages":[{"role":"user","content":"x"}]}`, "max_completion_tokens"},
		{"nameless tool", OpenAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function"}]}`, "name"},
		{"no limit", Anthropic, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, "max_tokens"},
		{"assistant first", Anthropic, `{"model":"m","max_tokens":5,"messages":[{"role":"assistant","content":"x"}]}`, "first message"},
		{"system as a message", Anthropic, `{"model":"m","max_tokens":5,"messages":[{"role":"system","content":"x"}]}`, "role"},
		{"empty text", Anthropic, `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, "non-empty"},
		{"result of nothing", Anthropic, `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`, "tool_use_id"},
		{"call without result", Anthropic, `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"y"}]}`, "immediately after"},
		{"strange block", Anthropic, `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"video"}]}]}`, "video"},
		{"too much thinking", Anthropic, `{"model":"m","max_tokens":1024,` + thinking + `"messages":[{"role":"user","content":"x"}]}`, "budget_tokens"},
		{"cold thinking", Anthropic, `{"model":"m","max_tokens":2024,"temperature":0.2,` + thinking + `"messages":[{"role":"user","content":"x"}]}`, "temperature"},
		{"call without thought", Anthropic, `{"model":"m","max_tokens":2024,` + thinking + `"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`, "expected thinking"},
		{"forged thought", Anthropic, `{"model":"m","max_tokens":2024,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"forged"}]}]}`, "signature"},
		{"open schema", Anthropic, `{"model":"m","max_tokens":5,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{}}}},"messages":[{"role":"user","content":"x"}]}`, "additionalProperties"},
	}
	s := NewServer(Options{})
	defer s.Close()
	for _, c := range cases {
		t.Run(c.protocol+"/"+c.name, func(t *testing.T) {
			got := fetch(t, s, c.protocol, c.body, answerTime)
			if got.status != 400 || !strings.Contains(got.body, c.want) {
				t.Errorf("%d %s, want 400 that speaks of %q", got.status, got.body, c.want)
			}
		})
	}
	if charged := s.Charged(); charged.Total() != 0 {
		t.Errorf("%+v is charged", charged)
	}
}

func TestTooLargeARequest(t *testing.T) {
	s := NewServer(Options{})
	defer s.Close()
	if got := fetch(t, s, OpenAI, strings.Repeat(" ", maxRequest+1), answerTime); got.err == nil && got.status != 413 {
		t.Errorf("%d %v", got.status, got.err)
	}
}

// TestForcedTool has the shape of an answer asked for by way of a tool.
func TestForcedTool(t *testing.T) {
	s := NewServer(Options{})
	defer s.Close()
	body := `{"model":"m","max_tokens":500,"tool_choice":{"type":"tool","name":"verdict"},"tools":[{"name":"verdict","input_schema":` +
		string(smallSchema().JSON) + `}],"messages":[{"role":"user","content":"x"}]}`
	got := fetch(t, s, Anthropic, body, answerTime)
	if !strings.Contains(got.body, `"input":{"level":0,"word":"calm"}`) || !strings.Contains(got.body, `"tool_use"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestEmbeddings(t *testing.T) {
	s := NewServer(Options{})
	defer s.Close()
	embed := func(body string) (int, [][]float32, string) {
		response, err := http.Post(s.BaseURL(OpenAI)+"/embeddings", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var out struct {
			Model string
			Data  []struct{ Embedding json.RawMessage }
		}
		data, _ := io.ReadAll(response.Body)
		_ = json.Unmarshal(data, &out) // an error's body is looked at below
		var vectors [][]float32
		for _, d := range out.Data {
			var v []float32
			_ = json.Unmarshal(d.Embedding, &v)
			vectors = append(vectors, v)
		}
		return response.StatusCode, vectors, string(data)
	}
	status, v, body := embed(`{"model":"m","input":["the invoice of March","invoice of the March","a cat sleeps"]}`)
	if status != 200 || len(v) != 3 || len(v[0]) != dimensions || !strings.Contains(body, `"total_tokens":13`) {
		t.Fatalf("%d %d %s", status, len(v), body)
	}
	near := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if math.Abs(near(v[0], v[0])-1) > 1e-5 || near(v[0], v[1]) < near(v[0], v[2])+0.3 {
		t.Errorf("the nearness is %v to itself, %v to the same words, %v to others", near(v[0], v[0]), near(v[0], v[1]), near(v[0], v[2]))
	}
	for _, bad := range []string{`{}`, `{"model":"m","input":[]}`, `{"model":"m","input":7}`, `x`} {
		if status, _, body = embed(bad); status != 400 {
			t.Errorf("%s: %d %s", bad, status, body)
		}
	}
	for _, c := range []struct {
		fault Fault
		want  string
	}{{RateGemini, "retryDelay"}, {WrongModel, Unasked}, {NotJSON, "oops"}} {
		s.SetTroubles(Always(c.fault))
		if _, _, body = embed(`{"model":"m","input":["x"]}`); !strings.Contains(body, c.want) {
			t.Errorf("%s: %s", c.fault, body)
		}
	}
}

// TestCaching counts what is kept of prompts that begin alike.
func TestCaching(t *testing.T) {
	s := NewServer(Options{})
	defer s.Close()
	long := strings.Repeat("All of this stays the same. ", 300)
	ask := func(protocol, system, user string, mark bool) models.Usage {
		body := object{"model": Model, "max_tokens": 100, "messages": []object{{"role": "user", "content": user}}}
		if protocol == OpenAI {
			body["messages"] = []object{{"role": "system", "content": system}, {"role": "user", "content": user}}
		} else {
			block := object{"type": "text", "text": system}
			if mark {
				block["cache_control"] = object{"type": "ephemeral"}
			}
			body["system"] = []object{block}
		}
		if got := fetch(t, s, protocol, compact(body), answerTime); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		all := s.Requests()
		return all[len(all)-1].Charged
	}
	if u := ask(OpenAI, long, "one", false); u.Cached != 0 {
		t.Errorf("the first time %d are cached", u.Cached)
	}
	if u := ask(OpenAI, long, "two", false); u.Cached != 2048 || u.Input < 2100 {
		t.Errorf("the second time %d of %d are cached", u.Cached, u.Input)
	}
	if u := ask(OpenAI, "Now: "+long, "two", false); u.Cached != 0 {
		t.Errorf("with another beginning %d are cached", u.Cached)
	}
	if u := ask(OpenAI, "short", "x", false); u.Cached != 0 {
		t.Errorf("of a short one %d are cached", u.Cached)
	}
	if u := ask(Anthropic, long, "one", false); u.Cached != 0 || u.Written != 0 {
		t.Errorf("unmarked, %d are cached and %d written", u.Cached, u.Written)
	}
	if u := ask(Anthropic, long, "one", true); u.Cached != 0 || u.Written != 2048 {
		t.Errorf("marked, %d are cached and %d written", u.Cached, u.Written)
	}
	if u := ask(Anthropic, long, "two", true); u.Cached != 2048 || u.Written != 0 {
		t.Errorf("again, %d are cached and %d written", u.Cached, u.Written)
	}
}

// TestBounds keeps no more than asked for, and sums all.
func TestBounds(t *testing.T) {
	s := NewServer(Options{Keep: 3})
	defer s.Close()
	var sum models.Usage
	for range 10 {
		fetch(t, s, OpenAI, bodies(OpenAI, false), answerTime)
		all := s.Requests()
		sum = sum.Plus(all[len(all)-1].Charged)
	}
	all := s.Requests()
	if len(all) != 3 || all[0].Number != 8 || s.Count() != 10 {
		t.Errorf("%d are kept, the first of them number %d, of %d", len(all), all[0].Number, s.Count())
	}
	sum.Known = true
	if diff := cmp.Diff(sum, s.Charged()); diff != "" {
		t.Error(diff)
	}
}

// TestCloseInTheMiddle ends a server under clients that wait.
func TestCloseInTheMiddle(t *testing.T) {
	s := NewServer(Options{Troubles: []Trouble{Nth(Hang, 1, 2), Nth(HangBefore, 3, 4), Nth(Slow, 5, 6)}, Pace: time.Millisecond})
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			if got := fetch(t, s, OpenAI, bodies(OpenAI, true), answerTime); got.err == nil {
				t.Errorf("an answer: %+v", got)
			}
		})
	}
	for s.Count() < 6 {
		get(t, s.other.URL, nil) // a moment, without a clock
	}
	s.Close()
	s.Close()
	group.Wait()
}

// TestSameBytes: the same requests have the same answers, to the byte.
func TestSameBytes(t *testing.T) {
	run := func(script string) string {
		chosen, err := ScriptNamed(script, 7)
		if err != nil {
			t.Fatal(err)
		}
		s := NewServer(Options{Script: chosen})
		defer s.Close()
		var all strings.Builder
		for _, protocol := range []string{OpenAI, Anthropic} {
			for _, stream := range []bool{false, true} {
				all.WriteString(fetch(t, s, protocol, bodies(protocol, stream), answerTime).body)
			}
		}
		return all.String()
	}
	for _, named := range Scripts() {
		if first, again := run(named.Name), run(named.Name); first != again || first == "" {
			t.Errorf("%s: two runs differ, or are empty:\n%s\n%s", named.Name, first, again)
		}
	}
}

const (
	// answerTime is how long a sound server may take, for slow machines.
	answerTime = 30 * time.Second
	// silence is how long the tests wait for a server that falls silent.
	silence = 150 * time.Millisecond
)
