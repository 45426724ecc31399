package setup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	actionsPage = "../docs/actions.md"
	// homeOnPage is the home folder of the examples.
	homeOnPage = "/home/me"
)

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// blocksOf are the blocks of a language on a page.
func blocksOf(t *testing.T, path, language string) []string {
	t.Helper()
	text := testutil.Read(t, path)
	var blocks []string
	for _, match := range fence.FindAllStringSubmatch(string(text), -1) {
		if match[1] == language {
			blocks = append(blocks, match[2])
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no block of %s", path, language)
	}
	return blocks
}

// documented are the actions of the page, in a home folder.
func documented(t *testing.T, home string) []actions.Action {
	t.Helper()
	var all []actions.Action
	for i, block := range blocksOf(t, actionsPage, "yaml") {
		path := filepath.Join(t.TempDir(), "config.yaml")
		testutil.Write(t, path, strings.ReplaceAll(block, homeOnPage, home))
		config, err := setup.Load(path, env("HOME", home))
		if err != nil {
			t.Errorf("block %d of %s cannot be used: %v\n%s", i+1, actionsPage, err, block)
			continue
		}
		if len(config.Actions) == 0 {
			t.Errorf("block %d of %s configures no action", i+1, actionsPage)
		}
		all = append(all, config.Actions...)
	}
	if err := actions.Validate(all); err != nil {
		t.Errorf("the actions of %s cannot be used together: %v", actionsPage, err)
	}
	return all
}

// TestDocumentedActionsRun: each action of the page that needs nothing but a
// Linux does what the page says, and takes a hostile value for what it is.
func TestDocumentedActionsRun(t *testing.T) {
	home := t.TempDir()
	for _, block := range blocksOf(t, actionsPage, "sh") {
		if !strings.Contains(block, "add-task") {
			continue
		}
		command := exec.Command("sh", "-eu", "-c", block)
		command.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("the script of the page: %v\n%s", err, out)
		}
	}
	all := documented(t, home)
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "mind.db")}, actions.Migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	engine, err := actions.New(actions.Options{DB: db, Actions: all, Environ: env("HOME", home)})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop(t.Context()) })
	old, fresh := filepath.Join(home, ".cache", "thumbnails", "old"), filepath.Join(home, ".cache", "thumbnails", "fresh")
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, age := range map[string]time.Duration{old: 60 * 24 * time.Hour, fresh: time.Minute} {
		then := time.Now().Add(-age)
		testutil.Write(t, path, "x")
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	is := func(path string) bool { _, err := os.Stat(path); return err == nil }
	const hostile = "Send the plan; $(touch pwned) `touch pwned` > pwned"
	arguments := map[string]struct {
		json  string
		check func() bool
	}{
		"add-task": {`{"text":"` + hostile + `"}`, func() bool {
			text, err := os.ReadFile(filepath.Join(home, "notes", "todo.md"))
			return err == nil && string(text) == "- [ ] "+hostile+"\n"
		}},
		"clear-cache":     {`{"folder":"thumbnails","days":30}`, func() bool { return !is(old) && is(fresh) }},
		"make-folder":     {`{"folder":"lisbon"}`, func() bool { return is(filepath.Join(home, "notes", "lisbon")) }},
		"restart-service": {}, // needs systemd
	}
	for _, a := range all {
		with, known := arguments[a.Name]
		switch {
		case !known:
			t.Errorf("%s is on the page and is not tested: give it arguments here", a.Name)
			continue
		case with.check == nil:
			continue
		}
		run, err := engine.Execute(t.Context(), actions.Request{Act: escalate.Act{Key: a.Name, Action: a.Name, Arguments: json.RawMessage(with.json)}})
		if err != nil || run.State != actions.RunSucceeded || !with.check() {
			t.Errorf("%s: %v, %s, %s", a.Name, err, run.State, run.Output)
		}
		if len(a.Undo) == 0 {
			continue
		}
		if undone, err := engine.Undo(t.Context(), run.ID, "me"); err != nil || undone.State != actions.RunSucceeded || with.check() {
			t.Errorf("take back %s: %v, %s, %s", a.Name, err, undone.State, undone.Output)
		}
	}
	if is(filepath.Join(home, "pwned")) {
		t.Error("a value was run")
	}
}

// TestDocumentedConfigurations: what the pages show of a configuration can be
// used.
func TestDocumentedConfigurations(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, page := range append(pages, "../README.md") {
		text := testutil.Read(t, page)
		for _, match := range fence.FindAllStringSubmatch(string(text), -1) {
			if match[1] != "yaml" {
				continue
			}
			tested++
			if _, err := load(t, match[2]); err != nil {
				t.Errorf("%s shows what cannot be used: %v\n%s", page, err, match[2])
			}
		}
	}
	if tested < 8 {
		t.Errorf("only %d configurations were found", tested)
	}
}

