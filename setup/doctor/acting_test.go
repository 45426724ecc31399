package doctor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// TestActing holds each fault in who deliberates, and in what may be done,
// against what is said of it.
func TestActing(t *testing.T) {
	server := modeltest.NewServer(modeltest.Options{Models: []string{"scripted-1"}})
	t.Cleanup(server.Close)
	const key = "sk-ant-0f1e2d3c4b5a6978"
	opus := func(_ *testing.T, p *patient) { p.env["ANTHROPIC_API_KEY"] = key }
	// install puts a program into the folder in which they are looked for.
	install := func(name string, mode os.FileMode) func(*testing.T, *patient) {
		return func(t *testing.T, p *patient) {
			p.options.Programs = []string{p.dir + "/bin"}
			write(t, p.dir+"/bin/"+name, "#!/bin/sh\nexit 1\n", mode)
		}
	}
	both := func(harms ...func(*testing.T, *patient)) func(*testing.T, *patient) {
		return func(t *testing.T, p *patient) {
			for _, harm := range harms {
				harm(t, p)
			}
		}
	}
	action := func(more string) string {
		return "actions: [{id: tidy, description: Tidies up., command: [tidy]" + more + "}]"
	}
	for name, test := range map[string]fault{
		"nobody deliberates":       {"", nil, "deliberation", doctor.Note, "no model has the role"},
		"it is switched off":       {"deliberation: {enabled: false}", opus, "deliberation", doctor.OK, "switched off"},
		"the frontier model":       {"", opus, "deliberation", doctor.OK, "anthropic/claude-opus-5-5, in at most 8 rounds and 3m0s (45s where it is critical); at most $0.50 each"},
		"the frontier model's key": {"", opus, "anthropic key", doctor.OK, "ANTHROPIC_API_KEY"},
		"a model for nothing":      {strings.ReplaceAll(own(server.BaseURL(modeltest.OpenAI)), "watcher", "deliberation"), nil, "deliberation", doctor.OK, "it costs nothing"},
		"its key is not there":     {"models: {preset: free}", nil, "deliberation", doctor.Degraded, "zai/glm-4.7-flash has no key"},
		"the daemon has its key": {"", func(_ *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Models: []api.ModelStatus{{Role: "deliberation", Provider: "anthropic", State: api.ModelUnused}}}}
		}, "deliberation", doctor.OK, "anthropic/claude-opus-5-5"},
		"only free models":            {"deliberation: {max_cost: 0}", opus, "deliberation", doctor.Degraded, "deliberation.max_cost is $0.00: it is never asked"},
		"too little for one question": {"deliberation: {max_cost: 0.05}", opus, "deliberation", doctor.Degraded, "deliberation.max_cost is $0.05"},
		"a day with too little":       {"budget: {money_per_day: 0.1}", opus, "deliberation", doctor.Degraded, "budget.money_per_day is $0.10: it is never asked"},
		"a month with nothing":        {"budget: {money_per_month: 0}", opus, "deliberation", doctor.Degraded, "budget.money_per_month is $0.00"},
		"its own limit":               {"budget: {threads: [{id: deliberation, money_per_day: 0.1}]}", opus, "deliberation", doctor.Degraded, "money_per_day of deliberation under budget.threads is $0.10"},
		"no calls":                    {"budget: {calls_per_day: 0}", opus, "deliberation", doctor.Degraded, "budget.calls_per_day lets no call"},
		"no tokens of its own":        {"budget: {threads: [{id: deliberation, tokens_per_day: 20000}]}", opus, "deliberation", doctor.Degraded, "tokens_per_day of deliberation"},
		"a day for less than one":     {"budget: {money_per_day: 0.4}", opus, "deliberation", doctor.Note, "gets what is left of it"},
		"no limits":                   {"budget: {money_per_day: -1, money_per_month: -1}", opus, "deliberation", doctor.OK, "$0.50 each"},

		"an action":                   {action(""), both(opus, install("tidy", 0o755)), "tidy", doctor.OK, "/bin/tidy; waits for you each time"},
		"an action with an undo":      {action(", undo: [tidy, back], approval: tainted"), both(opus, install("tidy", 0o755)), "tidy", doctor.OK, "an agent's word was shown; can be taken back by"},
		"an action that never waits":  {action(", approval: never"), both(opus, install("tidy", 0o755)), "tidy", doctor.Note, "only where a stranger's word was shown"},
		"a program that is not there": {action(""), both(opus, install("other", 0o755)), "tidy", doctor.Broken, "the program tidy is not there"},
		"a program of everybody's":    {action(""), both(opus, install("tidy", 0o757)), "tidy", doctor.Broken, "everybody may change"},
		"a folder of an action":       {action(", folder: none"), both(opus, install("tidy", 0o755)), "tidy", doctor.Degraded, "/none is not there"},
		"an action that lacks a session": {"actions: [{id: tidy, description: d, command: [systemctl, --user, restart, tidy]}]",
			both(opus, install("systemctl", 0o755)), "tidy", doctor.Degraded, "talks to your session"},
		"an action that has its session": {"actions: [{id: tidy, description: d, command: [systemctl, --user, restart, tidy], env: [XDG_RUNTIME_DIR]}]",
			both(opus, install("systemctl", 0o755)), "tidy", doctor.OK, "/bin/systemctl"},
		"an action of the system": {"actions: [{id: tidy, description: d, command: [systemctl, restart, tidy]}]",
			both(opus, install("systemctl", 0o755)), "tidy", doctor.OK, "/bin/systemctl"},
		"actions that nobody asks for": {action(""), install("tidy", 0o755), "actions", doctor.Note, "1 configured, and without a deliberation"},
	} {
		t.Run(name, func(t *testing.T) { test.told(t, key) })
	}
}

