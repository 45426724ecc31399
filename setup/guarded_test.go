package setup_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/setup"
)

func TestTouched(t *testing.T) {
	dir := t.TempDir()
	load := func(text string) *setup.Config {
		t.Helper()
		path := filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := setup.Load(path, func(name string) (string, bool) { return dir, name == "HOME" })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	tidy := "actions: [{id: tidy, description: Tidies up., command: [/bin/true]}]\n"
	for name, c := range map[string]struct {
		before, after string
		want          []string
	}{
		"nothing":              {tidy, tidy, nil},
		"what only shows":      {tidy, tidy + "schedule: '*/7 * * * *'\nsenses: {files: [{id: w, path: " + dir + "}]}\n", nil},
		"an action":            {tidy, "actions: [{id: tidy, description: Tidies up., command: [/bin/false]}]\n", []string{"actions.tidy"}},
		"where a word ends":    {strings.Replace(tidy, "/bin/true", "/bin/true, -c, 'a b'", 1), strings.Replace(tidy, "/bin/true", "/bin/true, '-c a', b", 1), []string{"actions.tidy"}},
		"who is told":          {tidy, tidy + "budget: {notices_per_day: 0}\n", []string{"budget.notices_per_day"}},
		"another action":       {tidy, tidy[:len(tidy)-2] + ", {id: more, description: Tidies more., command: [/bin/true]}]\n", []string{"actions.more"}},
		"no action any more":   {tidy, "", []string{"actions.tidy"}},
		"the order of actions": {tidy[:len(tidy)-2] + ", {id: more, description: Tidies more., command: [/bin/true]}]\n", "actions: [{id: more, description: Tidies more., command: [/bin/true]}" + ", " + tidy[len("actions: ["):], nil},
		"a program":            {"", "senses: {exec: [{id: d, command: [/bin/true], kinds: [{id: ring, severity: notable}]}]}\n", []string{"senses.exec.d"}},
		"whose word a file is": {"senses: {files: [{id: w, path: " + dir + "}]}\n", "senses: {files: [{id: w, path: " + dir + ", trust: owner}]}\n", []string{"senses.files.w.trust"}},
		"the API":              {"", "api: {listen: '127.0.0.1:7766'}\n", []string{"api.listen"}},
		"strangers":            {"", "escalation: {strangers: digest}\n", []string{"escalation.strangers"}},
	} {
		if got := setup.Touched(setup.Guarded(load(c.before)), setup.Guarded(load(c.after))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
