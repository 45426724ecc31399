package prompts_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		testutil.Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func TestOpen(t *testing.T) {
	set := mustOpen()
	if want := []string{"watcher", "librarian", "oracle", "dreamer", "triage", "deliberation", "shared"}; !slices.Equal(set.Names(), want) {
		t.Errorf("%v", set.Names())
	}
	for _, name := range set.Names() {
		text, ok := set.Embedded(name)
		source, there := set.Source(name)
		if !ok || !there || source.Text != text || source.Path != "" || text == "" {
			t.Errorf("%s: %v %v %q", name, ok, there, source.Path)
		}
	}
	if _, ok := set.Embedded("nobody"); ok {
		t.Error("there is a template of nobody")
	}
	if _, ok := set.Source("nobody"); ok {
		t.Error("there is a source of nobody")
	}
	if _, err := prompts.Open(filepath.Join(t.TempDir(), "not there")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestOverride: a file stands in for a template, wording and order and all; the
// others stay.
func TestOverride(t *testing.T) {
	dir := folder(t, map[string]string{
		"watcher.md": `{{define "system"}}Watch, in at most {{.Findings}} findings of {{.Kinds}}.{{end}}{{define "user"}}{{.Now}}
First what is new: {{.New}}{{with .Closed}} closed: {{.}}{{end}}{{end}}`,
		"unrelated.md": "{{nonsense",
	})
	set, err := prompts.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Thread(subconscious.Watcher, few())
	if err != nil {
		t.Fatal(err)
	}
	if p.System != "Watch, in at most 3 findings of observation, anomaly.\n" || !strings.HasPrefix(p.User, "It is Monday") || !strings.Contains(p.User, "First what is new: <new ") {
		t.Errorf("%q\n%q", p.System, p.User)
	}
	built, _ := mustOpen().Thread(subconscious.Oracle, few())
	if other, err := set.Thread(subconscious.Oracle, few()); err != nil || other.Hash != built.Hash {
		t.Errorf("another thread's prompt differs: %v", err)
	}
	source, _ := set.Source("watcher")
	if embedded, _ := set.Embedded("watcher"); source.Path != filepath.Join(dir, "watcher.md") || embedded == source.Text {
		t.Errorf("%q", source.Path)
	}
	dir = folder(t, map[string]string{"shared.md": `{{define "mind"}}m{{end}}{{define "reading"}}r{{end}}{{define "finding"}}f{{end}}{{define "answer"}}a{{end}}{{define "user"}}only {{.New}}{{end}}`})
	if set, err = prompts.Open(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []subconscious.ThreadName{subconscious.Watcher, subconscious.Dreamer} {
		if p, err := set.Thread(name, few()); err != nil || !strings.HasPrefix(p.User, "only <new ") || !strings.Contains(p.System, "Importance: 1–2 ") {
			t.Errorf("%v %q", err, p.User)
		}
	}
}

// TestBrokenTemplates: each says where, and what to do.
func TestBrokenTemplates(t *testing.T) {
	const system = `{{define "system"}}x{{end}}`
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"an unknown field":               {"{{define \"system\"}}a\n{{.Nothing}}{{end}}", []string{"watcher.md:2:", "there is no .Nothing; there are", ".New"}},
		"one in a branch never taken":    {system + "{{define \"user\"}}\n\n{{if false}}{{.Wrong}}{{end}}{{end}}", []string{"watcher.md:3:", ".Wrong"}},
		"one in an else branch":          {system + `{{define "user"}}{{with .New}}{{else}}{{$.Wrong}}{{end}}{{end}}`, []string{"watcher.md:1:", ".Wrong"}},
		"one as an argument":             {system + `{{define "user"}}{{printf "%s" .Wrong}}{{range .Bad}}{{end}}{{end}}`, []string{".Wrong", ".Bad"}},
		"one handed on":                  {system + `{{define "x"}}{{.}}{{end}}{{define "user"}}{{template "x" .Wrong}}{{end}}`, []string{".Wrong"}},
		"one of a parenthesis":           {system + `{{define "user"}}{{(.New).Wrong}}{{end}}`, []string{"watcher.md:1:", "Wrong"}},
		"an unknown function":            {"\n\n{{define \"system\"}}{{shout .New}}{{end}}", []string{"watcher.md:3:", "shout"}},
		"an unclosed action":             {"{{define \"system\"}}\n{{.New", []string{"watcher.md:2:", "unclosed"}},
		"a template there is none of":    {`{{define "system"}}{{template "more" .}}{{end}}`, []string{"watcher.md:1:", `"more"`}},
		"no system part":                 {"Be good.", []string{"watcher.md:1:", `{{define "system"}}`, "subconsciousctl prompts show watcher"}},
		"an empty system part":           {`{{define "system"}} {{end}}`, []string{"prints nothing"}},
		"a template that calls itself":   {`{{define "system"}}{{template "system" .}}{{end}}`, []string{"watcher.md"}},
		"a template that prints no end":  {`{{define "x"}}{{printf "%100000s" .New}}{{end}}{{define "system"}}{{template "x" .}}{{template "x" .}}{{template "x" .}}{{end}}`, []string{"watcher.md:1:", "more than 262144 bytes"}},
		"no UTF-8":                       {"\xff\xfe", []string{"watcher.md", "not UTF-8"}},
		"a NUL":                          {system + "\x00", []string{"watcher.md", "not UTF-8 text"}},
		"too long":                       {system + strings.Repeat("x", 64<<10), []string{"watcher.md", "at most 65536"}},
		"an empty file":                  {"", []string{"watcher.md:1:"}},
		"a chain on a field of a string": {system + `{{define "user"}}{{.New.Wrong}}{{end}}`, []string{"watcher.md:1:", "Wrong"}},
	} {
		_, err := prompts.Open(folder(t, map[string]string{"watcher.md": c.text}))
		if err == nil {
			t.Errorf("%s: it is taken", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %q", name, want, err)
			}
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "oracle.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "watcher.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := prompts.Open(dir); err == nil || strings.Count(err.Error(), "no regular file") != 2 {
		t.Errorf("a folder and a pipe: %v", err)
	}
	_, err := prompts.Open(folder(t, map[string]string{"shared.md": `{{define "user"}}{{.Wrong}}{{end}}{{define "mind"}}{{end}}{{define "reading"}}{{end}}{{define "finding"}}{{end}}{{define "answer"}}{{end}}`}))
	if err == nil || strings.Count(err.Error(), "shared.md:1:") != 1 {
		t.Errorf("what is shared is told of once: %v", err)
	}
}

// TestTemplateTooLong: a template that leaves no room says so.
func TestTemplateTooLong(t *testing.T) {
	set, err := prompts.Open(folder(t, map[string]string{"watcher.md": `{{define "system"}}x{{end}}{{define "user"}}` + strings.Repeat("very long ", 3000) + `{{.New}}{{end}}`}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Thread(subconscious.Watcher, full()); err == nil || !strings.Contains(err.Error(), "at most 24576 fit; shorten") || !strings.Contains(err.Error(), "watcher.md") {
		t.Errorf("%v", err)
	}
}

func FuzzTemplate(f *testing.F) {
	set := mustOpen()
	for _, name := range set.Names() {
		text, _ := set.Embedded(name)
		f.Add(text)
	}
	f.Add(`{{define "system"}}{{.New}}{{end}}`)
	f.Add("{{")
	in := few()
	f.Fuzz(func(t *testing.T, text string) {
		set, err := prompts.Open(folder(t, map[string]string{"watcher.md": text}))
		if err != nil {
			return
		}
		if p, err := set.Thread(subconscious.Watcher, in); err == nil && len(p.User) > prompts.MaxBytes {
			t.Fatalf("%d bytes", len(p.User))
		}
	})
}

func TestTemplatesOfOthers(t *testing.T) {
	for name, open := range map[string]func(dir string) error{
		"a file":     func(dir string) error { return os.Chmod(filepath.Join(dir, "watcher.md"), 0o620) },
		"the folder": func(dir string) error { return os.Chmod(dir, 0o777|os.ModeSticky) },
		"a parent":   func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o770) },
		"a link into a folder of others": func(dir string) error {
			others := filepath.Join(filepath.Dir(dir), "others")
			return errors.Join(os.Mkdir(others, 0o700), os.Rename(filepath.Join(dir, "watcher.md"), filepath.Join(others, "w")),
				os.Symlink(filepath.Join(others, "w"), filepath.Join(dir, "watcher.md")), os.Chmod(others, 0o777))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "prompts")
			shipped, _ := (&prompts.Set{}).Embedded("watcher")
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "watcher.md"), []byte(shipped+"{{/* planted */}}"), 0o600), open(dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := prompts.Open(dir); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
				t.Errorf("got %v", err)
			}
			set, err := prompts.OpenCredulous(dir)
			if err != nil {
				t.Fatal("the twin:", err)
			}
			if source, _ := set.Source("watcher"); !strings.Contains(source.Text, "planted") {
				t.Error("without the guard the template is not used either")
			}
		})
	}
}
