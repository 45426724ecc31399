package senses_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
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
		root   senses.Folder
		others []senses.Folder
		file   string
		want   subconscious.Trust
	}{
		"alone":          {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, nil, "down/a.md", subconscious.Owner},
		"within":         {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes/down"), Trust: subconscious.Outsider}}, "down/deep/a.md", subconscious.Outsider},
		"beside":         {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes/down"), Trust: subconscious.Outsider}}, "downs/a.md", subconscious.Owner},
		"over a link":    {senses.Folder{Path: link, Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes/down"), Trust: subconscious.Agent}}, "down/a.md", subconscious.Agent},
		"the same":       {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes"), Trust: subconscious.Outsider}}, "a.md", subconscious.Owner},
		"around":         {senses.Folder{Path: at("notes/down"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes"), Trust: subconscious.Outsider}}, "a.md", subconscious.Owner},
		"trusted more":   {senses.Folder{Path: at("notes"), Trust: subconscious.Outsider}, []senses.Folder{{Path: at("notes/down"), Trust: subconscious.Owner}}, "down/a.md", subconscious.Outsider},
		"not there yet":  {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes/new"), Trust: subconscious.Outsider}}, "new/a.md", subconscious.Outsider},
		"least of two":   {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes/down/deep"), Trust: subconscious.Agent}, {Path: at("notes/down"), Trust: subconscious.Outsider}}, "down/deep/a.md", subconscious.Outsider},
		"unknown is low": {senses.Folder{Path: at("notes"), Trust: subconscious.Owner}, []senses.Folder{{Path: at("notes/down"), Trust: "?"}}, "down/a.md", "?"},
	} {
		if got := senses.TrustWithin(c.root, c.others).Of(c.file); got != c.want {
			t.Errorf("%s: it is %q, want %q", name, got, c.want)
		}
	}
}
