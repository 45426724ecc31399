package files

import (
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What was told of files before is stamped anew, once, when the configuration
// says otherwise whose word it is; nothing is told again for that. A
// cursor of the first version has no sum.
func TestTrustConfiguredAnew(t *testing.T) {
	w := newWorld(t, false)
	w.config.Trust = subconscious.Owner
	w.start()
	collect := func() senses.Batch {
		batch := w.collect()
		w.kept.Keep(batch)
		return batch
	}
	collect()
	w.write("down/theirs.txt", "x")
	told := collect()
	if len(told.Changes) != 1 || told.Changes[0].Trust != subconscious.Owner {
		t.Fatalf("told %+v", told.Changes)
	}
	within := []folder.Place{{Path: filepath.Join(w.root, "down"), Trust: subconscious.Outsider}}
	for _, step := range []struct {
		name   string
		within []folder.Place
		first  bool // the cursor is of the first version
		want   subconscious.Trust
	}{
		{"as it was", nil, false, ""},
		{"a folder within", within, false, subconscious.Outsider},
		{"the same again", within, false, ""},
		{"of the first version", within, true, subconscious.Outsider},
		{"no folder within", nil, false, subconscious.Owner},
	} {
		if step.first {
			w.kept.Cursor = append([]byte{1}, w.kept.Cursor[1:41]...)
		}
		w.options.Within = step.within
		w.restart()
		batch := collect()
		if len(batch.Changes)+len(batch.Rows) > 0 {
			t.Errorf("%s: told %d changes, %d rows", step.name, len(batch.Changes), len(batch.Rows))
		}
		if (batch.Restamp != nil) != (step.want != "") {
			t.Fatalf("%s: it asks for stamps: %t", step.name, batch.Restamp != nil)
		}
		if step.want != "" && batch.Restamp(told.Changes[0]) != step.want {
			t.Errorf("%s: it is %s, want %s", step.name, batch.Restamp(told.Changes[0]), step.want)
		}
		if again := collect(); again.Restamp != nil || again.Cursor != nil {
			t.Errorf("%s: it asks again", step.name)
		}
	}
}
