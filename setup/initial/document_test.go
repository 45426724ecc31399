package initial

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestAdding puts items and parts into configurations of many forms: what is
// there stays to the letter.
func TestAdding(t *testing.T) {
	const item = "- id: new\n  path: /new\n"
	for name, test := range map[string]struct {
		text string
		keys []string
		want string // "" where it cannot be done
	}{
		"a list": {"senses:\n  notes:\n    - id: a\n      path: /a\n", []string{"senses", "notes"},
			"senses:\n  notes:\n    - id: a\n      path: /a\n    - id: new\n      path: /new\n"},
		"a list at its key's column": {"senses:\n  notes:\n  - id: a\n    path: /a\nlog: {level: info}\n", []string{"senses", "notes"},
			"senses:\n  notes:\n  - id: a\n    path: /a\n  - id: new\n    path: /new\nlog: {level: info}\n"},
		"a list with a comment behind it": {"senses:\n  notes:\n    - id: a # mine\n      path: /a\n  # files\n  files:\n    - {id: b, path: /b}\n", []string{"senses", "notes"},
			"senses:\n  notes:\n    - id: a # mine\n      path: /a\n    - id: new\n      path: /new\n  # files\n  files:\n    - {id: b, path: /b}\n"},
		"a mapping without the list": {"senses:\n  health:\n    enabled: true\n  #notes:\n  #  - id: x\n\nlog:\n  level: info\n", []string{"senses", "notes"},
			"senses:\n  health:\n    enabled: true\n  notes:\n    - id: new\n      path: /new\n  #notes:\n  #  - id: x\n\nlog:\n  level: info\n"},
		"an item over many lines": {"notify:\n  - id: a\n    x: [1,\n      2\n    ]\n\nlog: {}\n", []string{"notify"},
			"notify:\n  - id: a\n    x: [1,\n      2\n    ]\n  - id: new\n    path: /new\n\nlog: {}\n"},
		"umlauts and no newline at the end": {"notify:\n  - id: ä # größer", []string{"notify"}, "notify:\n  - id: ä # größer\n  - id: new\n    path: /new\n"},
		"a list in brackets":                {"senses: {notes: [{id: a, path: /a}]}\n", []string{"senses", "notes"}, ""},
		"an inner list in brackets":         {"senses:\n  notes: [{id: a, path: /a}]\n", []string{"senses", "notes"}, ""},
		"a mapping in braces":               {"senses: {health: {enabled: true}}\n", []string{"senses", "notes"}, ""},
		"an empty list":                     {"senses:\n  notes: []\n", []string{"senses", "notes"}, ""},
	} {
		d, closed := openDocument(test.text)
		if closed {
			t.Errorf("%s: nothing can be added", name)
			continue
		}
		checkDone(t, name, d, d.addItems(test.keys, item), test.want)
	}
}

// checkDone compares a document with what it should be, "" where that cannot be
// done.
func checkDone(t *testing.T, name string, d *document, done bool, want string) {
	t.Helper()
	if done != (want != "") {
		t.Errorf("%s: done is %v", name, done)
	} else if got := d.text(); done && got != want {
		t.Errorf("%s: got\n%swant\n%s", name, got, want)
	}
}

func TestSetPreset(t *testing.T) {
	const more = "roles:\n  - {id: chat, provider: groq, model: m}\n"
	for name, test := range map[string]struct{ text, more, want string }{
		"alone":             {"models:\n  preset: reflex # for now\n", "", "models:\n  preset: free # for now\n"},
		"with roles":        {"models:\n    # who\n    preset: reflex\n    gate: always\nlog: {}\n", more, "models:\n    # who\n    preset: free\n    roles:\n      - {id: chat, provider: groq, model: m}\n    gate: always\nlog: {}\n"},
		"no preset":         {"models:\n  gate: always\n", "", "models:\n  preset: free\n  gate: always\n"},
		"in braces":         {"models: {preset: reflex, gate: always}\n", "", "models: {preset: free, gate: always}\n"},
		"in braces, roles":  {"models: {preset: reflex}\n", more, ""},
		"roles are there":   {"models:\n  preset: reflex\n  roles: []\n", more, ""},
		"in quotes":         {"models:\n  preset: \"reflex\"\n", "", ""},
		"nothing of models": {"log: {}\n", "", ""},
	} {
		d, _ := openDocument(test.text)
		checkDone(t, name, d, d.setPreset("free", test.more), test.want)
	}
}

// TestAddingTwice puts several things in at once, in the order in which they
// were added.
func TestAddingTwice(t *testing.T) {
	d, _ := openDocument("# mine\nsenses:\n  health: {enabled: true}\n")
	d.addItems([]string{"senses", "files"}, "- {id: a, path: /a}\n")
	d.addItems([]string{"senses", "notes"}, "- {id: b, path: /b}\n")
	d.appendPart("log: {}\n")
	d.appendPart("api: {}\n")
	want := "# mine\nsenses:\n  health: {enabled: true}\n  files:\n    - {id: a, path: /a}\n  notes:\n    - {id: b, path: /b}\n\nlog: {}\n\napi: {}\n"
	if got := d.text(); got != want {
		t.Errorf("got\n%s", got)
	}
	// What belongs to the last list goes before what follows it.
	d, _ = openDocument("senses:\n  notes:\n    - {id: a, path: /a}\n")
	d.addItems([]string{"senses", "files"}, "- {id: b, path: /b}\n")
	d.addItems([]string{"senses", "notes"}, "- {id: c, path: /c}\n")
	want = "senses:\n  notes:\n    - {id: a, path: /a}\n    - {id: c, path: /c}\n  files:\n    - {id: b, path: /b}\n"
	if got := d.text(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// FuzzAdding: what can be added to anything that is YAML leaves it YAML, with
// what was there.
func FuzzAdding(f *testing.F) {
	for _, text := range []string{"", "# x\n", "a: 1\n", "senses:\n  notes:\n    - id: a\n", "senses:\n", "senses: {}\n", "notify:\n- a\n", "--- \nsenses:\n  x: |\n    text\n\n    # no comment\n", "senses:\n  ? a\n  : b\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var before yaml.Node
		if len(text) > 4096 || strings.TrimSpace(text) == "" || yaml.Unmarshal([]byte(text), &before) != nil {
			return // of nothing but blanks nothing needs to stay
		}
		d, closed := openDocument(text)
		if closed {
			return
		}
		d.addItems([]string{"senses", "notes"}, "- id: new\n  path: /new\n")
		d.addItems([]string{"notify"}, "- id: new\n")
		if got := d.text(); !strings.Contains(got, strings.TrimRight(strings.SplitN(text, "\n", 2)[0], "\n")) {
			t.Errorf("the first line is gone: %q", got)
		}
	})
}
