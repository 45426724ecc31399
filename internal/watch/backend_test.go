package watch

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// faulty is the system's watcher with faults put in.
type faulty struct {
	backend
	faults *faults
	failed chan error
}

type faults struct {
	mu        sync.Mutex
	open, add error
	opened    int
	last      *faulty
}

func (f *faults) openBackend() (backend, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != nil {
		return nil, f.open
	}
	b, err := openSystem()
	if err != nil {
		return nil, err
	}
	f.opened++
	f.last = &faulty{b, f, make(chan error)}
	return f.last, nil
}

func (f *faults) set(open, add error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open, f.add = open, add
}

func (f *faulty) errors() <-chan error { return f.failed }

func (f *faulty) Add(folder string) error {
	f.faults.mu.Lock()
	defer f.faults.mu.Unlock()
	if f.faults.add != nil {
		return fmt.Errorf("add: %w", f.faults.add)
	}
	return f.backend.Add(folder)
}

func startFaulty(t *testing.T, f *faults, options Options) *Watcher {
	t.Helper()
	w, err := start(options, f.openBackend)
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

func TestOverflow(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "sub/a.txt"), "1")
	f := &faults{}
	s := subscribe(t, startFaulty(t, f, Options{}), root, SubscribeOptions{Recursive: true})
	ready(t, s)
	f.last.failed <- fsnotify.ErrEventOverflow
	until(t, s, "rescan", func(_ []string, rescan bool, degraded string) bool {
		if degraded != "" {
			t.Fatalf("degraded: %s", degraded)
		}
		return rescan
	})
	ready(t, s)
	write(t, filepath.Join(root, "sub/a.txt"), "2")
	touched(t, s, filepath.Join(root, "sub/a.txt"))
	if f.opened != 2 {
		t.Errorf("opened %d times; lost events need a fresh watcher", f.opened)
	}
}

func TestOutOfWatches(t *testing.T) {
	for name, c := range map[string]struct {
		faults *faults
		remedy string
	}{
		"no space":             {&faults{add: syscall.ENOSPC}, watchesRemedy},
		"too many files":       {&faults{add: syscall.EMFILE}, watchesRemedy},
		"no watcher to be had": {&faults{open: syscall.EMFILE}, watchersRemedy},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := subscribe(t, startFaulty(t, c.faults, Options{Retry: 20 * time.Millisecond}), root, SubscribeOptions{Recursive: true})
			until(t, s, "degraded", func(_ []string, rescan bool, degraded string) bool {
				return rescan && strings.Contains(degraded, c.remedy)
			})
			c.faults.set(nil, nil)
			ready(t, s)
			write(t, filepath.Join(root, "a.txt"), "2")
			touched(t, s, filepath.Join(root, "a.txt"))
		})
	}
}

func TestWatchesAreGivenBack(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/b/c", "a/d", "e"} {
		write(t, filepath.Join(root, name, "file"), "1")
	}
	w := start1(t, Options{})
	count := func() (folders, cost int) {
		w.ask(func(l *loop) { folders, cost = len(l.folders), l.cost })
		return folders, cost
	}
	s := subscribe(t, w, root, SubscribeOptions{Recursive: true})
	ready(t, s)
	if folders, _ := count(); folders != 6 {
		t.Errorf("%d folders are watched, not 6", folders)
	}
	s.Refresh()
	ready(t, s)
	if folders, _ := count(); folders != 6 {
		t.Errorf("%d folders are watched after a refresh, not 6", folders)
	}
	s.Close()
	s.Close()
	if folders, cost := count(); folders != 0 || cost != 0 {
		t.Errorf("%d folders of cost %d are watched after Close", folders, cost)
	}
}

// A folder that was renamed may be met in a listing before the event of that.
func TestRenamedBeforeItsEvent(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"from", "to"} {
		must(t, os.Mkdir(filepath.Join(root, name), 0o755))
	}
	l := newLoop(Options{Logger: slog.New(slog.DiscardHandler), Limit: 100, Touched: 100}, openSystem)
	defer l.close()
	l.reopen()
	s := &Subscription{root: root, touched: map[string]struct{}{}, changed: make(chan struct{}, 1),
		options: SubscribeOptions{Recursive: true, Ignore: func(string, bool) bool { return false }}}
	l.subscribe(s)
	for len(l.queue) > 0 {
		l.workOff()
	}
	now := filepath.Join(root, "to/here")
	must(t, os.Rename(filepath.Join(root, "from"), now))
	l.enqueue(s, now, true)        // as found in a listing of "to"
	wait := 200 * time.Millisecond // until what the renaming caused is over
	for wrote := false; !has(s.touched, filepath.Join(now, "file")); {
		for len(l.queue) > 0 {
			l.workOff()
		}
		select {
		case event := <-l.backend.events():
			l.event(event, true)
		case <-time.After(wait):
			if wrote {
				t.Fatalf("a file in the renamed folder is not told: %v", s.touched)
			}
			write(t, filepath.Join(now, "file"), "1")
			wrote, wait = true, patience
		}
		s.rescan = false
	}
}

// TestErrorsAreTaken: an error that nobody has asked for yet holds up no event, and
// that a folder was gone before its name was given back is none.
func TestErrorsAreTaken(t *testing.T) {
	root := t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "a"), 0o700))
	b, err := openSystem()
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	must(t, b.Add(root))
	must(t, b.Add(filepath.Join(root, "a")))
	write(t, filepath.Join(root, "first"), "1") // its event waits to be taken; those below are read together
	must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")))
	must(t, os.Remove(filepath.Join(root, "b")))
	for event := range b.events() {
		if event.Has(fsnotify.Remove) && event.Name == filepath.Join(root, "b") {
			break
		}
	}
	select {
	case err := <-b.errors():
		t.Errorf("a failure: %v", err)
	default:
	}
}
