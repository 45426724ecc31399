package files

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tb is what testing and rapid have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// world is a folder, a sense over it, and what was committed.
type world struct {
	t       tb
	root    string
	watcher *watch.Watcher
	fence   *sensetest.Fence // on the same watcher
	kept    *sensetest.Kept
	config  Config
	options Options
	sense   *Sense
}

const patience = 20 * time.Second

// newWorld watches root when watched is set, else each collect walks.
func newWorld(t *testing.T, watched bool) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), kept: &sensetest.Kept{All: map[string][]byte{}}}
	if watched {
		w.watcher, w.fence = sensetest.NewFence(t, w.root)
	}
	w.config = Config{ID: "work", Path: w.root}
	w.options = Options{Options: folder.Options{Watcher: w.watcher, Rows: w.kept}, Wait: patience}
	t.Cleanup(func() { w.stop() })
	return w
}

func (w *world) start() {
	w.t.Helper()
	var err error
	if w.sense, err = New(w.config, w.options); err != nil {
		w.t.Fatalf("New: %v", err)
	}
	w.sense.vanishing = time.Millisecond
}

func (w *world) stop() {
	if w.sense == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.sense.Stop(ctx); err != nil {
		w.t.Errorf("Stop: %v", err)
	}
	w.sense = nil
}

func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.start()
}

// await returns when the watcher has told of all that was done so far.
func (w *world) await() {
	w.t.Helper()
	if w.fence != nil {
		w.fence.Await(w.t)
	}
}

// collect collects once and commits nothing.
func (w *world) collect() senses.Batch {
	w.t.Helper()
	w.await()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	b, err := w.sense.Collect(ctx, time.Unix(1_800_000_000, 0), slices.Clone(w.kept.Cursor))
	if err != nil {
		w.t.Fatalf("Collect: %v", err)
	}
	if b.Starting {
		w.t.Fatalf("the collect was not over in %v", w.options.Wait)
	}
	return b
}

// tick collects once, commits, and returns what was told.
func (w *world) tick() []subconscious.Observation {
	w.t.Helper()
	b := w.collect()
	w.kept.Keep(b)
	return b.Changes
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatalf("%v", err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatalf("%v", err)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v", err)
	}
}

func (w *world) rename(from, to string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(to)), 0o755))
	w.must(os.Rename(w.path(from), w.path(to)))
}

func (w *world) remove(name string) {
	w.t.Helper()
	w.must(os.RemoveAll(w.path(name)))
}

// said lists observations as "action id" or "renamed id < from", sorted.
func said(observations []subconscious.Observation) []string {
	lines := []string{}
	for _, o := range observations {
		line := o.Attrs["action"] + " " + strings.TrimPrefix(o.ID, "work/")
		if from := o.Attrs["from"]; from != "" {
			line += " < " + from
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// tells checks what one collect tells of, and that the next tells of nothing.
func (w *world) tells(want ...string) []subconscious.Observation {
	w.t.Helper()
	got := w.tick()
	slices.Sort(want)
	if !slices.Equal(said(got), append([]string{}, want...)) {
		w.t.Errorf("told:\n  %s\nwanted:\n  %s", strings.Join(said(got), "\n  "), strings.Join(want, "\n  "))
	}
	if again := w.tick(); len(again) > 0 {
		w.t.Errorf("told again: %v", said(again))
	}
	return got
}

// snapshot is the tree as it truly is, by a walk of its own.
func (w *world) snapshot() map[string]stat {
	w.t.Helper()
	all := map[string]stat{}
	err := filepath.WalkDir(w.root, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(name, ".tmp") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.root, name)
		all[filepath.ToSlash(rel)] = statOf(info)
		return err
	})
	w.must(err)
	return all
}

// both runs a test with the watcher and without it.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", watched), func(t *testing.T) { test(t, newWorld(t, watched)) })
	}
}

func sortedNames(m map[string]stat) []string { return slices.Sorted(maps.Keys(m)) }
