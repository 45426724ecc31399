package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/anthropic"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/models/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// books is a meter that remembers what was settled by its ticket, and a recorder.
type books struct {
	purse
	settled map[budget.Ticket]budget.Amount
	calls   []models.Call
}

func (l *books) Settle(_ context.Context, ticket budget.Ticket, actual budget.Amount) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled == nil {
		l.settled = map[budget.Ticket]budget.Amount{}
	}
	l.settled[ticket] = actual
	return nil
}

func (l *books) Record(_ context.Context, call models.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, call)
}

// fixture is a roster over scripted servers.
type fixture struct {
	*models.Roster
	ledger *books
	logs   *bytes.Buffer
	now    time.Time
}

// open opens a roster; env are the variables that there are.
func open(t *testing.T, config models.Config, env map[string]string) *fixture {
	t.Helper()
	f := &fixture{ledger: &books{}, logs: &bytes.Buffer{}, now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	if config.Timeout == 0 {
		config.Timeout = 5 * time.Second
	}
	var err error
	f.Roster, err = models.OpenRoster(models.RosterOptions{Protocols: protocols,
		Config: config, Meter: f.ledger, Recorder: f.ledger, Now: func() time.Time { return f.now }, Wait: func() time.Duration { return 0 },
		Env:    func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		Logger: slog.New(slog.NewTextHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func scripted(t *testing.T, options modeltest.Options) *modeltest.Server {
	t.Helper()
	if options.Key == "" {
		options.Key = modeltest.Key
	}
	server := modeltest.NewServer(options)
	t.Cleanup(server.Close)
	return server
}

// provider is one at a scripted server.
func provider(id, kind string, server *modeltest.Server) models.Provider {
	return models.Provider{ID: id, Kind: kind, BaseURL: server.BaseURL(kind), Key: secret.Ref{Env: "SCRIPTED_KEY"}, Schema: models.SchemaJSON}
}

var keyed = map[string]string{"SCRIPTED_KEY": modeltest.Key}

func question(a models.Assignment) models.Request {
	request := a.Request
	request.Messages = []models.Message{{Role: models.User, Text: "mail from ada@example.com"}}
	return request
}

func failureOf(t *testing.T, err error) *models.Error {
	t.Helper()
	var failure *models.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v is no *models.Error", err)
	}
	return failure
}

func TestReflexHasNoModels(t *testing.T) {
	f := open(t, models.Config{}, nil)
	if _, ok := f.Role(models.RoleWatcher); ok {
		t.Error("the watcher has a model")
	}
	if _, ok := f.Embedder(); ok {
		t.Error("there is an embedder")
	}
	if all := f.Statuses(); len(all) != 0 {
		t.Errorf("statuses %+v", all)
	}
	if results := f.Check(context.Background(), "watcher"); len(results) != 1 || results[0].OK() || results[0].Steps[0].Name != models.StepModel {
		t.Errorf("the check says %+v", results)
	}
	if results := f.Check(context.Background(), "nobody"); results != nil {
		t.Errorf("the check of nobody says %+v", results)
	}
}

// TestRoles: roles inherit chat, bring what is their own, and ask.
func TestRoles(t *testing.T) {
	for _, kind := range []string{models.OpenAI, models.Anthropic} {
		t.Run(kind, func(t *testing.T) {
			server := scripted(t, modeltest.Options{Script: modeltest.Chatter("hello")})
			f := open(t, models.Config{Providers: []models.Provider{provider("lab", kind, server)},
				Prices: []models.Price{{Provider: "lab", Model: "m-1", Input: 1, Output: 2}},
				Roles:  []models.Role{{ID: models.RoleChat, Provider: "lab", Model: "m-1"}}}, keyed)
			a, ok := f.Role(models.RoleSynthesis)
			if !ok || a.Problem != "" || a.From != models.RoleChat || a.Identity.String() != "lab/m-1" || *a.Request.Temperature != 0.7 || a.Request.Thinking != 4096 || a.Request.Purpose.Role != models.RoleSynthesis {
				t.Fatalf("the assignment is %+v", a)
			}
			chat, _ := f.Role(models.RoleChat)
			answer, err := chat.Generator.Generate(context.Background(), question(chat))
			if err != nil || answer.Text != "hello" || answer.Cost == 0 {
				t.Fatalf("the answer is %+v, %v", answer, err)
			}
			if len(f.ledger.charges) != 1 || f.ledger.settled[1].Money != answer.Cost || f.ledger.charges[0].Worst.Money < answer.Cost || len(f.ledger.calls) != 1 {
				t.Errorf("the books have %+v", f.ledger)
			}
			for _, s := range f.Statuses() {
				if s.Role == models.RoleChat && (s.State != string(models.StateOK) || !s.PriceKnown || s.PriceOutput != 2) {
					t.Errorf("the status is %+v", s)
				}
			}
		})
	}
}

// TestMissingKey: it is no error to open, nothing is debited, and the model is
// asked once the key is there.
func TestMissingKey(t *testing.T) {
	server := scripted(t, modeltest.Options{Script: modeltest.Chatter("hello")})
	file := filepath.Join(t.TempDir(), "key")
	p := provider("lab", models.OpenAI, server)
	p.Key.Env, p.Key.File = "", file
	f := open(t, models.Config{Providers: []models.Provider{p}, Roles: []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}}, nil)
	a, ok := f.Role(models.RoleWatcher)
	if !ok || !strings.Contains(a.Problem, file) || a.Next == "" && !strings.Contains(a.Problem, "make it") {
		t.Fatalf("the assignment is %+v", a)
	}
	_, err := a.Generator.Generate(context.Background(), question(a))
	if failure := failureOf(t, err); failure.Kind != models.KindKey || failure.By.Model != "m-1" {
		t.Errorf("the failure is %+v", failure)
	}
	if len(f.ledger.charges) != 0 || len(f.ledger.calls) != 0 || server.Count() != 0 {
		t.Errorf("a call without a key was debited or made: %+v", f.ledger)
	}
	if s := f.Statuses()[0]; s.State != models.Unavailable || s.Error == "" {
		t.Errorf("the status is %+v", s)
	}
	write(t, file, modeltest.Key)
	f.now = f.now.Add(time.Minute)
	if answer, err := a.Generator.Generate(context.Background(), question(a)); err != nil || answer.Text != "hello" {
		t.Errorf("with the key the answer is %+v, %v", answer, err)
	}
	if a, _ := f.Role(models.RoleWatcher); a.Problem != "" {
		t.Errorf("the problem stays: %s", a.Problem)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	testutil.Write(t, file, text+"\n")
}

// TestReplacedKey: a key that is refused is read again.
func TestReplacedKey(t *testing.T) {
	server := scripted(t, modeltest.Options{Script: modeltest.Chatter("hello")})
	file := filepath.Join(t.TempDir(), "key")
	write(t, file, "old-key-0123456789")
	p := provider("lab", models.OpenAI, server)
	p.Key.Env, p.Key.File = "", file
	f := open(t, models.Config{Providers: []models.Provider{p}, Roles: []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}}, nil)
	a, _ := f.Role(models.RoleWatcher)
	_, err := a.Generator.Generate(context.Background(), question(a))
	if failure := failureOf(t, err); failure.Kind != models.KindKey || server.Count() != 1 {
		t.Fatalf("the failure is %+v after %d requests", failure, server.Count())
	}
	write(t, file, modeltest.Key)
	answer, err := a.Generator.Generate(context.Background(), question(a))
	if err != nil || answer.Attempts != 2 || answer.Unsure != 0 {
		t.Errorf("with the new key the answer is %+v, %v", answer, err)
	}
}

// TestRosterFallbacks: the next is asked where one fails or has no key, and the
// answer says so.
func TestRosterFallbacks(t *testing.T) {
	broken := scripted(t, modeltest.Options{Troubles: []modeltest.Trouble{modeltest.Always(modeltest.ServerError)}})
	sound := scripted(t, modeltest.Options{Script: modeltest.Chatter("hello")})
	keyless := provider("keyless", models.OpenAI, sound)
	keyless.Key.Env = "NOBODY_SET_THIS"
	f := open(t, models.Config{
		Providers: []models.Provider{provider("broken", models.OpenAI, broken), keyless, provider("sound", models.Anthropic, sound)},
		Roles:     []models.Role{{ID: models.RoleWatcher, Provider: "broken", Model: "m-1", Fallbacks: []string{"keyless/m-2", "sound/m-3"}}},
	}, keyed)
	a, ok := f.Role(models.RoleWatcher)
	if !ok || a.Problem != "" || len(a.Fallbacks) != 2 {
		t.Fatalf("the assignment is %+v", a)
	}
	answer, err := a.Generator.Generate(context.Background(), question(a))
	if err != nil || answer.By.String() != "sound/m-3" || len(answer.Passed) != 2 || answer.Passed[0].Kind != models.KindServer || answer.Passed[1].Kind != models.KindKey {
		t.Errorf("the answer is %+v, %v", answer, err)
	}
	s := f.Statuses()[0]
	if s.State != string(models.StateFailing) || strings.Join(s.Fallbacks, " ") != "keyless/m-2 sound/m-3" || !strings.Contains(s.Note, "keyless/m-2 cannot be asked") {
		t.Errorf("the status is %+v", s)
	}
}

// TestSharedBreaker: roles of one model share its health and its rest; a live
// check asks it all the same, and ends the rest.
func TestSharedBreaker(t *testing.T) {
	server := scripted(t, modeltest.Options{Troubles: []modeltest.Trouble{modeltest.Always(modeltest.ServerError)}})
	f := open(t, models.Config{Providers: []models.Provider{provider("lab", models.OpenAI, server)}, Roles: []models.Role{
		{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}, {ID: models.RoleOracle, Provider: "lab", Model: "m-1"}}}, keyed)
	watcher, _ := f.Role(models.RoleWatcher)
	oracle, _ := f.Role(models.RoleOracle)
	for range 3 {
		_, _ = watcher.Generator.Generate(context.Background(), question(watcher))
	}
	before := server.Count()
	_, err := oracle.Generator.Generate(context.Background(), question(oracle))
	if failure := failureOf(t, err); failure.Kind != models.KindResting || server.Count() != before {
		t.Errorf("the oracle fails with %+v after %d more requests", failure, server.Count()-before)
	}
	server.SetTroubles()
	server.SetScript(func(r modeltest.Request) modeltest.Reply {
		return modeltest.Reply{Text: modeltest.Instance(r.Schema.JSON)}
	})
	results := f.Check(context.Background(), models.RoleOracle)
	if len(results) != 1 || !results[0].OK() || results[0].Tokens == 0 {
		t.Fatalf("the check says %+v", results)
	}
	if _, err := oracle.Generator.Generate(context.Background(), func() models.Request {
		r := question(oracle)
		r.Schema = &models.Schema{Name: "x", JSON: json.RawMessage(`{"type":"object"}`)}
		return r
	}()); err != nil {
		t.Errorf("after the check the oracle fails: %v", err)
	}
}

// TestLocal: a local model is free and gets plain text; a remote one does not.
func TestLocal(t *testing.T) {
	const secret = "password: hunter2-0123456789"
	for _, local := range []bool{false, true} {
		server := scripted(t, modeltest.Options{Script: modeltest.Chatter("hello")})
		p := provider("lab", models.OpenAI, server)
		p.Local = local
		f := open(t, models.Config{Providers: []models.Provider{p}, Roles: []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}}, keyed)
		a, _ := f.Role(models.RoleWatcher)
		request := a.Request
		request.Messages = []models.Message{{Role: models.User, Text: secret}}
		answer, err := a.Generator.Generate(context.Background(), request)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(server.Requests()[0].Body), "hunter2"); got != local {
			t.Errorf("local %v: the secret is on the wire: %v", local, got)
		}
		if free := answer.Cost == 0; free != local {
			t.Errorf("local %v: it cost %s", local, answer.Cost)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		url   string
		local bool
		want  string
	}{
		{"https://api.example.com/v1", true, "said to be local"},
		{"https://api.example.com/v1", false, ""},
		{"http://api.example.com/v1", true, "without encryption"},
		{"http://127.0.0.1:8000/v1", true, ""},
		{"http://[::1]:8000/v1", true, ""},
		{"http://192.168.1.7:8000/v1", true, ""},
		{"http://gpu-box:8000/v1", true, ""},
		{"http://gpu-box.lan:8000/v1", true, ""},
		{"http://100.100.1.2:8000/v1", true, ""},
		{"http://8.8.8.8:8000/v1", true, "said to be local"},
	} {
		f := open(t, models.Config{Prices: []models.Price{{Provider: "lab", Model: "m-1", Input: 1, Output: 1}},
			Providers: []models.Provider{{ID: "lab", Kind: models.OpenAI, BaseURL: c.url, Local: c.local, Key: secret.Ref{Env: "SCRIPTED_KEY"}}},
			Roles:     []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}}, keyed)
		if note := f.Statuses()[0].Note; (note == "") != (c.want == "") || !strings.Contains(note, c.want) {
			t.Errorf("%s, local %v: the note is %q, want %q", c.url, c.local, note, c.want)
		}
	}
}

// TestDeliberation: Claude deliberates where its key is there.
func TestDeliberation(t *testing.T) {
	for _, env := range []map[string]string{nil, {"ANTHROPIC_API_KEY": "sk-0123456789abcdef"}} {
		a, ok := open(t, models.Config{}, env).Role(models.RoleDeliberation)
		if ok != (env != nil) || ok && (a.Identity.Provider != "anthropic" || a.Problem != "") {
			t.Errorf("with %d keys the deliberation is %+v, %v", len(env), a, ok)
		}
	}
}

// TestCheck: each failure of a live check says what to do.
func TestCheck(t *testing.T) {
	good := func(r modeltest.Request) modeltest.Reply {
		return modeltest.Reply{Text: `{"reached": true, "word": "harbour"}`}
	}
	for _, c := range []struct {
		name   string
		kind   string
		server modeltest.Options
		steps  string // the steps, with "!" before those that fail
		next   string
	}{
		{"all is well", models.OpenAI, modeltest.Options{Script: good}, "key answer schema usage stream", ""},
		{"all is well", models.Anthropic, modeltest.Options{Script: good}, "key answer schema usage stream", ""},
		{"a refused key", models.OpenAI, modeltest.Options{Key: "another-key-0123456789"}, "key !answer", "valid key"},
		{"an unknown model", models.OpenAI, modeltest.Options{Models: []string{"a-1", "b-2"}}, "key !answer", "a-1, b-2"},
		{"an unknown model", models.Anthropic, modeltest.Options{Models: []string{"a-1", "b-2"}}, "key !answer", "a-1, b-2"},
		{"prose", models.OpenAI, modeltest.Options{Script: modeltest.Chatter("I am well.")}, "key answer !schema usage stream", "schema"},
		{"another model", models.OpenAI, modeltest.Options{Script: good, Troubles: []modeltest.Trouble{modeltest.Always(modeltest.WrongModel)}}, "key !answer", ""},
		{"no usage", models.OpenAI, modeltest.Options{Script: good, Troubles: []modeltest.Trouble{modeltest.Always(modeltest.NoUsage)}}, "key answer schema usage stream", ""},
	} {
		t.Run(c.kind+" "+c.name, func(t *testing.T) {
			server := scripted(t, c.server)
			f := open(t, models.Config{Providers: []models.Provider{provider("lab", c.kind, server)}, Roles: []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}}, keyed)
			results := f.Check(context.Background(), "lab")
			if len(results) != 1 {
				t.Fatalf("the check says %+v", results)
			}
			var steps []string
			for _, step := range results[0].Steps {
				name := step.Name
				if name == models.StepAnswer && step.OK && !strings.HasSuffix(step.Detail, ", though the provider does not list it") {
					t.Errorf("it is not said that m-1 is not listed: %s", step.Detail)
				}
				if !step.OK {
					name = "!" + name
					if !strings.Contains(step.Next, c.next) || c.next != "" && step.Next == "" {
						t.Errorf("what to do is %q, want %q", step.Next, c.next)
					}
				}
				steps = append(steps, name)
			}
			if got := strings.Join(steps, " "); got != c.steps {
				t.Errorf("the steps are %q, want %q: %+v", got, c.steps, results[0])
			}
			if len(f.ledger.charges) == 0 || len(f.ledger.charges) != len(f.ledger.settled) {
				t.Errorf("%d debits, %d settled", len(f.ledger.charges), len(f.ledger.settled))
			}
		})
	}
}

