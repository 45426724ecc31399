package folder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// What a probe finds is what a sense would follow: bounded, without links, and
// with what cannot be read named.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "b.txt", "sub/c.md", "sub/deep/er/d.md", "left/e.md", "shut/f.md"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(filepath.Join(dir, "sub"), filepath.Join(dir, "link")), os.Chmod(filepath.Join(dir, "shut"), 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "shut"), 0o700) })
	shut, inShut := filepath.Join(dir, "shut"), 0
	if _, err := os.ReadDir(shut); err == nil { // root may read it all
		shut, inShut = "", 1
	}
	skip := func(rel string, dir bool) bool { return rel == "left" || !dir && !strings.HasSuffix(rel, ".md") }
	bounds := folder.Bounds{Files: 10, Listed: 100, Depth: 1, Path: 100}
	for name, c := range map[string]struct {
		bounds folder.Bounds
		want   folder.Probe
	}{
		"all":      {bounds, folder.Probe{Files: 2 + inShut, Folders: 4, Most: 10, Closed: shut}},
		"shorter":  {folder.Bounds{Files: 10, Listed: 100, Depth: 1, Path: 6}, folder.Probe{Files: 1, Folders: 3, Most: 10, Closed: shut}},
		"too many": {folder.Bounds{Files: 10, Listed: 3, Depth: 1, Path: 100}, folder.Probe{Files: 1, Folders: 1, Most: 10, More: true}},
	} {
		c.want.Path = dir
		w := folder.Walk{Bounds: c.bounds, Skip: skip}
		if got, err := w.Probe(t.Context(), dir); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	for name, want := range map[string]string{"none": "is not there; create it", "a.md": "is not a folder; correct"} {
		w := folder.Walk{Bounds: bounds, Skip: skip}
		_, err := w.Probe(t.Context(), filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, fs.ErrNotExist) != (name == "none") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nothing is found or opened by way of a symlink, wherever it leads.
func TestDiskFollowsNoSymlink(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o700), os.WriteFile(filepath.Join(dir, "a/n.md"), nil, 0o600),
		os.Symlink("a", filepath.Join(dir, "link")), os.Symlink("a/n.md", filepath.Join(dir, "n.md"))); err != nil {
		t.Fatal(err)
	}
	disk, err := folder.OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	for rel, found := range map[string]bool{".": true, "a": true, "a/n.md": true, "a/n.md/x": false, "none/n.md": false, "link": false, "link/n.md": false, "n.md": false} {
		if _, err := disk.Find(rel); (err == nil) != found || !found && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", rel, err)
		}
	}
	if f, _, err := disk.File("a/n.md"); err != nil || f.Close() != nil {
		t.Errorf("a/n.md: %v", err)
	}
	if _, _, err := disk.File("link/n.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("link/n.md: %v", err)
	}
}
