package archtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite what the made-up modules break")

// TestThisModule keeps the house in order.
func TestThisModule(t *testing.T) {
	packages, err := Load(t.Context(), filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 5 || !slices.ContainsFunc(packages, func(p Package) bool { return p.Folder == "subconscious" }) {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for _, v := range Check(Rules(), packages) {
		t.Error(v)
	}
}

// sample returns a folder that the pattern matches.
func sample(pattern string) string {
	return strings.ReplaceAll(strings.ReplaceAll(pattern, "...", "sample"), "*", "sample")
}

// TestEachRuleCanFail gives every rule of the table an import that no rule
// allows, one of each kind that it does, and its own siblings.
func TestEachRuleCanFail(t *testing.T) {
	for _, rule := range Rules() {
		if len(rule.Reason) < 20 {
			t.Errorf("the rule for %q has no reason", rule.Packages)
		}
		for _, pattern := range rule.Packages {
			folder := sample(pattern)
			if found, _ := ruleOf(Rules(), folder); found.Reason != rule.Reason {
				t.Errorf("%s matches the rule of %q before its own", folder, found.Packages)
			}
			broken := Package{Folder: folder, Name: "sample", Imports: []string{Module + "/cmd/subconsciousctl"}, TestImports: []string{Module + "/cmd/subconsciousctl"}}
			if strings.HasPrefix(folder, "cmd/subconsciousctl") {
				broken.Imports, broken.TestImports = []string{Module + "/senses"}, []string{Module + "/senses"}
			}
			found := Check(Rules(), []Package{broken})
			if len(found) != 2 || found[0].Reason != rule.Reason || found[1].Reason != rule.Reason || !strings.HasPrefix(found[0].String(), folder+" imports") {
				t.Errorf("%s breaks its rule in code and in a test, and is reported as %v", folder, found)
			}
			good := Package{Folder: folder, Name: "sample"}
			for _, may := range rule.May {
				good.Imports = append(good.Imports, Module+"/"+sample(may))
			}
			for _, may := range slices.Concat(rule.May, rule.Tests, AnyTest()) {
				good.TestImports = append(good.TestImports, Module+"/"+sample(may))
			}
			if found := Check(Rules(), []Package{good}); len(found) > 0 {
				t.Errorf("%s keeps its rule, and is reported as %v", folder, found)
			}
			library := Package{Folder: folder, Name: "sample", Imports: []string{"example.org/library"}, TestImports: []string{"example.org/other"}}
			if found := Check(Rules(), []Package{library}); (len(found) == 1) != rule.StandardOnly || len(found) > 1 {
				t.Errorf("%s imports a library, and is reported as %v", folder, found)
			}
		}
	}
}

// TestPromises names what the table must forbid whatever else it says.
func TestPromises(t *testing.T) {
	for _, c := range []struct {
		folder, imported string
		test, allowed    bool
	}{
		{"senses/files", "senses/notes", false, false},
		{"setup/live", "senses/calendar/google", false, false},
		{"cmd/subconsciousctl", "senses/calendar/google", false, false},
		{"senses/files", "senses/notes", true, false},
		{"senses/files", "senses/sensetest", false, false},
		{"senses/files", "senses/sensetest", true, true},
		{"senses/files", "internal/watch", false, true},
		{"senses", "senses/files", false, false},
		{"senses", "threads", false, false},
		{"threads", "senses", false, false},
		{"threads", "memory", false, false},
		{"threads", "store", false, true},
		{"threads/reflex", "store", false, false},
		{"aggregator", "store", false, false},
		{"aggregator", "store", true, true},
		{"subconscious", "redact", false, false},
		{"redact", "subconscious", false, false},
		{"store", "subconscious", false, false},
		{"store/mind", "senses", false, false},
		{"api", "store", false, false},
		{"api", "api/apitest", false, false},
		{"api", "api/apitest", true, true},
		{"setup", "daemon", false, false},
		{"setup", "senses/files", false, true},
		{"setup", "senses/sensetest", false, false},
		{"daemon", "senses/files", false, true},
		{"daemon", "senses/sensetest", false, false},
		{"daemon", "internal/testutil", false, false},
		{"cmd/subconsciousctl", "daemon", false, false},
		{"cmd/subconsciousctl", "store/mind", false, false},
		{"cmd/subconsciousd", "aggregator", false, false},
		{"cmd/subconsciousd", "daemon", false, true},
		{"internal/watch", "senses", false, false},
		{"internal/dates", "subconscious", false, false},
	} {
		p := Package{Folder: c.folder, Name: "sample"}
		if c.test {
			p.TestImports = []string{Module + "/" + c.imported}
		} else {
			p.Imports = []string{Module + "/" + c.imported}
		}
		if found := Check(Rules(), []Package{p}); (len(found) == 0) != c.allowed {
			t.Errorf("%s imports %s (in a test: %t): %v", c.folder, c.imported, c.test, found)
		}
	}
}

// TestMadeUpModules loads small modules that break the house's rules, and
// compares what is found with the file "found" of each.
func TestMadeUpModules(t *testing.T) {
	testutil.Archives(t, *update, "testdata/*.txtar", 1, func(t *testing.T, _ string, archive *txtar.Archive) {
		packages, err := Load(t.Context(), extract(t, archive))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, v := range Check(Rules(), packages) {
			fmt.Fprintln(&got, v)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "found" })
		if i < 0 {
			t.Fatal("the archive has no file named found")
		}
		archive.Files[i].Data = []byte(got.String())
	})
}

// extract writes the module of an archive into a folder. A file of the name
// "lines N NAME" is one of N lines.
func extract(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range archive.Files {
		name, content := f.Name, f.Data
		var lines int
		var long string
		if n, _ := fmt.Sscanf(f.Name, "lines %d %s", &lines, &long); n == 2 {
			name = long
			content = append(slices.Clone(content), strings.Repeat("//\n", lines-strings.Count(string(content), "\n"))...)
		}
		target := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLoadReportsWhatItCannotRead(t *testing.T) {
	root := extract(t, &txtar.Archive{Files: []txtar.File{
		{Name: "go.mod", Data: []byte("module " + Module + "\n\ngo 1.26\n")},
		{Name: "redact/a.go", Data: []byte("package redact\n\nfunc {\n")},
	}})
	if _, err := Load(t.Context(), root); err == nil || !strings.Contains(err.Error(), "a.go:3") {
		t.Errorf("error %v, want the file and its line", err)
	}
	if _, err := Load(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder without a module is no error")
	}
	other := extract(t, &txtar.Archive{Files: []txtar.File{{Name: "go.mod", Data: []byte("module example.org/other\n")}, {Name: "a/a.go", Data: []byte("package a\n")}}})
	if _, err := Load(t.Context(), other); err == nil {
		t.Error("another module is no error")
	}
}
