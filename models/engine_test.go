package models_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// engineCalls keeps what was recorded.
type engineCalls struct{ calls []models.Call }

func (e *engineCalls) Record(_ context.Context, call models.Call) { e.calls = append(e.calls, call) }

// engineAsk is a request with a bound that no engine should need.
func engineAsk(t *testing.T, of models.Assignment, request models.Request) (models.Answer, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return of.Generator.Generate(ctx, request)
}

// TestEngine asks a real inference engine through the whole stack. What the
// toy model says means nothing; that it arrives is what counts.
func TestEngine(t *testing.T) {
	url := startEngine(t)
	recorded := &engineCalls{}
	r, err := models.OpenRoster(models.RosterOptions{Protocols: protocols,
		Config: models.Config{
			Preset:    "reflex",
			Providers: []models.Provider{{ID: "engine", Vendor: "llama.cpp", BaseURL: url + "/v1", Local: true}},
			Roles:     []models.Role{{ID: "watcher", Provider: "engine", Model: "toy"}},
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

	t.Run("plain", func(t *testing.T) { enginePlain(t, watcher, request, url) })
	t.Run("schema", func(t *testing.T) { engineSchema(t, watcher, request) })
	t.Run("triage", func(t *testing.T) { engineTriage(t, watcher) })
	t.Run("streamed", func(t *testing.T) { engineStreamed(t, watcher, request) })
	t.Run("cancelled", func(t *testing.T) { engineCancelled(t, watcher, request, url) })
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

func enginePlain(t *testing.T, watcher models.Assignment, request models.Request, url string) {
	answer, err := engineAsk(t, watcher, request)
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
	if answer, err = engineAsk(t, watcher, request); err != nil || answer.Stop != "length" || answer.Usage.Output > 4 {
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
func engineSchema(t *testing.T, watcher models.Assignment, request models.Request) {
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

// reflected are rules that find each new mail worth a line of the digest.
type reflected struct{}

func (reflected) Name() subconscious.ThreadName { return subconscious.Watcher }
func (reflected) Mode() string                  { return threads.Reflex }
func (reflected) Think(_ context.Context, s subconscious.Snapshot) (threads.Answer, error) {
	return threads.Answer{Thought: subconscious.Thought{Findings: weighed(s, subconscious.Watcher)}}, nil
}

func weighed(s subconscious.Snapshot, name subconscious.ThreadName) (all []subconscious.Finding) {
	for _, o := range s.Fields[name].New {
		all = append(all, subconscious.Finding{Kind: subconscious.KindObservation, Rule: threads.LetterRule, Summary: o.Title, Importance: 5, Escalate: true,
			EscalateReason: "by rule", Evidence: []string{string(o.Ref())}})
	}
	return all
}

// engineTriage has the engine triage: what a verdict says means nothing, but each
// mail has one.
func engineTriage(t *testing.T, watcher models.Assignment) {
	set, err := prompts.Open("")
	if err != nil {
		t.Fatal(err)
	}
	watcher.Request.MaxTokens = 600
	triage := threads.NewTriage(threads.TriageOptions{Asker: threads.Asker{Generator: watcher.Generator, Request: watcher.Request}, Prompts: set,
		Rules: reflected{}, Weigh: func(s subconscious.Snapshot, name subconscious.ThreadName) (all []threads.Weighed) {
			for _, f := range weighed(s, name) {
				all = append(all, threads.Weighed{Finding: f})
			}
			return all
		}})
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	mail := subconscious.Observation{ID: "mid:1@example.com", Sense: "mail", Kind: "mail", Change: subconscious.Appeared, At: at.Add(-time.Hour),
		Trust: subconscious.Outsider, Title: "Jonas: the report", Text: "Can you send it by five?", Attrs: map[string]string{"known": "3", "from": "jonas@example.com"}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := triage.Think(ctx, subconscious.Snapshot{At: at, Fields: map[subconscious.ThreadName]subconscious.Field{subconscious.Watcher: {New: []subconscious.Observation{mail}}}})
	if err != nil || answer.Calls != 1 || len(answer.Failures) > 0 || len(answer.Thought.Findings) > 0 && answer.Thought.Findings[0].EscalateReason == "by rule" {
		t.Errorf("%v, %+v", err, answer)
	}
}

func engineStreamed(t *testing.T, watcher models.Assignment, request models.Request) {
	var heard strings.Builder
	deltas := 0
	request.OnText = func(delta string) {
		heard.WriteString(delta)
		deltas++
	}
	answer, err := engineAsk(t, watcher, request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text == "" || heard.String() != answer.Text || deltas < 2 || !answer.Usage.Known || answer.Usage.Output == 0 {
		t.Errorf("told of %q in %d pieces, answer %+v", heard.String(), deltas, answer)
	}
}

// engineCancelled cancels a long answer in the middle: the engine stops, too.
func engineCancelled(t *testing.T, watcher models.Assignment, request models.Request, url string) {
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
	if _, err := engineAsk(t, watcher, request); err != nil {
		t.Fatal(err)
	}
	if counts := fetch(t, url+"/counts"); !strings.Contains(counts, `"cancelled":1`) {
		t.Errorf("the engine counts %s", counts)
	}
}

const (
	// engineVariable names the folder in which the engine is installed.
	engineVariable = "SUBCONSCIOUS_ENGINE"
	// startTime is how long the engine may take to be ready, endTime how long
	// to end.
	startTime = time.Minute
	endTime   = 10 * time.Second
	// maxLog is how much of what the engine says is kept, in bytes.
	maxLog = 16 << 10
)

// startEngine starts llama.cpp with a toy model, and ends it with the test: it
// returns its root, without a slash at its end. Its protocol, grammar and streams
// are those of a real engine; the model speaks gibberish, and nothing may be
// judged by what it says. The engine comes from npm and is not part of the
// product. To have it:
//
//	mkdir -p ~/.cache/subconscious-engine
//	cp models/testdata/engine/package.json ~/.cache/subconscious-engine/
//	npm install --prefix ~/.cache/subconscious-engine --ignore-scripts --omit=optional --no-package-lock
//	export SUBCONSCIOUS_ENGINE=~/.cache/subconscious-engine
//
// Where it is not installed the test is skipped.
func startEngine(t testing.TB) string {
	t.Helper()
	folder := prepareEngine(t, engineInstalled(t))
	runScript(t, folder, "toy.mjs", "corpus.txt", "toy.gguf")
	port := serveEngine(t, folder, "server.mjs", "toy.gguf")
	return "http://127.0.0.1:" + port
}

// engineInstalled returns the modules of the installed engine.
func engineInstalled(t testing.TB) string {
	t.Helper()
	folder := os.Getenv(engineVariable)
	if folder == "" {
		t.Skipf("no inference engine: copy models/testdata/engine/package.json into a folder, run `npm install --ignore-scripts "+
			"--omit=optional --no-package-lock` there, and set %s to its full path", engineVariable)
	}
	modules := filepath.Join(folder, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "node-llama-cpp", "package.json")); err != nil || !filepath.IsAbs(folder) {
		t.Fatalf("%s is %q, which is no full path of a folder with the engine installed: %v", engineVariable, folder, err)
	}
	return modules
}

// prepareEngine makes a folder with the scripts beside the modules.
func prepareEngine(t testing.TB, modules string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/engine")); err != nil {
		t.Fatalf("write the engine's scripts: %v", err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatalf("put the engine beside its scripts: %v", err)
	}
	return folder
}

// runScript runs a script to its end.
func runScript(t testing.TB, folder string, arguments ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	command := exec.CommandContext(ctx, "node", arguments...)
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", strings.Join(arguments, " "), err, engineTail(output))
	}
}

// serveEngine starts a script that serves, and returns its port. It ends with its
// input: also where this process dies.
func serveEngine(t testing.TB, folder string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, "node", arguments...)
	command.Dir, command.WaitDelay = folder, endTime
	var complaints bytes.Buffer
	command.Stderr = &complaints
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("start the engine: %v", err)
	}
	stuck := time.AfterFunc(startTime, cancel)
	port, found := engineListening(output)
	stuck.Stop()
	t.Cleanup(func() {
		input.Close()
		defer time.AfterFunc(endTime, cancel).Stop()
		defer cancel()
		io.Copy(io.Discard, output)
		if err := command.Wait(); err != nil {
			t.Errorf("the engine ended badly: %v\n%s", err, engineTail(complaints.Bytes()))
		}
	})
	if !found {
		cancel()
		t.Fatal("the engine does not serve; what it said comes below")
	}
	return port
}

// engineListening reads what the engine says until it names its port.
func engineListening(output io.Reader) (port string, found bool) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if port, found = strings.CutPrefix(lines.Text(), "listening "); found {
			return port, true
		}
	}
	return "", false
}

func engineTail(text []byte) []byte { return text[max(0, len(text)-maxLog):] }
