package watch

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// subscriptionState is what the loop knows of a subscription.
type subscriptionState struct {
	// real is the root with symlinks resolved, "" while it is missing. Folders
	// are watched under their real names, so that one folder is never watched
	// under two.
	real string
	// root identifies the folder that is watched, and missing says that there
	// is none; both are guarded by Subscription.mu.
	root    fs.FileInfo
	missing bool
	// generation of the set-up; work of an older one is void. pending counts
	// the work that is left of this one.
	generation, pending int
	// nextTry is set while set-up is impossible.
	nextTry time.Time
	backoff time.Duration
	// untold: there is something that Changed has not told of; touched: and Touches.
	untold, touched bool
}

// watched is one folder with a watch.
type watched struct {
	subscriptions map[*Subscription]struct{}
	children      map[string]struct{} // watched folders directly below
	cost          int
	is            inode
}

// inode tells a folder apart from others, whatever it is called.
type inode struct{ device, number uint64 }

func inodeOf(info fs.FileInfo) (is inode) {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		is = inode{uint64(system.Dev), uint64(system.Ino)}
	}
	return is
}

// work is one folder to be watched and listed.
type work struct {
	subscription *Subscription
	generation   int
	folder       string
	report       bool // what it holds is new
}

// loop is the state of the one goroutine.
type loop struct {
	options       Options
	open          func() (backend, error)
	backend       backend // nil while none can be had
	subscriptions map[*Subscription]struct{}
	folders       map[string]*watched
	names         map[inode]string // of folders
	cost          int              // of all folders
	queue         []work
	tell          *time.Timer // gathers touched paths
	telling       bool
	retry         *time.Timer
}

func newLoop(options Options, open func() (backend, error)) *loop {
	l := &loop{
		options:       options,
		open:          open,
		subscriptions: map[*Subscription]struct{}{},
		folders:       map[string]*watched{},
		names:         map[inode]string{},
		tell:          time.NewTimer(time.Hour),
		retry:         time.NewTimer(time.Hour),
	}
	l.tell.Stop()
	l.retry.Stop()
	return l
}

// run handles events, requests and timers, and works the queue off a folder at a
// time in between, so that events never wait for a large folder.
func (l *loop) run(ctx context.Context, requests <-chan func(*loop)) {
	defer l.close()
	l.reopen()
	always := make(chan struct{})
	close(always)
	for {
		var events <-chan fsnotify.Event
		var failures <-chan error
		if l.backend != nil {
			events, failures = l.backend.events(), l.backend.errors()
		}
		var work chan struct{}
		if len(l.queue) > 0 {
			work = always
		}
		select {
		case <-ctx.Done():
			return
		case event, ok := <-events:
			l.event(event, ok)
		case err, ok := <-failures:
			l.failure(err, ok)
		case request := <-requests:
			request(l)
		case <-l.tell.C:
			l.signal()
		case <-l.retry.C:
			l.tryAgain()
		case <-work:
			l.workOff()
		}
	}
}

func (l *loop) close() {
	l.tell.Stop()
	l.retry.Stop()
	for s := range l.subscriptions {
		s.rescanAll(true, "the file watcher is closed")
	}
	if l.backend == nil {
		return
	}
	if err := l.backend.Close(); err != nil {
		l.options.Logger.Warn("file watcher did not close", "error", err)
	}
}

// reopen takes a fresh watcher from the system and sets every subscription up
// again. Nothing of the old one is kept: after lost events it may know folders
// by names that are no longer theirs.
func (l *loop) reopen() {
	if l.backend != nil {
		if err := l.backend.Close(); err != nil {
			l.options.Logger.Warn("file watcher did not close", "error", err)
		}
	}
	clear(l.folders)
	clear(l.names)
	l.cost, l.queue = 0, nil
	var err error
	if l.backend, err = l.open(); err != nil {
		l.backend = nil
		l.options.Logger.Warn("no file watcher", "error", err)
	}
	for s := range l.subscriptions {
		l.setUp(s)
	}
}

// failure handles an error of the backend: lost events, or its end.
func (l *loop) failure(err error, ok bool) {
	if ok && !errors.Is(err, fsnotify.ErrEventOverflow) {
		l.options.Logger.Warn("file watcher failed", "error", err)
	}
	l.reopen()
}

func (l *loop) event(event fsnotify.Event, ok bool) {
	if !ok {
		l.failure(nil, false)
		return
	}
	if event.Name == "" {
		return
	}
	path := filepath.Clean(event.Name)
	here := l.folders[path]
	subscriptions := l.interested(path)
	gone := event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)
	folder := here != nil
	if gone {
		l.forget(path)
	} else if event.Has(fsnotify.Create) || event.Has(fsnotify.Chmod) {
		info, err := os.Lstat(path)
		folder = err == nil && info.IsDir()
	}
	for s := range subscriptions {
		if path == s.state.real {
			if gone {
				l.setUp(s)
			}
			continue
		}
		if s.options.Ignore(s.outside(path), folder) {
			continue
		}
		l.touch(s, path)
		// A folder whose mode changed may have become readable.
		if folder && !gone && s.options.Recursive && (event.Has(fsnotify.Create) || !l.watches(s, path)) {
			l.enqueue(s, path, true)
		}
	}
}

// interested returns who watches the folder that holds path, or path itself.
func (l *loop) interested(path string) map[*Subscription]struct{} {
	all := map[*Subscription]struct{}{}
	for _, folder := range []string{filepath.Dir(path), path} {
		if f := l.folders[folder]; f != nil {
			maps.Copy(all, f.subscriptions)
		}
	}
	return all
}

func (l *loop) watches(s *Subscription, folder string) bool {
	f := l.folders[folder]
	return f != nil && has(f.subscriptions, s)
}

func has[K comparable](set map[K]struct{}, key K) bool {
	_, ok := set[key]
	return ok
}

func (l *loop) touch(s *Subscription, path string) {
	s.touch(path, l.options.Touched)
	s.state.touched = true
	l.signalSoon(s)
}

// signalSoon has Changed tell, with what else happens until then.
func (l *loop) signalSoon(s *Subscription) {
	s.state.untold = true
	if !l.telling {
		l.telling = true
		l.tell.Reset(settle)
	}
}

func (l *loop) signal() {
	l.telling = false
	for s := range l.subscriptions {
		if s.state.untold {
			signal(s.changed)
		}
		if s.state.touched {
			signal(s.touches)
		}
		s.state.untold, s.state.touched = false, false
	}
}

// outside writes path as the subscriber knows it.
func (s *Subscription) outside(path string) string {
	if below, ok := strings.CutPrefix(path, s.state.real); ok {
		return s.root + below
	}
	return path
}

// rootMoved reports whether the root is another folder than the one that is
// watched: gone, back again, unmounted or replaced.
func (s *Subscription) rootMoved() bool {
	info, err := os.Stat(s.root)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || !info.IsDir() {
		return s.state.root != nil
	}
	if s.state.root == nil {
		return s.state.missing
	}
	return !os.SameFile(info, s.state.root)
}