// TestCheckOfProvider: one of which no role has a model can be reached.
func TestCheckOfProvider(t *testing.T) {
	server := scripted(t, modeltest.Options{Models: []string{"a-1", "b-2"}})
	f := open(t, models.Config{Providers: []models.Provider{provider("lab", models.OpenAI, server)}}, keyed)
	results := f.Check(context.Background(), "lab")
	if len(results) != 1 || !results[0].OK() || !strings.Contains(results[0].Steps[1].Detail, "2 models") {
		t.Errorf("the check says %+v", results)
	}
	if names, err := f.Models(context.Background(), "lab"); err != nil || strings.Join(names, " ") != "a-1 b-2" {
		t.Errorf("it has %v, %v", names, err)
	}
}

// TestEmbedder: vectors are paid for, and secrets stay here.
func TestEmbedder(t *testing.T) {
	server := scripted(t, modeltest.Options{})
	f := open(t, models.Config{Providers: []models.Provider{provider("lab", models.OpenAI, server)},
		Prices: []models.Price{{Provider: "lab", Model: "e-1", Input: 1}},
		Roles:  []models.Role{{ID: models.RoleEmbedding, Provider: "lab", Model: "e-1"}}}, keyed)
	embedder, ok := f.Embedder()
	if !ok {
		t.Fatal("there is no embedder")
	}
	got, err := embedder.Embed(context.Background(), models.Purpose{Role: models.RoleEmbedding}, []string{"a", "password: hunter2-0123456789"})
	if err != nil || len(got.Vectors) != 2 || got.Cost == 0 || f.ledger.settled[1].Money != got.Cost {
		t.Fatalf("got %+v, %v; the books have %+v", got, err, f.ledger)
	}
	if strings.Contains(string(server.Requests()[0].Body), "hunter2") {
		t.Error("a secret is on the wire")
	}
	f.ledger.refuse = &budget.Refusal{}
	_, err = embedder.Embed(context.Background(), models.Purpose{}, []string{"a"})
	if failure := failureOf(t, err); failure.Kind != models.KindBudget || server.Count() != 1 {
		t.Errorf("the failure is %+v", failure)
	}
	f.ledger.refuse = nil
	if results := f.Check(context.Background(), models.RoleEmbedding); len(results) != 1 || !results[0].OK() {
		t.Errorf("the check says %+v", results)
	}
}

