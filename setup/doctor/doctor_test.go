package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// fakeDaemon answers what it is given.
type fakeDaemon struct {
	status api.Status
	err    error
	asked  *[]string
}

func (f fakeDaemon) Status(context.Context) (api.Status, error) { return f.status, f.err }
func (f fakeDaemon) TestModels(_ context.Context, who string) ([]api.ModelTest, error) {
	*f.asked = append(*f.asked, who)
	return []api.ModelTest{{Provider: "mine", Model: "m", Steps: []api.TestStep{{Name: "answer", Detail: "it broke off", Next: "try again"}}}}, nil
}

// fakeReader reads a clock.
type fakeReader struct{ clock *health.Clock }

func (f fakeReader) Read(context.Context) (health.Reading, error) {
	return health.Reading{Clock: f.clock}, nil
}

var at = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// patient is an installation in which all is well, and may be harmed.
type patient struct {
	dir     string
	config  string
	env     map[string]string
	options doctor.Options
}

func newPatient(t *testing.T, config string) *patient {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &patient{dir: dir, config: config, env: map[string]string{"HOME": dir}, options: doctor.Options{
		StateDir: filepath.Join(dir, "state"), Now: func() time.Time { return at },
		Session: func(context.Context) presence.Session { return presence.Session{} },
		Reader:  fakeReader{&health.Clock{Kept: true, Synchronised: true}}, Watches: func() (int, bool) { return 100, true },
		Daemon: fakeDaemon{status: api.Status{Version: "v1"}, asked: new([]string)},
	}}
}

func (p *patient) examine(t *testing.T) []doctor.Finding {
	t.Helper()
	o := p.options
	o.Env = func(name string) (string, bool) { value, ok := p.env[name]; return value, ok }
	o.File = filepath.Join(p.dir, "config.yaml")
	if _, err := os.Stat(o.File); err != nil {
		write(t, o.File, p.config, 0o600)
	}
	o.Exists = true
	o.Config, o.Wrong = setup.Load(o.File, o.Env)
	return doctor.Examine(t.Context(), o)
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// fault is a fault of an installation, and what is said of it under a name.
type fault struct {
	config string
	harm   func(*testing.T, *patient)
	about  string
	state  doctor.State
	detail string
}

// told examines a patient with the fault. Whatever is not well has a next step,
// and nothing that is said has the secret.
func (f fault) told(t *testing.T, secret string) (*patient, doctor.Finding) {
	t.Helper()
	p := newPatient(t, f.config)
	if f.harm != nil {
		f.harm(t, p)
	}
	findings := p.examine(t)
	got := find(t, findings, f.about)
	if got.State != f.state || !strings.Contains(got.Detail, f.detail) {
		t.Errorf("%+v, want %s and %q", got, f.state, f.detail)
	}
	for _, f := range findings {
		if f.State != doctor.OK && f.State != doctor.Skipped && f.Next == "" {
			t.Errorf("no next step: %+v", f)
		}
		if strings.Contains(f.Detail+f.Next, secret) {
			t.Errorf("a secret is said: %+v", f)
		}
	}
	return p, got
}

// find returns the finding of that name.
func find(t *testing.T, findings []doctor.Finding, name string) doctor.Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("nothing was found of %s: %+v", name, findings)
	return doctor.Finding{}
}

const oneOwn = "models: {providers: [{id: mine, kind: openai, base_url: %q, local: true, schema: json_schema}], roles: [{id: watcher, provider: mine, model: scripted-1}]}"

func own(url string) string { return strings.ReplaceAll(oneOwn, "%q", url) }

