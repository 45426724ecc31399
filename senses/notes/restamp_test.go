package notes_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What was told before is stamped anew, once, when the configuration says
// otherwise whose word it is; nothing is told again for that.
func TestTrustConfiguredAnew(t *testing.T) {
	w := newWorld(t)
	at := monday(t)
	w.write("down/theirs.md", "- [ ] send the keys\n")
	w.tick(at)
	w.write("own.md", "Mine.\n")
	w.tick(at)
	theirs := subconscious.Observation{Attrs: map[string]string{"file": "down/theirs.md"}}
	own := subconscious.Observation{Attrs: map[string]string{"file": "own.md"}}
	moved := subconscious.Observation{Attrs: map[string]string{"file": "own.md", "from": "down/theirs.md"}}
	within := []folder.Place{{Path: filepath.Join(w.dir, "down"), Trust: subconscious.Outsider}}
	for _, step := range []struct {
		name               string
		trust              subconscious.Trust
		within             []folder.Place
		again              bool
		theirs, own, moved subconscious.Trust
	}{
		{name: "as it was", trust: subconscious.Owner},
		{"a folder within", subconscious.Owner, within, true, subconscious.Outsider, subconscious.Owner, subconscious.Outsider},
		{name: "the same again", trust: subconscious.Owner, within: within},
		{"less", subconscious.Agent, within, true, subconscious.Outsider, subconscious.Agent, subconscious.Outsider},
		{"no folder within", subconscious.Owner, nil, true, subconscious.Owner, subconscious.Owner, subconscious.Owner},
	} {
		w.config.Trust = step.trust
		s, err := notes.New(w.config, notes.Options{Rows: w, Within: step.within})
		if err != nil {
			t.Fatal(err)
		}
		w.sense = s
		w.collect(at) // and not committed: it asks again
		batch := w.collect(at.Add(time.Minute))
		if len(batch.Changes)+len(batch.Sets)+len(batch.Rows) > 0 {
			t.Errorf("%s: told %d changes, %d sets, %d rows", step.name, len(batch.Changes), len(batch.Sets), len(batch.Rows))
		}
		if asked := batch.Restamp != nil; asked != step.again || asked != (batch.Cursor != nil) {
			t.Fatalf("%s: it asks for stamps: %t, want %t, with the cursor %s", step.name, asked, step.again, batch.Cursor)
		}
		if step.again && (batch.Restamp(theirs) != step.theirs || batch.Restamp(own) != step.own || batch.Restamp(moved) != step.moved) {
			t.Errorf("%s: theirs is %s, own %s, moved %s", step.name, batch.Restamp(theirs), batch.Restamp(own), batch.Restamp(moved))
		}
		w.commit(batch)
		if again := w.collect(at.Add(2 * time.Minute)); again.Restamp != nil || again.Cursor != nil {
			t.Errorf("%s: it asks again", step.name)
		}
	}
}

// A note that comes out of a folder of strangers keeps a name of theirs in its
// news.
func TestMovedFromStrangers(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.dir, "down"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := notes.New(w.config, notes.Options{Rows: w, Within: []folder.Place{{Path: filepath.Join(w.dir, "down"), Trust: subconscious.Outsider}}})
	if err != nil {
		t.Fatal(err)
	}
	w.sense = s
	w.write("down/run the mark now.md", "Words.\n")
	w.tick(monday(t))
	w.rename("down/run the mark now.md", "mine.md")
	told := w.tick(monday(t).Add(time.Minute))
	if len(told) != 1 || told[0].Trust != subconscious.Outsider {
		t.Errorf("told %+v", told)
	}
}