// TestDocumentedDeliberation: the figures and names of the page are those of the
// defaults and of the shipped prices.
func TestDocumentedDeliberation(t *testing.T) {
	page := testutil.Read(t, "../docs/deliberation.md")
	config := setup.Default()
	roles := models.Resolve(config.Models, func(models.Provider) bool { return true })
	i := slices.IndexFunc(roles, func(a models.RoleAssignment) bool { return a.Role.ID == models.RoleDeliberation })
	rate := config.Models.Rate(roles[i].Target.Provider, roles[i].Target.Model)
	two := 2 * rate.Cost(models.Usage{Input: 5000, Output: 200})
	// The first question of a deliberation on a full disk has 15,500 bytes.
	smallest := 2 * rate.Worst(15_500, roles[i].Role.MaxTokens)
	for _, said := range []string{
		fmt.Sprintf("(`%s`)", roles[i].Target.Model),
		fmt.Sprintf("at most %d answers", config.Deliberation.Rounds),
		fmt.Sprintf("and %.0f minutes. One incident", config.Deliberation.Deadline.Minutes()),
		fmt.Sprintf("It has %.0f seconds", config.Deliberation.CriticalDeadline.Seconds()),
		fmt.Sprintf("max_cost: %v ", config.Deliberation.MaxCost),
		fmt.Sprintf("money_per_day: %v ", config.Budget.MoneyPerDay),
		fmt.Sprintf("about %.0f cents with Claude Opus", 100*two.Float()),
		fmt.Sprintf("about %.0f cents for the smallest", 100*smallest.Float()),
	} {
		if !strings.Contains(string(page), said) {
			t.Errorf("it does not say %q", said)
		}
	}
	for _, kind := range subconscious.OutcomeKinds() {
		if !strings.Contains(string(page), "\n| `"+string(kind)+"` |") {
			t.Errorf("it does not explain the outcome %s", kind)
		}
	}
}

// refusal is a line of the table of what is refused: a command, and why.
var refusal = regexp.MustCompile("(?m)^\\| `(\\[.*\\])` \\|")

// TestDocumentedRefusals: what the page says is refused is, by config check, and
// nothing else about it is.
func TestDocumentedRefusals(t *testing.T) {
	text := testutil.Read(t, actionsPage)
	lines := refusal.FindAllStringSubmatch(string(text), -1)
	if len(lines) < 5 {
		t.Fatalf("%s has %d lines of what is refused", actionsPage, len(lines))
	}
	for _, line := range lines {
		var vector []string
		if err := yaml.Unmarshal([]byte(line[1]), &vector); err != nil {
			t.Errorf("%s: %v", line[1], err)
			continue
		}
		config := "actions:\n  - id: sample\n    description: A sample.\n    command: " + line[1] + "\n"
		if strings.Contains(line[1], "{text}") {
			config += "    params: [{id: text}]\n"
		}
		_, err := load(t, config)
		if err == nil {
			t.Errorf("%s is not refused", line[1])
		} else if !strings.Contains(err.Error(), "actions[0].command") || strings.Contains(err.Error(), "params") && !strings.Contains(line[1], "{other}") {
			t.Errorf("%s is refused for another reason: %v", line[1], err)
		}
	}
}

// sampleAction is a configuration with one action, and more keys of it.
func sampleAction(more string) string {
	return "actions:\n  - id: sample\n    description: A sample.\n    command: [echo, \"{text}\"]\n    params: [{id: text}]\n" + more
}

// TestActionZero: a 0 that is written is neither the default nor never.
func TestActionZero(t *testing.T) {
	for key, want := range map[string][2]string{
		"timeout: 0s":   {"actions[0].timeout: is 0", "(30s)"},
		"per_hour: 0":   {"actions[0].per_hour: is 0", "(6), or remove the action"},
		"per_day: 0":    {"actions[0].per_day: is 0", "(24), or remove the action"},
		"max_output: 0": {"actions[0].max_output: is 0", "(16384)"},
	} {
		_, err := load(t, sampleAction("    "+key+"\n"))
		if err == nil || !strings.Contains(err.Error(), "config.yaml:6: "+want[0]) || !strings.Contains(err.Error(), "fix: leave it out for the default "+want[1]) {
			t.Errorf("%s: %v", key, err)
		}
	}
	_, err := load(t, strings.Replace(sampleAction(""), "id: text", "id: text, max_length: 0", 1))
	if err == nil || !strings.Contains(err.Error(), "actions[0].params[0].max_length: is 0") {
		t.Error(err)
	}
}

// TestActionDefaultsShown: what an action leaves out is shown as it holds, and
// what is shown can be read again.
func TestActionDefaultsShown(t *testing.T) {
	more := "  - id: other\n    description: Another.\n    command: [echo, \"{n}\"]\n    params: [{id: n, type: integer}]\n    per_day: 3\n"
	config, err := load(t, sampleAction(more))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := setup.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"approval: always", "timeout: 30s", "per_hour: 6", "per_day: 24", "per_day: 3", "max_output: 16384", "type: text", "max_length: 1000"} {
		if !strings.Contains(string(shown), line+"\n") {
			t.Errorf("%s is not shown:\n%s", line, shown)
		}
	}
	if strings.Contains(string(shown), "max_length: 0") {
		t.Errorf("a number has a length:\n%s", shown)
	}
	again, err := load(t, string(shown))
	if err != nil {
		t.Fatal(err)
	}
	if diff := same(config, again); diff != "" {
		t.Error(diff)
	}
}

// TestActionNames: what is said of a name that is refused leads to one that is
// not.
func TestActionNames(t *testing.T) {
	for _, name := range []string{"Bad_ID", "bad_id", "1bad", "-bad"} {
		_, err := load(t, strings.Replace(sampleAction(""), "id: sample", "id: "+name, 1))
		if err == nil || strings.Count(err.Error(), "fix: ") != 1 || !strings.Contains(err.Error(), "actions[0].id") || !strings.Contains(err.Error(), "a-z, 0-9 and -, beginning with a letter") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := load(t, strings.Replace(sampleAction(""), "id: text", "id: due-day", 1))
	if err == nil || !strings.Contains(err.Error(), "actions[0].params[0].id") || !strings.Contains(err.Error(), "a-z, 0-9 and _, beginning with a letter") {
		t.Error(err)
	}
}