// TestFaults holds each fault against what is said of it, and each saying must
// have a next step.
func TestFaults(t *testing.T) {
	server := modeltest.NewServer(modeltest.Options{Models: []string{"scripted-1"}})
	t.Cleanup(server.Close)
	here := server.BaseURL(modeltest.OpenAI)
	anything := modeltest.NewServer(modeltest.Options{}) // lists scripted-1, and answers for any model
	t.Cleanup(anything.Close)
	failing := modeltest.NewServer(modeltest.Options{Troubles: []modeltest.Trouble{modeltest.Always(modeltest.ServerError)}})
	t.Cleanup(failing.Close)
	const key = "zai-0f1e2d3c4b5a6978.secret"
	for name, test := range map[string]fault{
		"nothing":                           {"", nil, "file", doctor.OK, "is right"},
		"a mistake in the configuration":    {"schedule: never", nil, "file", doctor.Broken, "on line 1: schedule"},
		"a configuration that others write": {"", func(t *testing.T, p *patient) { write(t, p.dir+"/config.yaml", "", 0o666) }, "file", doctor.Broken, "others may write"},
		"a template that others write":      {"", func(t *testing.T, p *patient) { write(t, p.dir+"/prompts/watcher.md", "", 0o620) }, "prompts", doctor.Broken, "others may write"},
		"a broken template": {"", func(t *testing.T, p *patient) {
			write(t, p.dir+"/prompts/watcher.md", `{{define "system"}}{{.Nonsense}}{{end}}`, 0o600)
		}, "prompts", doctor.Broken, "watcher.md"},
		"an empty template": {"", func(t *testing.T, p *patient) {
			write(t, p.dir+"/prompts/shared.md", "", 0o600)
		}, "prompts", doctor.Broken, "no {{define"},
		"an open state folder": {"", func(t *testing.T, p *patient) {
			if err := os.Chmod(p.options.StateDir, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "state folder", doctor.Broken, "mode 0755"},
		"a state folder that others write": {"", func(t *testing.T, p *patient) {
			if err := os.Chmod(p.options.StateDir, 0o770); err != nil {
				t.Fatal(err)
			}
		}, "state folder", doctor.Broken, "others may write"},
		"a database elsewhere": {"", func(t *testing.T, p *patient) {
			if err := os.Symlink(p.dir+"/nowhere", p.options.StateDir+"/mind.db"); err != nil {
				t.Fatal(err)
			}
		}, "database", doctor.Broken, "not a plain file"},
		"another's daemon": {"", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{err: api.Errorf(api.CodeRefused, "look", "the socket is served by user 1")}
		}, "daemon", doctor.Broken, "served by user 1"},
		"no state folder": {"", func(t *testing.T, p *patient) { p.options.StateDir += "/none" }, "state folder", doctor.Note, "not there yet"},
		"no daemon":       {"", func(t *testing.T, p *patient) { p.options.Daemon = fakeDaemon{err: errors.New("no socket")} }, "daemon", doctor.Degraded, "no socket"},
		"a blind sense": {"", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Senses: []api.SenseStatus{{ID: "home", State: "blind", Error: "no such file"}}}}
		}, "daemon", doctor.Degraded, "the sense home is blind: no such file"},
		"a configuration that is refused": {"", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Notices: []api.Notice{{NoticeKey: subconscious.NoticeKey{Code: api.NoticeConfiguration}, Text: "the configuration on the disk is refused", Next: "correct it"}}}}
		}, "taken up", doctor.Degraded, "is refused"},
		"a backup that fails": {"", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Notices: []api.Notice{{NoticeKey: subconscious.NoticeKey{Code: api.NoticeBackup}, Text: "the backup of the day was not made", Next: "mend that"}}}}
		}, "backup", doctor.Degraded, "was not made"},
		"no backups":                 {"", nil, "backups", doctor.Note, "none are made by themselves"},
		"no folder for backups":      {"backup: {folder: b}", nil, "backups", doctor.Degraded, "there is no folder"},
		"no backup yet":              {"backup: {folder: b}", func(t *testing.T, p *patient) { write(t, p.dir+"/b/of-another.tar.gz", "", 0o600) }, "backups", doctor.Note, "there is none in"},
		"an old backup":              {"backup: {folder: b}", func(t *testing.T, p *patient) { write(t, p.dir+"/b/subconscious-20261120T033000Z.tar.gz", "", 0o600) }, "backups", doctor.Degraded, "20 Nov 2026"},
		"a backup that all can read": {"backup: {folder: b}", func(t *testing.T, p *patient) { write(t, p.dir+"/b/subconscious-20261122T033000Z.tar.gz", "", 0o600) }, "backups", doctor.Note, "whoever has it"},
		"an encrypted backup": {"backup: {folder: b, recipient: age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg}", func(t *testing.T, p *patient) {
			write(t, p.dir+"/b/subconscious-20261122T033000Z.tar.gz.age", "", 0o600)
		}, "backups", doctor.OK, ", encrypted"},
		"no database": {"", nil, "database", doctor.Note, "none yet"},
		"a database of another kind": {"", func(t *testing.T, p *patient) {
			write(t, p.options.StateDir+"/mind.db", strings.Repeat("no database ", 20), 0o600)
		}, "database", doctor.Broken, "mind.db"},
		"a clock out of step": {"", func(t *testing.T, p *patient) { p.options.Reader = fakeReader{&health.Clock{Kept: true}} }, "clock", doctor.Degraded, "not synchronised"},
		"a clock long past":   {"", func(t *testing.T, p *patient) { p.options.Now = func() time.Time { return time.Unix(0, 0) } }, "clock", doctor.Broken, "1970-01-01"},
		"too many folders": {"senses: {files: [{id: work, path: work}]}", func(t *testing.T, p *patient) {
			write(t, p.dir+"/work/a/b/c", "", 0o600)
			p.options.Watches = func() (int, bool) { return 2, true }
		}, "watches", doctor.Degraded, "at most 3 folders to watch, and 2 may be"},
		"a folder that is not there":   {"senses: {notes: [{id: work, path: none}]}", nil, "folders", doctor.Degraded, "none"},
		"a calendar that is not there": {"senses: {calendar: [{id: home, ics: none.ics}]}", nil, "folders", doctor.Degraded, "none.ics is not there"},
		"no models":                    {"", nil, "roles", doctor.Note, "rules do"},
		"no key":                       {"models: {preset: free}", nil, "zai key", doctor.Broken, "there is no key for zai"},
		"a key in the environment":     {"models: {preset: free}", func(t *testing.T, p *patient) { p.env["ZAI_API_KEY"] = key }, "zai key", doctor.OK, "found in the variable ZAI_API_KEY"},
		"a key in a file": {"models: {preset: free, providers: [{id: zai, key_file: keys/zai}]}", func(t *testing.T, p *patient) { write(t, p.dir+"/keys/zai", key+"\n", 0o600) },
			"zai key", doctor.OK, "keys/zai"},
		"a key that others can read": {"models: {preset: free, providers: [{id: zai, key_file: keys/zai}]}", func(t *testing.T, p *patient) { write(t, p.dir+"/keys/zai", key+"\n", 0o644) },
			"zai key", doctor.Broken, "others can read it"},
		"a key that the daemon has": {"models: {preset: free}", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Models: []api.ModelStatus{{Provider: "zai", State: api.ModelUnused}}}}
		}, "zai key", doctor.OK, "the daemon"},
		"a key file that only the daemon has read": {"models: {preset: free, providers: [{id: zai, key_file: keys/zai}]}", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Models: []api.ModelStatus{{Provider: "zai", State: api.ModelOK}}}}
		}, "zai key", doctor.Broken, "no such file"},
		"a template of no name": {"", func(t *testing.T, p *patient) { write(t, p.dir+"/prompts/wacher.md", "x", 0o600) }, "prompts", doctor.Note, "wacher.md"},
		"a remote model":        {"models: {preset: free}", func(t *testing.T, p *patient) { p.env["ZAI_API_KEY"] = key }, "zai endpoint", doctor.Skipped, "not asked without --live"},
		"a local model":         {own(here), nil, "mine endpoint", doctor.OK, "answers, and has scripted-1"},
		"a model that fails for the daemon": {own(here), func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Models: []api.ModelStatus{
				{Role: "deliberation", Provider: "mine", Model: "scripted-1", State: api.ModelResting, Error: "the key is refused (401)"}}}}
		}, "deliberation", doctor.Degraded, "mine/scripted-1 is resting: the key is refused (401)"},
		"a local model that is not there": {strings.ReplaceAll(own(here), "scripted-1", "other-7"), nil, "mine endpoint", doctor.Broken, "has no model other-7"},
		"a local model that answers and is not listed": {strings.ReplaceAll(own(anything.BaseURL(modeltest.OpenAI)), "scripted-1", "other-7"), nil,
			"mine endpoint", doctor.OK, "so does other-7, though it is not listed"},
		"a local model that fails and is not listed": {strings.ReplaceAll(own(failing.BaseURL(modeltest.OpenAI)), "scripted-1", "other-7"), nil,
			"mine endpoint", doctor.Broken, "other-7 does not: "},
		"a server at hand that costs": {strings.ReplaceAll(strings.ReplaceAll(own(anything.BaseURL(modeltest.OpenAI)), "scripted-1", "other-7"), "local: true", "key_env: MINE"), func(t *testing.T, p *patient) { p.env["MINE"] = key },
			"mine endpoint", doctor.Note, "does not list other-7, which is no fault where it answers"},
		"a local server that is down": {own("http://127.0.0.1:1/v1"), nil, "mine endpoint", doctor.Broken, "list the models of mine"},
		"local elsewhere":             {own("https://models.example.com/v1"), nil, "mine", doctor.Broken, "models.example.com is marked as local"},
		"an unknown price":            {"models: {roles: [{id: watcher, provider: zai, model: glm-77}]}", func(t *testing.T, p *patient) { p.env["ZAI_API_KEY"] = key }, "prices", doctor.Degraded, "zai/glm-77"},
		"old prices":                  {"models: {preset: free}", func(t *testing.T, p *patient) { p.options.Now = func() time.Time { return at.AddDate(1, 0, 0) } }, "prices", doctor.Note, "long ago"},
		"a limit that is reached": {"", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Budget: api.BudgetStatus{Limits: []api.LimitStatus{{Name: "calls_per_day", Exhausted: true}}}}}
		}, "budget", doctor.Degraded, "calls_per_day"},
		"exploring that is used up": {"", func(t *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Budget: api.BudgetStatus{Limits: []api.LimitStatus{{Name: "exploration_calls_per_day", Exhausted: true}}}}}
		}, "budget", doctor.OK, "today"},
		"a live test by the daemon": {own(here), func(t *testing.T, p *patient) { p.options.Live = true }, "mine/m", doctor.Broken, "answer: it broke off"},
		"a live test without one": {own(here), func(t *testing.T, p *patient) {
			p.options.Live, p.options.Daemon = true, nil
		}, "mine/scripted-1", doctor.OK, "answered in"},
	} {
		t.Run(name, func(t *testing.T) { test.told(t, key) })
	}
}

