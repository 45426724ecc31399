package setup_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/setup"
)

const examplePath = "../config.example.yaml"

func readExample(t *testing.T) string { return string(testutil.Read(t, examplePath)) }

// commented matches a line of configuration that is commented out: prose has
// exactly one space after its "#".
var commented = regexp.MustCompile(`(?m)^(\s*)#( {2,}|[^\s#])`)

// uncommented is the example with all of its lists in use.
func uncommented(t *testing.T) string {
	t.Helper()
	return commented.ReplaceAllString(readExample(t), "$1$2")
}

func load(t *testing.T, content string, pairs ...string) (*setup.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	testutil.Write(t, path, content)
	return setup.Load(path, env(append(pairs, "HOME", "/home/sample")...))
}

// TestExampleIsDefault: what the example says without a "#" is the default.
func TestExampleIsDefault(t *testing.T) {
	got, err := load(t, readExample(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := setup.Load("", env("HOME", "/home/sample"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := same(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestExampleUncommented: what the example says behind a "#" can be used.
func TestExampleUncommented(t *testing.T) {
	got, err := load(t, uncommented(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Senses.Files) == 0 || len(got.Senses.Notes) == 0 || len(got.Senses.Calendar) == 0 || len(got.Senses.Health.Disk.Paths) == 0 {
		t.Errorf("lists are empty: %+v", got.Senses)
	}
	if got.Senses.Files[0].Path != "/home/sample/work" {
		t.Errorf("path is %q, want it in the home folder", got.Senses.Files[0].Path)
	}
}

// keysOfYAML collects the keys of a document, those of list items with "[]".
func keysOfYAML(n *yaml.Node, prefix string, keys map[string]bool) {
	switch n.Kind {
	case yaml.DocumentNode:
		keysOfYAML(n.Content[0], prefix, keys)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := strings.TrimPrefix(prefix+"."+n.Content[i].Value, ".")
			keys[key] = true
			keysOfYAML(n.Content[i+1], key, keys)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if item.Kind == yaml.MappingNode {
				keysOfYAML(item, prefix+"[]", keys)
			}
		}
	}
}

// keysOfType collects the keys of a type by its tags.
func keysOfType(t reflect.Type, prefix string, keys map[string]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, more, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		if more == "squash" {
			keysOfType(f.Type, prefix, keys)
		}
		if tag == "" || tag == "-" {
			continue
		}
		key := strings.TrimPrefix(prefix+"."+tag, ".")
		if f.Type == reflect.TypeFor[secret.Ref]() {
			for _, way := range []string{"_env", "_file", "_keyring", "_credential"} {
				keys[key+way] = true
			}
			continue
		}
		keys[key] = true
		switch {
		case f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
			keysOfType(f.Type.Elem(), key, keys)
		case f.Type.Kind() == reflect.Struct:
			keysOfType(f.Type, key, keys)
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			keysOfType(f.Type.Elem(), key+"[]", keys)
		}
	}
}

// TestExampleHasEveryKey compares the keys of the example with those of the
// type, both ways.
func TestExampleHasEveryKey(t *testing.T) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(uncommented(t)), &document); err != nil {
		t.Fatal(err)
	}
	shown, known := map[string]bool{}, map[string]bool{}
	keysOfYAML(&document, "", shown)
	keysOfType(reflect.TypeFor[setup.Config](), "", known)
	delete(known, "threads.gate") // set by models.gate
	if len(known) < 40 {
		t.Fatalf("only %d keys", len(known))
	}
	for key := range known {
		if !shown[key] {
			t.Errorf("config.example.yaml does not show %s", key)
		}
	}
	for key := range shown {
		if !known[key] {
			t.Errorf("config.example.yaml shows %s, which does not exist", key)
		}
	}
}

// TestExampleNamesVariables: every override is documented beside its key.
func TestExampleNamesVariables(t *testing.T) {
	text := strings.Join(strings.Fields(strings.ReplaceAll(readExample(t), "#", " ")), " ")
	for _, name := range setup.Variables() {
		if !strings.Contains(text, name) {
			t.Errorf("config.example.yaml does not name %s", name)
		}
	}
}

// TestSchema: the schema is one, takes the example, describes every key, and
// refuses what Load refuses by type.
func TestSchema(t *testing.T) {
	raw, err := setup.Schema()
	if err != nil {
		t.Fatal(err)
	}
	resolved := testutil.Schema(t, raw)
	for _, content := range []string{readExample(t), uncommented(t), "{}"} {
		if err := resolved.Validate(fromYAML(t, content)); err != nil {
			t.Errorf("the schema refuses what Load takes: %v", err)
		}
	}
	for _, content := range []string{"schedul: x", "jitter: 5", `jitter: "5"`, "senses: {files: {work: {path: /x}}}", "senses: {files: [{path: /x}]}",
		"senses: {health: {disk: {warn: 85}}}", "senses: {health: {enabled: 1}}", "mechanics: {gain: many}", "models: {gate: never}", "log: {level: loud}"} {
		if err := resolved.Validate(fromYAML(t, content)); err == nil {
			t.Errorf("the schema takes %q", content)
		}
		if _, err := load(t, content); err == nil {
			t.Errorf("Load takes %q", content)
		}
	}
	if n := bytes.Count(raw, []byte(`"description": ""`)); n > 0 {
		t.Errorf("%d empty descriptions", n)
	}
}

func fromYAML(t *testing.T, content string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(content), &value); err != nil {
		t.Fatal(err)
	}
	raw := testutil.JSON(t, value)
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}