// TestTranscripts holds each fault in the folders of transcripts against what is
// said of it.
func TestTranscripts(t *testing.T) {
	holdTranscripts(t, map[string]transcripts{
		"all is well": {func(t *testing.T, p *patient) {
			said(t, p)
			write(t, p.dir+"/talk/deep/two.MD", "x", 0o600)
			write(t, p.dir+"/talk/old/three.md", "x", 0o600)
			write(t, p.dir+"/talk/.hidden/four.md", "x", 0o600)
			write(t, p.dir+"/talk/note.txt", "x", 0o600)
		}, doctor.OK, "2 in "},
		"over a link": {func(t *testing.T, p *patient) {
			write(t, p.dir+"/elsewhere/one.md", "x", 0o600)
			if err := os.Symlink(p.dir+"/elsewhere", p.dir+"/talk"); err != nil {
				t.Fatal(err)
			}
		}, doctor.OK, "1 in "},
		"not there": {func(*testing.T, *patient) {}, doctor.Degraded, "not there"},
		"no folder": {func(t *testing.T, p *patient) { write(t, p.dir+"/talk", "x", 0o600) }, doctor.Degraded, "cannot be read"},
		"empty":     {func(t *testing.T, p *patient) { write(t, p.dir+"/talk/note.txt", "x", 0o600) }, doctor.Note, "has none"},
	})
}

// TestUnreadableTranscripts does so with folders that cannot be read.
func TestUnreadableTranscripts(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser reads everything")
	}
	holdTranscripts(t, map[string]transcripts{
		"closed": {func(t *testing.T, p *patient) {
			said(t, p)
			closeFolder(t, filepath.Join(p.dir, "talk", "closed"))
		}, doctor.Degraded, "closed cannot be read"},
		"closed, and left out": {func(t *testing.T, p *patient) {
			said(t, p)
			closeFolder(t, filepath.Join(p.dir, "talk", "old"))
		}, doctor.OK, "1 in "},
	})
}

// transcripts are a folder of transcripts with a fault, and what is said of it.
type transcripts struct {
	harm   func(*testing.T, *patient)
	state  doctor.State
	detail string
}

// said is a transcript that all is well with.
func said(t *testing.T, p *patient) { write(t, p.dir+"/talk/one.jsonl", "{}\n", 0o600) }

func holdTranscripts(t *testing.T, cases map[string]transcripts) {
	t.Helper()
	const config = "senses: {conversation: [{id: agents, path: talk, ignore: [\"old/\"]}]}"
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t, config)
			test.harm(t, p)
			if got := find(t, p.examine(t), "agents transcripts"); got.State != test.state || !strings.Contains(got.Detail, test.detail) {
				t.Errorf("%+v, want %s and %q", got, test.state, test.detail)
			}
		})
	}
}

// closeFolder makes a folder that cannot be read, but by the superuser.
func closeFolder(t *testing.T, path string) {
	t.Helper()
	write(t, path+"/one.md", "x", 0o600)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(path, 0o700); err != nil {
			t.Error(err)
		}
	})
}

// TestUnknownPrice follows what is said of a model that is never asked since
// nobody said what it costs, and then it is.
func TestUnknownPrice(t *testing.T) {
	const glm = "models: {prices: [%s], roles: [{id: deliberation, provider: zai, model: glm-77}]}"
	examine := func(prices string) []doctor.Finding {
		p := newPatient(t, fmt.Sprintf(glm, prices))
		p.env["ZAI_API_KEY"] = "zai-0f1e2d3c4b5a6978.secret"
		return p.examine(t)
	}
	for _, about := range []string{"deliberation", "prices"} {
		f := find(t, examine(""), about)
		_, remedy, ok := strings.Cut(f.Next, "under models.prices: ")
		if f.State != doctor.Degraded || !ok {
			t.Fatalf("%+v", f)
		}
		if f := find(t, examine(strings.ReplaceAll(remedy, "…", "0.5")), about); f.State != doctor.OK {
			t.Errorf("the remedy %s leaves %+v", remedy, f)
		}
	}
}
