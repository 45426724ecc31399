// Package watch shares one file watcher among everything in the daemon that
// looks at folders: the senses files, notes and calendar.
//
// Folders are watched, never single files, and recursion is done here. A
// subscriber is told which paths were touched, never what happened to them: it
// looks for itself. Whenever touched paths could have been missed (during
// set-up, after an overflow, out of watches) the subscriber is told to look at
// everything instead. The package stores nothing.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Defaults of Options.
const (
	DefaultTouched = 20_000
	DefaultRetry   = time.Minute

	maxRetry     = 30 * time.Minute
	maxRootRetry = 30 * time.Second
	minRootRetry = time.Second
	maxDepth     = 64
	// settle is how long touched paths are gathered before Changed tells.
	settle = 100 * time.Millisecond
)

// ErrClosed is returned for whatever is asked of a closed Watcher.
var ErrClosed = errors.New("watch: the watcher is closed")

// Options of a Watcher. The zero value is usable.
type Options struct {
	// Logger defaults to one that discards.
	Logger *slog.Logger
	// Limit bounds the watches of all subscriptions together; 0 takes the
	// platform's default. A subscription that would exceed it degrades.
	Limit int
	// Touched bounds the touched paths that one subscription gathers between
	// two Drains; beyond it the subscriber must look at everything. 0 means
	// DefaultTouched.
	Touched int
	// Retry is the first wait before a subscription that ran out of watches
	// tries again; it doubles to half an hour. 0 means DefaultRetry.
	Retry time.Duration
}

// Watcher owns one operating system watcher and one goroutine.
type Watcher struct {
	requests chan func(*loop)
	cancel   context.CancelFunc
	done     chan struct{}
}

// New starts a Watcher. Being out of watchers is no error: subscriptions are
// then degraded until one can be had.
func New(options Options) (*Watcher, error) { return start(options, openSystem) }

func start(options Options, open func() (backend, error)) (*Watcher, error) {
	if options.Limit < 0 || options.Touched < 0 || options.Retry < 0 {
		return nil, fmt.Errorf("watch: limit, touched and retry must not be negative")
	}
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	options.Limit = cmp.Or(options.Limit, defaultLimit)
	options.Touched = cmp.Or(options.Touched, DefaultTouched)
	options.Retry = cmp.Or(options.Retry, DefaultRetry)
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{requests: make(chan func(*loop)), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		newLoop(options, open).run(ctx, w.requests)
	}()
	return w, nil
}

// Close ends all subscriptions, and waits for the goroutine. It may be called
// more than once.
func (w *Watcher) Close() error {
	w.cancel()
	<-w.done
	return nil
}

// ask runs f in the loop and waits for it; false after Close.
func (w *Watcher) ask(f func(*loop)) bool {
	ran := make(chan struct{})
	select {
	case w.requests <- func(l *loop) { defer close(ran); f(l) }:
		<-ran
		return true
	case <-w.done:
		return false
	}
}

// tell is ask without waiting for a busy loop: what cannot be handed over now
// is left out.
func (w *Watcher) tell(f func(*loop)) {
	select {
	case w.requests <- f:
	default:
	}
}

// SubscribeOptions of one subscription.
type SubscribeOptions struct {
	// Recursive watches the folders below the root too, to a depth of 64.
	Recursive bool
	// Ignore leaves out what it returns true for, and all that is below it. It
	// is given absolute paths below the root, and is called from another
	// goroutine. nil ignores nothing.
	Ignore func(path string, dir bool) bool
}

// Subscribe watches the folder root. The folders below it are added in the
// background; a root that does not exist is waited for.
func (w *Watcher) Subscribe(root string, options SubscribeOptions) (*Subscription, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	if options.Ignore == nil {
		options.Ignore = func(string, bool) bool { return false }
	}
	s := &Subscription{
		watcher: w,
		root:    root,
		options: options,
		touched: map[string]struct{}{},
		changed: make(chan struct{}, 1),
		touches: make(chan struct{}, 1),
	}
	if !w.ask(func(l *loop) { l.subscribe(s) }) {
		return nil, fmt.Errorf("watch %s: %w", root, ErrClosed)
	}
	return s, nil
}

// Subscription is one root that is watched for one subscriber.
type Subscription struct {
	watcher *Watcher
	root    string
	options SubscribeOptions
	changed chan struct{}
	touches chan struct{}

	mu       sync.Mutex
	touched  map[string]struct{}
	rescan   bool   // look at everything once
	blind    bool   // look at everything each time: not all is watched
	degraded string // why it is blind, beyond set-up

	state subscriptionState // owned by the loop
}

// Drain returns what was touched since the last Drain.
//
// dirty are absolute paths, sorted, each once, written as the root was given
// to Subscribe; a folder that appeared comes with all that it holds. With
// rescan the subscriber must look at everything: a collect that begins after
// Drain returned, together with the paths of later Drains, misses nothing.
// Until all folders are watched each Drain says rescan. degraded says in plain
// words why watching is impossible just now, and what to do about it.
func (s *Subscription) Drain() (dirty []string, rescan bool, degraded string) {
	if s.rootMoved() {
		s.watcher.tell(func(l *loop) { l.restart(s) })
		s.mu.Lock()
		s.rescan = true
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dirty, rescan, degraded = slices.Sorted(maps.Keys(s.touched)), s.rescan || s.blind, s.degraded
	clear(s.touched)
	s.rescan = false
	return dirty, rescan, degraded
}

// Changed is readable some 100 ms after something was touched, or when a
// rescan is due.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Touches is readable some 100 ms after something was touched, and at no other
// time: a rescan by itself is no reason to look at once.
func (s *Subscription) Touches() <-chan struct{} { return s.touches }

// Refresh takes the watches anew, for when what Ignore says has changed.
func (s *Subscription) Refresh() {
	s.watcher.ask(func(l *loop) { l.restart(s) })
}

// Close gives the watches back. It may be called more than once.
func (s *Subscription) Close() {
	s.watcher.ask(func(l *loop) { l.unsubscribe(s) })
}

// touch records that path, written as the loop knows it, was touched.
func (s *Subscription) touch(path string, limit int) {
	path = s.outside(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rescan || s.blind { // all will be looked at anyway
		return
	}
	if s.touched[path] = struct{}{}; len(s.touched) > limit {
		clear(s.touched)
		s.rescan = true
	}
}

// rescanAll says that all must be looked at: once, or with blind until told
// otherwise.
func (s *Subscription) rescanAll(blind bool, degraded string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rescan, s.blind, s.degraded = true, blind, degraded
}

// signal makes a channel of the subscription readable.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
