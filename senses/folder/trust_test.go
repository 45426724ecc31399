package folder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What strangers put into a folder of theirs is theirs within the person's, and
// nothing becomes more than its folder's.
func TestTrustWithin(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "notes", "down", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "notes"), link); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, c := range map[string]struct {
		root   folder.Place
		others []folder.Place
		file   string
		want   subconscious.Trust
	}{
		"alone":          {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, nil, "down/a.md", subconscious.Owner},
		"within":         {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes/down"), Trust: subconscious.Outsider}}, "down/deep/a.md", subconscious.Outsider},
		"beside":         {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes/down"), Trust: subconscious.Outsider}}, "downs/a.md", subconscious.Owner},
		"over a link":    {folder.Place{Path: link, Trust: subconscious.Owner}, []folder.Place{{Path: at("notes/down"), Trust: subconscious.Agent}}, "down/a.md", subconscious.Agent},
		"the same":       {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes"), Trust: subconscious.Outsider}}, "a.md", subconscious.Owner},
		"around":         {folder.Place{Path: at("notes/down"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes"), Trust: subconscious.Outsider}}, "a.md", subconscious.Owner},
		"trusted more":   {folder.Place{Path: at("notes"), Trust: subconscious.Outsider}, []folder.Place{{Path: at("notes/down"), Trust: subconscious.Owner}}, "down/a.md", subconscious.Outsider},
		"not there yet":  {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes/new"), Trust: subconscious.Outsider}}, "new/a.md", subconscious.Outsider},
		"least of two":   {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes/down/deep"), Trust: subconscious.Agent}, {Path: at("notes/down"), Trust: subconscious.Outsider}}, "down/deep/a.md", subconscious.Outsider},
		"unknown is low": {folder.Place{Path: at("notes"), Trust: subconscious.Owner}, []folder.Place{{Path: at("notes/down"), Trust: "?"}}, "down/a.md", "?"},
	} {
		if got := folder.TrustWithin(c.root, c.others).Of(c.file); got != c.want {
			t.Errorf("%s: it is %q, want %q", name, got, c.want)
		}
	}
}
