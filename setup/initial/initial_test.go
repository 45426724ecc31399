package initial

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
	"github.com/subconsciousd/subconsciousd/setup"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const typedKey = "zai-0f1e2d3c4b5a6978.Qw3rTy6uIo9p"

// person answers by name of the choice, in order; "" agrees, and "^C" leaves.
type person struct {
	answers []string
	texts   []string
	secret  string
	secrets []string // before secret, in order
	leaveAt int      // the question at which to leave, from 1 on; 0: none
	said    strings.Builder
	asked   int
}

// leaves counts a question and reports whether to leave at it.
func (p *person) leaves(question string) bool {
	p.said.WriteString(question + "\n")
	p.asked++
	return p.asked == p.leaveAt
}

func (p *person) Say(text string) { p.said.WriteString(text + "\n") }

func (p *person) Choose(_ context.Context, question string, choices []Choice, preset int) (int, error) {
	if p.leaves(question) {
		return 0, context.Canceled
	}
	if len(p.answers) == 0 {
		return preset, nil
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	for i, c := range choices {
		if c.Name == answer {
			return i, nil
		}
	}
	if answer == "^C" {
		return 0, context.Canceled
	}
	return preset, nil
}

func (p *person) Text(_ context.Context, question, preset string) (string, error) {
	if p.leaves(question) {
		return "", context.Canceled
	}
	if len(p.texts) == 0 {
		return preset, nil
	}
	text := p.texts[0]
	p.texts = p.texts[1:]
	return text, nil
}

func (p *person) Secret(_ context.Context, question string) (string, error) {
	if p.leaves(question) || p.secret == "^C" {
		return "", context.Canceled
	}
	if len(p.secrets) > 0 {
		secret := p.secrets[0]
		p.secrets = p.secrets[1:]
		return secret, nil
	}
	return p.secret, nil
}

// here are options for a new machine in which nothing is found.
func here(t *testing.T, pairs ...string) Options {
	t.Helper()
	dir := t.TempDir()
	env := map[string]string{"HOME": dir}
	for i := 0; i+1 < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
	return Options{File: filepath.Join(dir, "conf", "config.yaml"), Unchecked: true, Offline: true, Servers: []models.Vendor{},
		Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) },
		Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
}

// filesBelow are all files below a folder with their modes.
func filesBelow(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		name, _ := filepath.Rel(dir, path)
		found[name] = info.Mode().Perm()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, path string) string { return string(testutil.Read(t, path)) }

// TestPresets writes each preset without asking anybody, and loads it.
func TestPresets(t *testing.T) {
	for _, preset := range models.PresetNames() {
		o := here(t)
		o.Preset, o.Agree = preset, true
		p := &person{}
		outcome, err := Run(t.Context(), o, p)
		if err != nil {
			t.Fatalf("%s: %v", preset, err)
		}
		config, err := setup.Load(o.File, o.Env)
		if err != nil {
			t.Fatalf("%s: %v\n%s", preset, err, read(t, o.File))
		}
		if config.Models.Preset != preset || !outcome.Written || p.asked != 0 {
			t.Errorf("%s: wrote %q (%+v), asked %d questions", preset, config.Models.Preset, outcome, p.asked)
		}
		if mode := filesBelow(t, filepath.Dir(o.File))["config.yaml"]; mode != 0o600 {
			t.Errorf("%s: mode %v", preset, mode)
		}
		if !strings.Contains(read(t, o.File), "# What models may cost") {
			t.Errorf("%s: there are no comments", preset)
		}
		switch preset {
		case models.PresetFree:
			if outcome.CostPerDay != 0 || len(outcome.Missing) != 1 {
				t.Errorf("free: %+v", outcome)
			}
		case models.PresetFourVendors:
			if outcome.CostPerDay <= 0 || len(outcome.Missing) != 4 || !strings.Contains(p.said.String(), assumption) {
				t.Errorf("four vendors: %+v\n%s", outcome, p.said.String())
			}
		}
	}
}