// TestKeyNeverShows: whatever goes wrong, the key is in no error, no record, no
// status, no check and no log.
func TestKeyNeverShows(t *testing.T) {
	for _, kind := range []string{models.OpenAI, models.Anthropic} {
		for _, about := range modeltest.Faults() {
			switch about.Fault {
			case modeltest.Hang, modeltest.HangBefore, modeltest.Slow, modeltest.Endless: // those only wait
				continue
			}
			t.Run(kind+" "+string(about.Fault), func(t *testing.T) {
				server := scripted(t, modeltest.Options{Script: modeltest.Echo(), Troubles: []modeltest.Trouble{modeltest.Always(about.Fault)}})
				f := open(t, models.Config{Providers: []models.Provider{provider("lab", kind, server)}, Roles: []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}}, keyed)
				a, _ := f.Role(models.RoleWatcher)
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // too short to wait for a retry
				defer cancel()
				answer, err := a.Generator.Generate(ctx, question(a))
				var unwrapped []error
				for e := err; e != nil; e = errors.Unwrap(e) {
					unwrapped = append(unwrapped, e)
				}
				shown := fmt.Sprintf("%+v %v %+v %+v %+v %s", answer, err, unwrapped, f.Statuses(), f.ledger.calls, f.logs)
				if strings.Contains(shown, modeltest.Key) || strings.Contains(shown, modeltest.Key[:20]) {
					t.Errorf("the key shows: %s", shown)
				}
			})
		}
	}
}

var protocols = map[string]models.Protocol{models.OpenAI: openai.Protocol(), models.Anthropic: anthropic.Protocol()}
