package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// patience is how long a test waits for what should come soon.
const patience = 20 * time.Second

// TestConformance runs the suite with a watcher and without one.
func TestConformance(t *testing.T) {
	sensetest.RunFolder(t, func(dir string, watcher *watch.Watcher) sensetest.Harness {
		versions := 0
		write := func(t testing.TB, n int) {
			versions++
			file := filepath.Join(dir, fmt.Sprintf("%d.md", n))
			due := time.Date(2030, 1, versions, 0, 0, 0, 0, time.UTC)
			text := fmt.Sprintf("---\ntitle: Thing %d\ndue: %s\n---\n", n, due.Format(time.DateOnly))
			testutil.Write(t, file+".tmp", text)
			if err := os.Rename(file+".tmp", file); err != nil {
				t.Fatal(err)
			}
		}
		return sensetest.Harness{
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
		}
	})
}
