package notes_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// world is a folder of notes, a sense over it, and what was committed.
type world struct {
	t      testing.TB
	dir    string
	config notes.Config
	sense  *notes.Sense
	sensetest.Kept
	// standing are the promises that stand, by scope.
	standing map[string][]subconscious.Observation
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), standing: map[string][]subconscious.Observation{}}
	w.config = notes.Config{ID: "notes", Path: w.dir}
	w.restart()
	return w
}

// restart opens the sense afresh over what was committed.
func (w *world) restart() {
	w.t.Helper()
	s, err := notes.New(w.config, notes.Options{Rows: w})
	if err != nil {
		w.t.Fatalf("open the sense: %v", err)
	}
	w.sense = s
}

func (w *world) write(name, text string) {
	w.t.Helper()
	full := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full+".tmp", []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(full+".tmp", full); err != nil {
		w.t.Fatal(err)
	}
}

// writeAt writes a note that was last changed at that time.
func (w *world) writeAt(name, text string, at time.Time) {
	w.t.Helper()
	w.write(name, text)
	if err := os.Chtimes(filepath.Join(w.dir, name), at, at); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) rename(from, to string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, to)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to)); err != nil {
		w.t.Fatal(err)
	}
}

// collect collects without committing.
func (w *world) collect(at time.Time) senses.Batch {
	w.t.Helper()
	batch, err := w.sense.Collect(context.Background(), at, w.Cursor)
	if err != nil {
		w.t.Fatalf("Collect: %v", err)
	}
	return batch
}

// commit keeps what a batch brought.
func (w *world) commit(batch senses.Batch) {
	for _, set := range batch.Sets {
		w.standing[set.Scope] = set.Items
	}
	w.Keep(batch)
}

// tick is one; it returns the momentary changes.
func (w *world) tick(at time.Time) []subconscious.Observation {
	w.t.Helper()
	batch := w.collect(at)
	w.commit(batch)
	return batch.Changes
}

// promises returns what stands, by title.
func (w *world) promises() map[string]subconscious.Observation {
	all := map[string]subconscious.Observation{}
	for _, items := range w.standing {
		for _, o := range items {
			all[o.Title] = o
		}
	}
	return all
}

func berlin(t testing.TB) *time.Location { return testutil.Zone(t, "Europe/Berlin") }
