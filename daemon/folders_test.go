package daemon_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// trusted checks whose word all is that an entry rests on, as why shows it.
func (w *world) trusted(when string, id subconscious.EntryID, want subconscious.Trust) {
	w.t.Helper()
	x, err := w.d.Why(context.Background(), id)
	if err != nil || len(x.Observations) == 0 {
		w.t.Fatalf("%s: %s, %v", when, asJSON(w.t, x), err)
	}
	for _, o := range x.Observations {
		if o.Observation.Trust != want {
			w.t.Errorf("%s: %q is the word of %s, want %s", when, o.Observation.Title, o.Observation.Trust, want)
		}
	}
}

// A folder that is configured as strangers' makes strangers' of what was known of
// it before, and back, whether it stands or only happened. Nothing is told anew
// for that.
func TestTrustConfiguredLater(t *testing.T) {
	w := newWorld(t)
	down := filepath.Join(w.notes, "down")
	if err := os.Mkdir(down, 0o700); err != nil {
		t.Fatal(err)
	}
	w.options.Config.Senses.Files[0].Trust = subconscious.Owner
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.notes, "own.md"), "- [ ] send the offer to the mason by Friday\n")
	testutil.Write(t, filepath.Join(down, "theirs.md"), "- [ ] send the keys to the stranger by Friday\n")
	testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
	w.tick()
	ids := map[string]subconscious.EntryID{}
	for _, text := range []string{"mason", "stranger", "authorized_keys"} {
		entry, ok := w.entry(text)
		if !ok {
			t.Fatalf("nothing is known of %q: %s", text, w.summaries())
		}
		ids[text] = entry.ID
	}
	check := func(when string, keys, theirs subconscious.Trust) {
		t.Helper()
		w.trusted(when, ids["mason"], subconscious.Owner)
		w.trusted(when, ids["stranger"], theirs)
		w.trusted(when, ids["authorized_keys"], keys)
	}
	check("at first", subconscious.Owner, subconscious.Owner)
	configured := w.options.Config.Senses.Files
	for _, step := range []struct {
		name         string
		keys, theirs subconscious.Trust
	}{
		{"strangers'", subconscious.Outsider, subconscious.Outsider}, {"the owner's again", subconscious.Owner, subconscious.Owner},
	} {
		w.options.Config.Senses.Files = append([]files.Config{}, configured...)
		w.options.Config.Senses.Files[0].Trust = step.keys
		if step.theirs != subconscious.Owner {
			w.options.Config.Senses.Files = append(w.options.Config.Senses.Files, files.Config{ID: "down", Path: down, Trust: step.theirs})
		}
		w.restart()
		for range 3 {
			for _, sense := range w.tick().Senses {
				if sense.Changes > 0 {
					t.Errorf("%s: %s %s told %d changes", step.name, sense.Kind, sense.ID, sense.Changes)
				}
			}
			check(step.name, step.keys, step.theirs)
		}
	}
}
