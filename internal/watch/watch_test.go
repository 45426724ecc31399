package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 10 * time.Second

func start1(t *testing.T, options Options) *Watcher {
	t.Helper()
	w, err := New(options)
	return testutil.Opened(t, w, err)
}

func subscribe(t *testing.T, w *Watcher, root string, options SubscribeOptions) *Subscription {
	t.Helper()
	s, err := w.Subscribe(root, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// until drains, about once in some milliseconds or when told, until done says
// so, and fails after a while.
func until(t *testing.T, s *Subscription, what string, done func(dirty []string, rescan bool, degraded string) bool) {
	t.Helper()
	deadline := time.After(patience)
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for {
		dirty, rescan, degraded := s.Drain()
		if done(dirty, rescan, degraded) {
			return
		}
		select {
		case <-s.Changed():
		case <-poll.C:
		case <-deadline:
			t.Fatalf("%s: did not happen; last: %v rescan=%v degraded=%q", what, dirty, rescan, degraded)
		}
	}
}

func ready(t *testing.T, s *Subscription) {
	t.Helper()
	until(t, s, "set-up", func(_ []string, rescan bool, degraded string) bool { return !rescan && degraded == "" })
}

// touched waits until all of the paths were reported.
func touched(t *testing.T, s *Subscription, paths ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, p := range paths {
		missing[p] = true
	}
	until(t, s, "touched", func(dirty []string, rescan bool, _ string) bool {
		if rescan {
			t.Fatal("rescan instead of paths")
		}
		if !slices.IsSorted(dirty) || len(slices.Compact(slices.Clone(dirty))) != len(dirty) {
			t.Fatalf("not sorted, or not each once: %v", dirty)
		}
		for _, p := range dirty {
			delete(missing, p)
		}
		return len(missing) == 0
	})
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTouches: what is touched is told of, also where all is looked at anyway, and
// being set up is not.
func TestTouches(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "sub/a.txt"), "1")
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{Recursive: true, Ignore: func(path string, _ bool) bool { return filepath.Ext(path) == ".tmp" }})
	for settled := time.After(5 * settle); ; { // once set up it is as silent as before
		select {
		case <-s.Touches():
			t.Fatal("the set-up counts as touching")
		case <-s.Changed():
			continue
		case <-settled:
		}
		break
	}
	for _, name := range []string{"sub/b.tmp", "sub/a.txt"} {
		write(t, filepath.Join(root, name), "2")
		select {
		case <-s.Touches():
			if name != "sub/a.txt" {
				t.Error("what is ignored counts")
			}
		case <-time.After(3 * settle):
			if name == "sub/a.txt" {
				t.Error("a file that was saved is not told of")
			}
		}
	}
}

func TestTouchedPaths(t *testing.T) {
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, name) }
	write(t, in("a.txt"), "1")
	write(t, in("sub/deep/b.txt"), "1")
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{Recursive: true})
	ready(t, s)

	write(t, in("a.txt"), "2")
	write(t, in("sub/deep/b.txt"), "2")
	touched(t, s, in("a.txt"), in("sub/deep/b.txt"))

	write(t, in("new/inner/c.txt"), "1") // a folder that was not there
	touched(t, s, in("new"), in("new/inner"), in("new/inner/c.txt"))
	write(t, in("new/inner/c.txt"), "2")
	touched(t, s, in("new/inner/c.txt"))

	must(t, os.Rename(in("sub"), in("moved")))
	touched(t, s, in("sub"), in("moved"), in("moved/deep/b.txt"))
	write(t, in("moved/deep/b.txt"), "3")
	touched(t, s, in("moved/deep/b.txt"))

	must(t, os.RemoveAll(in("moved")))
	touched(t, s, in("moved"))
	write(t, in("moved/deep/b.txt"), "4")
	touched(t, s, in("moved/deep/b.txt"))
}

func TestFolderMovedAwayIsForgotten(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "sub/deep/a.txt"), "1")
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{Recursive: true})
	ready(t, s)
	must(t, os.Rename(filepath.Join(root, "sub"), filepath.Join(outside, "sub")))
	touched(t, s, filepath.Join(root, "sub"))
	write(t, filepath.Join(outside, "sub/deep/a.txt"), "2")
	write(t, filepath.Join(root, "marker"), "1")
	until(t, s, "marker", func(dirty []string, _ bool, _ string) bool {
		for _, p := range dirty {
			if strings.Contains(p, "deep") {
				t.Fatalf("heard of a folder that is elsewhere: %s", p)
			}
		}
		return slices.Contains(dirty, filepath.Join(root, "marker"))
	})
}

func TestIgnoredAndSymlinks(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	in := func(name string) string { return filepath.Join(root, name) }
	write(t, in("skip/a.txt"), "1")
	must(t, os.Symlink(outside, in("link")))
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{
		Recursive: true,
		Ignore:    func(path string, dir bool) bool { return dir && filepath.Base(path) == "skip" },
	})
	ready(t, s)
	write(t, in("skip/a.txt"), "2")
	write(t, filepath.Join(outside, "b.txt"), "1")
	write(t, in("marker"), "1")
	until(t, s, "marker", func(dirty []string, _ bool, _ string) bool {
		for _, p := range dirty {
			if p != in("marker") {
				t.Fatalf("unexpected %s", p)
			}
		}
		return len(dirty) > 0
	})
}

func TestFlatSubscription(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "sub/a.txt"), "1")
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{})
	ready(t, s)
	write(t, filepath.Join(root, "sub/a.txt"), "2")
	write(t, filepath.Join(root, "b.txt"), "2")
	until(t, s, "b.txt", func(dirty []string, _ bool, _ string) bool {
		if slices.Contains(dirty, filepath.Join(root, "sub/a.txt")) {
			t.Fatal("heard from below")
		}
		return slices.Contains(dirty, filepath.Join(root, "b.txt"))
	})
}

