package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// patience is how long a test waits for what should come soon.
const patience = 20 * time.Second

// fence tells when a watcher has told of all that was done so far: it tells in
// order, so that a mark left now is told last.
type fence struct {
	dir   string
	sub   *watch.Subscription
	marks int
}

func newFence(t testing.TB, dir string) (*watch.Watcher, *fence) {
	t.Helper()
	watcher, err := watch.New(watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := watcher.Close(); err != nil {
			t.Errorf("close the watcher: %v", err)
		}
	})
	sub, err := watcher.Subscribe(dir, watch.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return watcher, &fence{dir: dir, sub: sub}
}

func (f *fence) await(t testing.TB) {
	t.Helper()
	f.marks++
	mark := filepath.Join(f.dir, fmt.Sprintf("mark-%d.tmp", f.marks))
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return // the folder is gone, and there is nothing to be told
	}
	deadline := time.After(patience)
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for {
		touched, rescan, _ := f.sub.Drain()
		if slices.Contains(touched, mark) && !rescan {
			break
		}
		// Until all is watched the mark may have come too early to be seen.
		if rescan {
			if err := os.WriteFile(mark, []byte(time.Now().String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("the watcher did not tell of %s", mark)
		}
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
}

// TestConformance runs the suite with a watcher and without one.
func TestConformance(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(map[bool]string{true: "watching", false: "listing"}[watched], func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "notes")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			var watcher *watch.Watcher
			var await func(testing.TB, senses.Sense)
			if watched {
				w, f := newFence(t, dir)
				watcher, await = w, func(t testing.TB, _ senses.Sense) { f.await(t) }
			}
			versions := 0
			write := func(t testing.TB, n int) {
				versions++
				file := filepath.Join(dir, fmt.Sprintf("%d.md", n))
				due := time.Date(2030, 1, versions, 0, 0, 0, 0, time.UTC)
				text := fmt.Sprintf("---\ntitle: Thing %d\ndue: %s\n---\n", n, due.Format(time.DateOnly))
				if err := os.WriteFile(file+".tmp", []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(file+".tmp", file); err != nil {
					t.Fatal(err)
				}
			}
			sensetest.Run(t, sensetest.Harness{
				OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
					s, err := notes.New(notes.Config{ID: "notes", Path: dir}, notes.Options{Watcher: watcher, Rows: rows})
					if err != nil {
						t.Fatal(err)
					}
					return s
				},
				Add:    write,
				Change: write,
				Remove: func(t testing.TB, n int) {
					if err := os.Remove(filepath.Join(dir, fmt.Sprintf("%d.md", n))); err != nil {
						t.Fatal(err)
					}
				},
				Await: await,
				Break: func(t testing.TB) { rename(t, dir, dir+".away") },
				Mend:  func(t testing.TB) { rename(t, dir+".away", dir) },
			})
		})
	}
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
