package sensetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/watch"
)

// patience is how long a test waits for what should come soon.
const patience = 20 * time.Second

// Fence tells when a watcher has told of all that was done so far in a folder: it
// tells in order, so that a mark left now is told last.
type Fence struct {
	dir   string
	sub   *watch.Subscription
	marks int
}

// NewFence starts a watcher, and a fence of the folder on it.
func NewFence(t testing.TB, dir string) (*watch.Watcher, *Fence) {
	t.Helper()
	watcher, err := watch.New(watch.Options{})
	watcher = testutil.Opened(t, watcher, err)
	sub, err := watcher.Subscribe(dir, watch.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return watcher, &Fence{dir: dir, sub: sub}
}

// Await returns when the watcher has told of all that was done so far. Its marks
// are files that end in .tmp, and are gone when it returns.
func (f *Fence) Await(t testutil.T) {
	t.Helper()
	f.marks++
	mark := filepath.Join(f.dir, fmt.Sprintf("mark-%d.tmp", f.marks))
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return // the folder is gone, and there is nothing to be told
	}
	n := 0
	testutil.Until(t, "the watcher tells of "+mark, func() bool {
		touched, rescan, _ := f.sub.Drain()
		if n++; rescan { // until all is watched the mark may have come too early to be seen
			if err := os.WriteFile(mark, []byte(strings.Repeat("x", n)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return slices.Contains(touched, mark) && !rescan
	})
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
}
