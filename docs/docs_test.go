// Package docs tests what the documents say: that the paths they link to and
// the commands they name exist.
package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var (
	link    = regexp.MustCompile(`\]\(([^)#\s]+)\)`)
	command = regexp.MustCompile("(?m)(?:^|`)subconsciousctl ([a-z]+)")
	flagged = regexp.MustCompile("`(--[a-z-]+)")
	target  = regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)")
)

// pages returns every document with its text, by its path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, root := range []string{"../README.md", "../CHANGELOG.md", "."} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			data, err := os.ReadFile(path)
			found[path] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 5 {
		t.Fatalf("only %d documents found", len(found))
	}
	return found
}

func TestLinkedPathsExist(t *testing.T) {
	for page, text := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), match[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			}
		}
	}
}

func TestNamedCommandsExist(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "subconsciousctl")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/subconsciousctl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tested := 0
	for page, text := range pages(t) {
		for _, match := range command.FindAllStringSubmatch(text, -1) {
			tested++
			if out, err := exec.Command(binary, match[1], "--help").CombinedOutput(); err != nil || !strings.Contains(string(out), "subconsciousctl "+match[1]) {
				t.Errorf("%s names `subconsciousctl %s`: %v\n%s", page, match[1], err, out)
			}
		}
	}
	if tested == 0 {
		t.Error("no commands found in the documents")
	}
}

func TestNamedTargetsAndFlagsExist(t *testing.T) {
	makefile := testutil.Read(t, "../Makefile")
	sources := ""
	for _, folder := range []string{"../cmd/subconsciousd", "../cmd/subconsciousctl", "../eval/*"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data := testutil.Read(t, file)
			sources += string(data)
		}
	}
	for page, text := range pages(t) {
		for _, match := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+match[1]+":") {
				t.Errorf("%s names `make %s`, which the Makefile does not have", page, match[1])
			}
		}
		for _, match := range flagged.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(sources, `"`+strings.TrimPrefix(match[1], "--")+`"`) && !strings.Contains(sources, match[1]) {
				t.Errorf("%s names the flag %s, which neither command has", page, match[1])
			}
		}
	}
}