// TestProposals: the best that is there is proposed.
func TestProposals(t *testing.T) {
	four := []string{"GROQ_API_KEY", "gsk-x", "GEMINI_API_KEY", "x", "ZAI_API_KEY", "x", "OPENAI_API_KEY", "x"}
	for name, test := range map[string]struct {
		env  []string
		want string
		role string
	}{
		"nothing":       {nil, "preset: reflex", ""},
		"four keys":     {four, "preset: four-vendors", ""},
		"Z.AI":          {[]string{"ZAI_API_KEY", "x"}, "preset: free", ""},
		"an empty key":  {[]string{"ZAI_API_KEY", " "}, "preset: reflex", ""},
		"Anthropic":     {[]string{"ANTHROPIC_API_KEY", "x"}, "preset: reflex", "provider: anthropic, model: \"claude-haiku-4-5\""},
		"OpenAI, Groq":  {[]string{"OPENAI_API_KEY", "x", "GROQ_API_KEY", "x"}, "preset: reflex", "provider: openai"},
		"Z.AI and Groq": {[]string{"ZAI_API_KEY", "x", "GROQ_API_KEY", "x"}, "preset: free", ""},
	} {
		o := here(t, test.env...)
		if _, err := Run(t.Context(), o, &person{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text := read(t, o.File); !strings.Contains(text, test.want) || !strings.Contains(text, test.role) {
			t.Errorf("%s: want %q and %q in\n%s", name, test.want, test.role, text)
		}
	}
}

// TestTypedKey: a key that is typed goes into a file of its own and nowhere else.
func TestTypedKey(t *testing.T) {
	o := here(t)
	o.Preset = models.PresetFree
	p := &person{secret: " " + typedKey + "\n"}
	outcome, err := Run(t.Context(), o, p)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(o.File)
	want := map[string]fs.FileMode{"config.yaml": 0o600, "keys": 0o700, "keys/zai": 0o600}
	got := filesBelow(t, dir)
	for name, mode := range want {
		if got[name] != mode {
			t.Errorf("%s has mode %v, want %v", name, got[name], mode)
		}
	}
	if len(got) != len(want) || len(outcome.KeyFiles) != 1 || len(outcome.Missing) != 0 {
		t.Errorf("files are %v, outcome %+v", got, outcome)
	}
	if key := read(t, filepath.Join(dir, "keys", "zai")); key != typedKey+"\n" {
		t.Errorf("the key's file holds %q", key)
	}
	if strings.Contains(read(t, o.File)+p.said.String(), typedKey) {
		t.Error("the key is in the configuration, or was said")
	}
	config, err := setup.Load(o.File, o.Env)
	if err != nil {
		t.Fatal(err)
	}
	provider, _ := config.Models.Provider("zai")
	if _, err := provider.FindKey(o.Env); err != nil {
		t.Errorf("the key is not found again: %v", err)
	}
}

// TestLeaving leaves at every question there is: nothing is written.
func TestLeaving(t *testing.T) {
	const most = 40
	for at := 1; ; at++ {
		o := here(t)
		o.Preset, o.Offline = models.PresetFree, false
		server := ntfytest.New(ntfytest.Options{})
		p := &person{secret: typedKey, leaveAt: at, answers: []string{"type it", "another", "another", "another", none, "own server"},
			texts: []string{filepath.Dir(filepath.Dir(o.File)), "", "", server.URL()}}
		_, err := Run(t.Context(), o, p)
		server.Close()
		if err == nil && p.asked < at {
			if at < 10 || len(filesBelow(t, filepath.Dir(o.File))) == 0 {
				t.Errorf("there were %d questions alone:\n%s", p.asked, p.said.String())
			}
			break
		}
		if !errors.Is(err, ErrLeft) || at > most {
			t.Fatalf("question %d: %v\n%s", at, err, p.said.String())
		}
		if got := filesBelow(t, filepath.Dir(filepath.Dir(o.File))); len(got) != 0 {
			t.Errorf("question %d left %v", at, got)
		}
	}
	o := here(t)
	o.Preset = models.PresetFree
	if _, err := Run(t.Context(), o, &person{secret: "^C"}); !errors.Is(err, ErrLeft) {
		t.Errorf("at the key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, o, &person{}); !errors.Is(err, ErrLeft) {
		t.Errorf("before the first question: %v", err)
	}
	if got := filesBelow(t, filepath.Dir(filepath.Dir(o.File))); len(got) != 0 {
		t.Errorf("there is %v", got)
	}
}

// TestExisting: what is there is kept to the letter.
func TestExisting(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		written bool
		budgets int
		fails   bool
	}{
		"without models":       {"# mine\nschedule: \"*/10 * * * *\" # often\nsenses: {health: {enabled: false}}\n", true, 1, false},
		"nothing but comments": {"# nothing yet\n", true, 1, false},
		"empty":                {"", true, 1, false},
		"with a budget":        {"budget:\n  money_per_day: 0.5\n", true, 1, false},
		"in one line":          {"{schedule: \"*/10 * * * *\"}\n", false, 0, false},
		"with a mistake":       {"schedul: x\n", false, 0, true},
	} {
		o := here(t)
		o.Preset, o.Agree, o.KeyEnv = models.PresetFree, true, []string{"ZAI_API_KEY"}
		testutil.Write(t, o.File, test.text)
		p := &person{}
		outcome, err := Run(t.Context(), o, p)
		if (err != nil) != test.fails || outcome.Written != test.written {
			t.Errorf("%s: written %v, %v", name, outcome.Written, err)
		}
		text := read(t, o.File)
		if !strings.HasPrefix(text, test.text) || !test.written && text != test.text {
			t.Errorf("%s: what was there is changed:\n%s", name, text)
		}
		if n := strings.Count(text, "\nbudget:") + strings.Count("\n"+test.text, "\nbudget:"); test.written && n < test.budgets {
			t.Errorf("%s: %d budgets in\n%s", name, n, text)
		}
		if test.written {
			if config, err := setup.Load(o.File, o.Env); err != nil || config.Models.Preset != models.PresetFree {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !test.fails && !strings.Contains(outcome.Change, "preset: free") {
			t.Errorf("%s: nothing says what to change: %+v", name, outcome)
		}
	}
}

// TestLink writes the file that a link points to.
func TestLink(t *testing.T) {
	o := here(t)
	o.Agree = true
	dir := filepath.Dir(o.File)
	real := filepath.Join(dir, "real.yaml")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(real, []byte("jitter: 1s\n"), 0o600), os.Symlink("real.yaml", o.File)); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o, &person{}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(o.File); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if !strings.Contains(read(t, real), "preset: reflex") {
		t.Error("the file was not written")
	}
}

// TestPlacesOfKeys: whose a key is is told by its name, or has to be said.
func TestPlacesOfKeys(t *testing.T) {
	for name, test := range map[string]struct {
		preset    string
		env, file []string
		want      string
		fails     bool
	}{
		"by its name":     {"four-vendors", []string{"GROQ_API_KEY"}, nil, "- id: groq\n      key_env: \"GROQ_API_KEY\"", false},
		"by the provider": {"four-vendors", []string{"groq=MY_KEY"}, nil, "- id: groq\n      key_env: \"MY_KEY\"", false},
		"the only one":    {"free", []string{"MY_KEY"}, nil, "- id: zai\n      key_env: \"MY_KEY\"", false},
		"a file":          {"free", nil, []string{"/keys/mine"}, "- id: zai\n      key_file: \"/keys/mine\"", false},
		"whose?":          {"four-vendors", []string{"MY_KEY"}, nil, "", true},
		"of nobody":       {"four-vendors", []string{"mistral=MY_KEY"}, nil, "", true},
		"none is needed":  {"reflex", []string{"MY_KEY"}, nil, "", true},
		"no such preset":  {"for-vendors", nil, nil, "", true},
	} {
		o := here(t)
		o.Preset, o.KeyEnv, o.KeyFile, o.Agree = test.preset, test.env, test.file, true
		_, err := Run(t.Context(), o, &person{})
		if (err != nil) != test.fails {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !test.fails && !strings.Contains(read(t, o.File), test.want) {
			t.Errorf("%s: want %q in\n%s", name, test.want, read(t, o.File))
		}
	}
}

// ollama is a server that speaks like Ollama, with these models.
func ollama(t *testing.T, options modeltest.Options) models.Vendor {
	t.Helper()
	server := modeltest.NewServer(options)
	t.Cleanup(server.Close)
	v, _ := models.LookupVendor("ollama")
	v.BaseURL = server.BaseURL(modeltest.OpenAI)
	return v
}

// TestLocal finds a server, takes a model that it has, tries it out and keeps it.
func TestLocal(t *testing.T) {
	o := here(t)
	o.Unchecked = false
	o.Servers = []models.Vendor{ollama(t, modeltest.Options{Models: []string{"nomic-embed-text", "llama3.2:3b"}}),
		{Name: "lmstudio", Title: "LM Studio", BaseURL: "http://127.0.0.1:1/v1/", Local: true}}
	p := &person{}
	outcome, err := Run(t.Context(), o, p)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, o.File)
	for _, want := range []string{"preset: local", "{id: watcher, provider: ollama, model: \"llama3.2:3b\"}", "local: true"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if said := p.said.String(); !strings.Contains(said, "✓ ollama/llama3.2:3b answers") || len(outcome.Failed) != 0 || outcome.CostPerDay != 0 {
		t.Errorf("%+v, and said:\n%s", outcome, said)
	}
}

// TestFailingModel: a model that does not answer is told of, and written
// nevertheless.
func TestFailingModel(t *testing.T) {
	o := here(t)
	o.Unchecked = false
	o.Servers = []models.Vendor{ollama(t, modeltest.Options{Models: []string{"qwen3:8b"}, Troubles: []modeltest.Trouble{modeltest.Always(modeltest.BadKey)}})}
	p := &person{}
	outcome, err := Run(t.Context(), o, p)
	if err != nil {
		t.Fatal(err)
	}
	if !outcome.Written || len(outcome.Failed) != 1 || !strings.Contains(p.said.String(), "✗ ollama/qwen3:8b") {
		t.Errorf("%+v, and said:\n%s", outcome, p.said.String())
	}
}

// TestTypedKeyIsTried: a key that is in no file yet is sent to its provider.
func TestTypedKeyIsTried(t *testing.T) {
	server := modeltest.NewServer(modeltest.Options{Key: typedKey, Models: []string{"glm-4.7-flash"}})
	t.Cleanup(server.Close)
	p := &person{secret: typedKey}
	s := &session{Options: here(t), person: p}
	s.Unchecked = false
	s.plan = plan{preset: models.PresetFree, providers: []models.Provider{{ID: "zai", Vendor: "zai", BaseURL: server.BaseURL(modeltest.OpenAI), Schema: models.SchemaJSON}}}
	for _, do := range []func(context.Context, *session) error{keys, try} {
		if err := do(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.result.Failed) != 0 || !strings.Contains(p.said.String(), "✓ zai/glm-4.7-flash answers") {
		t.Errorf("%+v, and said:\n%s", s.result, p.said.String())
	}
}

// TestKeptKey: a key that an earlier run has kept is found again, and what is
// lacking is said with what to do.
func TestKeptKey(t *testing.T) {
	options, p := here(t), &person{}
	options.Preset, options.Agree = models.PresetFree, true
	outcome, err := Run(t.Context(), options, p)
	if said := p.said.String(); err != nil || len(outcome.Missing) != 1 || !strings.Contains(said, "There is no key for Z.AI. ") || !strings.Contains(said, "export ZAI_API_KEY") {
		t.Errorf("%+v, %v, it said:\n%s", outcome, err, said)
	}
	kept := filepath.Join(filepath.Dir(options.File), "keys", "zai")
	if err := errors.Join(os.Remove(options.File), os.MkdirAll(filepath.Dir(kept), 0o700), os.WriteFile(kept, []byte(typedKey), 0o600)); err != nil {
		t.Fatal(err)
	}
	p = &person{}
	outcome, err = Run(t.Context(), options, p)
	text, readErr := os.ReadFile(options.File)
	if err = errors.Join(err, readErr); err != nil || len(outcome.Missing) != 0 || !strings.Contains(p.said.String(), kept+" already") || !strings.Contains(string(text), kept) {
		t.Errorf("%+v, %v, it said:\n%s", outcome, err, p.said.String())
	}
}

// TestMistakes: what was asked for and cannot be is a mistake of whoever asked.
func TestMistakes(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"preset":   func(o *Options) { o.Preset = "fre" },
		"provider": func(o *Options) { o.Preset, o.KeyEnv = models.PresetFree, []string{"groq=NAME"} },
		"a file":   func(o *Options) { o.Preset, o.KeyFile = models.PresetReflex, []string{"key"} },
	} {
		t.Run(name, func(t *testing.T) {
			options := here(t)
			options.Agree = true
			change(&options)
			_, err := Run(t.Context(), options, &person{})
			if _, ok := errors.AsType[*Mistake](err); !ok {
				t.Errorf("it came to %v", err)
			}
		})
	}
}
