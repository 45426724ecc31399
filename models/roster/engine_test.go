package roster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest/engine"
	"github.com/subconsciousd/subconsciousd/models/roster"
)

// engineCalls keeps what was recorded.
type engineCalls struct{ calls []models.Call }

func (e *engineCalls) Record(_ context.Context, call models.Call) { e.calls = append(e.calls, call) }

// ask is a request with a bound that no engine should need.
func ask(t *testing.T, of roster.Assignment, request models.Request) (models.Answer, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return of.Generator.Generate(ctx, request)
}

// TestEngine asks a real inference engine through the whole stack. What the
// toy model says means nothing; that it arrives is what counts.
func TestEngine(t *testing.T) {
	started := engine.Start(t)
	recorded := &engineCalls{}
	r, err := roster.Open(roster.Options{
		Config: models.Config{
			Preset:    "reflex",
			Providers: []models.Provider{{ID: "engine", Vendor: "llama.cpp", BaseURL: started.BaseURL, Local: true}},
			Roles:     []models.Role{{ID: "watcher", Provider: "engine", Model: engine.Model}},
			Timeout:   30 * time.Second,
		},
		Env:      func(string) (string, bool) { return "", false },
		Recorder: recorded,
		// What is local gets plain text: with redaction it would be shown
		// capitals alone.
		Secrets: strings.ToUpper,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	watcher, ok := r.Role("watcher")
	if !ok || watcher.Problem != "" || !watcher.Identity.Local {
		t.Fatalf("the watcher's model is %+v", watcher)
	}
	request := watcher.Request
	request.System = "You answer in JSON."
	request.Messages = []models.Message{{Role: models.User, Text: "How is it?"}}
	request.MaxTokens = 200

	t.Run("plain", func(t *testing.T) { enginePlain(t, watcher, request, started.URL) })
	t.Run("schema", func(t *testing.T) { engineSchema(t, watcher, request) })
	t.Run("streamed", func(t *testing.T) { engineStreamed(t, watcher, request) })
	t.Run("cancelled", func(t *testing.T) { engineCancelled(t, watcher, request, started.URL) })
	t.Run("check", func(t *testing.T) {
		results := r.Check(t.Context(), "watcher")
		if len(results) != 1 {
			t.Fatalf("%d results", len(results))
		}
		for _, step := range results[0].Steps {
			if !step.OK {
				t.Errorf("%+v", step)
			}
		}
	})
	for _, call := range recorded.calls {
		if call.Cost != 0 || call.By != watcher.Identity || call.Attempts != 1 {
			t.Errorf("recorded is %+v", call)
		}
	}
	if len(recorded.calls) < 5 {
		t.Errorf("%d calls are recorded", len(recorded.calls))
	}
}

// fetch reads what the engine tells of itself.
func fetch(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func enginePlain(t *testing.T, watcher roster.Assignment, request models.Request, url string) {
	answer, err := ask(t, watcher, request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text == "" || answer.By != watcher.Identity || !answer.Usage.Known || answer.Usage.Input == 0 || answer.Usage.Output == 0 {
		t.Errorf("%+v", answer)
	}
	if shown := fetch(t, url+"/shown"); !strings.Contains(shown, "How is it?") {
		t.Errorf("a local model gets plain text, and it was shown %s", shown)
	}
	request.MaxTokens = 3
	if answer, err = ask(t, watcher, request); err != nil || answer.Stop != "length" || answer.Usage.Output > 4 {
		t.Errorf("with a limit of 3: %+v %v", answer, err)
	}
}

// verdict is a shape with everything that a thought has.
const verdict = `{"type":"object","additionalProperties":false,"required":["findings","level","focus","journal"],"properties":{
	"findings":{"type":"array","maxItems":2,"items":{"type":"object","additionalProperties":false,"required":["kind","summary","escalate"],"properties":{
		"kind":{"type":"string","enum":["observation","anomaly"]},"summary":{"type":"string","enum":["a","b c","d \"e\""]},"escalate":{"type":"boolean"}}}},
	"level":{"type":"integer","enum":[1,2,3]},
	"focus":{"anyOf":[{"type":"null"},{"type":"string","enum":["watcher","dreamer"]}]},
	"journal":{"type":"string"}}}`

// engineSchema has the engine keep to a shape, in several ways of saying
// nothing: the conversation checks each answer against it.
func engineSchema(t *testing.T, watcher roster.Assignment, request models.Request) {
	request.Schema = &models.Schema{Name: "verdict", JSON: json.RawMessage(verdict)}
	request.MaxTokens = 600
	for i := range 3 {
		request.Messages = []models.Message{{Role: models.User, Text: fmt.Sprintf("How is it, for the time number %d?", i)}}
		warm := 0.2 * float64(i+1)
		request.Temperature = &warm
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		reply, err := models.Converse(ctx, watcher.Generator, request, models.ConverseOptions{})
		cancel()
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if reply.Repaired || reply.Retried || reply.Requests != 1 {
			t.Errorf("%d: repaired %v, retried %v, %d requests: %s", i, reply.Repaired, reply.Retried, reply.Requests, reply.Answer.Text)
		}
	}
}

func engineStreamed(t *testing.T, watcher roster.Assignment, request models.Request) {
	var heard strings.Builder
	deltas := 0
	request.OnText = func(delta string) {
		heard.WriteString(delta)
		deltas++
	}
	answer, err := ask(t, watcher, request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text == "" || heard.String() != answer.Text || deltas < 2 || !answer.Usage.Known || answer.Usage.Output == 0 {
		t.Errorf("told of %q in %d pieces, answer %+v", heard.String(), deltas, answer)
	}
}

// engineCancelled cancels a long answer in the middle: the engine stops, too.
func engineCancelled(t *testing.T, watcher roster.Assignment, request models.Request, url string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	long := request
	// Only a shape makes an answer of gibberish long.
	long.Schema = &models.Schema{Name: "long", JSON: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["words"],` +
		`"properties":{"words":{"type":"array","minItems":200,"items":{"type":"string","enum":["calm","storm"]}}}}`)}
	long.MaxTokens = 2400
	deltas := 0
	long.OnText = func(string) {
		if deltas++; deltas == 2 {
			cancel()
		}
	}
	_, err := watcher.Generator.Generate(ctx, long)
	var failure *models.Error
	if !errors.As(err, &failure) || failure.Kind != models.KindCancelled {
		t.Errorf("cancelled in the middle: %v", err)
	}
	// The engine answers one request at a time, so that this one comes after.
	if _, err := ask(t, watcher, request); err != nil {
		t.Fatal(err)
	}
	if counts := fetch(t, url+"/counts"); !strings.Contains(counts, `"cancelled":1`) {
		t.Errorf("the engine counts %s", counts)
	}
}