func TestSharedFolders(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "notes/a.md"), "1")
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(root, link))
	w := start1(t, Options{})
	all := subscribe(t, w, root, SubscribeOptions{Recursive: true})
	notes := subscribe(t, w, filepath.Join(root, "notes"), SubscribeOptions{Recursive: true})
	linked := subscribe(t, w, link, SubscribeOptions{Recursive: true})
	for _, s := range []*Subscription{all, notes, linked} {
		ready(t, s)
	}
	write(t, filepath.Join(root, "notes/a.md"), "2")
	touched(t, all, filepath.Join(root, "notes/a.md"))
	touched(t, notes, filepath.Join(root, "notes/a.md"))
	touched(t, linked, filepath.Join(link, "notes/a.md"))
	all.Close()
	linked.Close()
	write(t, filepath.Join(root, "notes/a.md"), "3")
	touched(t, notes, filepath.Join(root, "notes/a.md"))
}

func TestRootGoesAndComesBack(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{Recursive: true})
	missing := func(_ []string, rescan bool, degraded string) bool {
		return rescan && strings.Contains(degraded, "not there")
	}
	until(t, s, "missing at first", missing)
	write(t, filepath.Join(root, "a.txt"), "1")
	ready(t, s)
	write(t, filepath.Join(root, "a.txt"), "2")
	touched(t, s, filepath.Join(root, "a.txt"))
	must(t, os.RemoveAll(root))
	until(t, s, "missing", missing)
	write(t, filepath.Join(root, "a.txt"), "3")
	ready(t, s)
	write(t, filepath.Join(root, "b.txt"), "3")
	touched(t, s, filepath.Join(root, "b.txt"))
	must(t, os.Rename(root, root+"-old")) // another folder takes its place
	must(t, os.Mkdir(root, 0o755))
	until(t, s, "rescan", func(_ []string, rescan bool, _ string) bool { return rescan })
	ready(t, s)
	write(t, filepath.Join(root, "c.txt"), "3")
	touched(t, s, filepath.Join(root, "c.txt"))
}

func TestTooMuchTouched(t *testing.T) {
	root := t.TempDir()
	s := subscribe(t, start1(t, Options{Touched: 10}), root, SubscribeOptions{Recursive: true})
	ready(t, s)
	for i := range 40 {
		write(t, filepath.Join(root, string(rune('a'+i))), "1")
	}
	until(t, s, "rescan", func(dirty []string, rescan bool, degraded string) bool {
		if len(dirty) > 10 || degraded != "" {
			t.Fatalf("%d touched, degraded %q", len(dirty), degraded)
		}
		return rescan
	})
	ready(t, s)
}

func TestLimitOfWatches(t *testing.T) {
	small, large := t.TempDir(), t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		write(t, filepath.Join(large, name, "file"), "1")
	}
	w := start1(t, Options{Limit: 6, Retry: time.Hour})
	first := subscribe(t, w, small, SubscribeOptions{Recursive: true})
	ready(t, first)
	second := subscribe(t, w, large, SubscribeOptions{Recursive: true})
	until(t, second, "degraded", func(_ []string, rescan bool, degraded string) bool {
		return rescan && strings.Contains(degraded, "6 file watches")
	})
	if _, rescan, _ := second.Drain(); !rescan {
		t.Error("a degraded subscription must look at everything each time")
	}
	write(t, filepath.Join(small, "x"), "1")
	touched(t, first, filepath.Join(small, "x"))
	first.Close() // makes room
	ready(t, second)
	write(t, filepath.Join(large, "e", "file"), "2")
	touched(t, second, filepath.Join(large, "e", "file"))
}

func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "shut/a.txt"), "1")
	must(t, os.Chmod(filepath.Join(root, "shut"), 0))
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{Recursive: true})
	ready(t, s)
	must(t, os.Chmod(filepath.Join(root, "shut"), 0o755))
	touched(t, s, filepath.Join(root, "shut/a.txt"))
}

func TestClosed(t *testing.T) {
	w, err := New(Options{})
	must(t, err)
	s := subscribe(t, w, t.TempDir(), SubscribeOptions{Recursive: true})
	must(t, w.Close())
	must(t, w.Close())
	s.Close()
	s.Refresh()
	if _, rescan, degraded := s.Drain(); !rescan || degraded == "" {
		t.Error("after Close nothing is watched, and Drain must say so")
	}
	if _, err := w.Subscribe(t.TempDir(), SubscribeOptions{}); err == nil {
		t.Error("a closed watcher takes no subscription")
	}
	if _, err := New(Options{Limit: -1}); err == nil {
		t.Error("a negative limit is an error")
	}
}

// TestPathTooLong digs so deep that the last folders have no name the system
// takes: they are left out, and the others are watched.
func TestPathTooLong(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "beside/a.txt"), "1")
	above, err := os.OpenRoot(root)
	must(t, err)
	name := strings.Repeat("n", 200)
	for range 25 {
		must(t, above.Mkdir(name, 0o755))
		below, err := above.OpenRoot(name)
		must(t, err)
		must(t, above.Close())
		above = below
	}
	must(t, above.Close())
	s := subscribe(t, start1(t, Options{}), root, SubscribeOptions{Recursive: true})
	ready(t, s)
	write(t, filepath.Join(root, "beside/b.txt"), "2")
	touched(t, s, filepath.Join(root, "beside/b.txt"))
}