// TestNothingIsSentWithoutLive counts the requests of an examination: the local
// server is asked which models it has, and no model is asked anything.
func TestNothingIsSentWithoutLive(t *testing.T) {
	server := modeltest.NewServer(modeltest.Options{})
	t.Cleanup(server.Close)
	newPatient(t, own(server.BaseURL(modeltest.OpenAI))).examine(t)
	for _, r := range server.Requests() {
		if r.Method != "GET" {
			t.Errorf("it sent %s %s", r.Method, r.Path)
		}
	}
	if used := server.Charged().Total(); used != 0 {
		t.Errorf("%d tokens were used", used)
	}
}

func TestWorst(t *testing.T) {
	for _, test := range []struct {
		states []doctor.State
		want   doctor.State
	}{
		{nil, doctor.OK},
		{[]doctor.State{doctor.Note, doctor.Skipped}, doctor.OK},
		{[]doctor.State{doctor.OK, doctor.Degraded}, doctor.Degraded},
		{[]doctor.State{doctor.Broken, doctor.Degraded}, doctor.Broken},
	} {
		var findings []doctor.Finding
		for _, s := range test.states {
			findings = append(findings, doctor.Finding{State: s})
		}
		if got := doctor.Worst(findings); got != test.want {
			t.Errorf("%v: %s, want %s", test.states, got, test.want)
		}
	}
}
