package setup_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/setup"
)

var update = flag.Bool("update", false, "write what is wanted")

const badCases = "testdata/bad/*.txtar"

// fileOf returns a file of an archive.
func fileOf(archive *txtar.Archive, name string) (content string, ok bool) {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// badConfigs are the configurations of all cases.
func badConfigs(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(badCases)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases at %s: %v", badCases, err)
	}
	var configs []string
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content, _ := fileOf(archive, "config.yaml")
		configs = append(configs, content)
	}
	return configs
}

// TestBad holds each malformed configuration against all that is said of it.
func TestBad(t *testing.T) {
	testutil.Archives(t, *update, badCases, 30, func(t *testing.T, _ string, archive *txtar.Archive) {
		content, ok := fileOf(archive, "config.yaml")
		if !ok {
			t.Fatal("no config.yaml")
		}
		archive.Files = []txtar.File{{Name: "config.yaml", Data: []byte(content)}, {Name: "want", Data: []byte(said(t, content))}}
	})
}

// said returns what is said of a configuration, the folder left out. Each
// error must name a line and a fix.
func said(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	testutil.Write(t, path, content)
	_, err := setup.Load(path, env("HOME", "/home/sample"))
	if err == nil {
		t.Fatal("it loads")
	}
	all, ok := err.(setup.Errors)
	if !ok || len(all) == 0 {
		t.Fatalf("error is %T", err)
	}
	for _, e := range all {
		if e.Line == 0 || e.Fix == "" || e.Problem == "" {
			t.Errorf("names no line or no fix: %v", e)
		}
	}
	return strings.ReplaceAll(err.Error(), dir+"/", "") + "\n"
}
