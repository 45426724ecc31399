package watch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// errLimit is the cause when our own limit is in the way.
var errLimit = errors.New("over the limit of watches")

func (l *loop) subscribe(s *Subscription) {
	l.subscriptions[s] = struct{}{}
	l.setUp(s)
}

func (l *loop) unsubscribe(s *Subscription) {
	if !has(l.subscriptions, s) {
		return
	}
	l.release(s)
	delete(l.subscriptions, s)
	// What it gives back may be enough for those that went without.
	for other := range l.subscriptions {
		if !other.state.nextTry.IsZero() {
			l.setUp(other)
		}
	}
}

// restart sets a subscription up again that is still there.
func (l *loop) restart(s *Subscription) {
	if has(l.subscriptions, s) {
		l.setUp(s)
	}
}

// setUp begins to watch the subscription's folders, from nothing.
func (l *loop) setUp(s *Subscription) {
	l.release(s)
	s.state.nextTry = time.Time{}
	if l.backend == nil {
		l.degrade(s, outOfWatchers())
		return
	}
	real, info, err := resolve(s.root)
	if err != nil {
		l.missing(s, err)
		return
	}
	s.state.real = real
	s.identify(info)
	s.rescanAll(true, "")
	l.signalSoon(s)
	l.enqueue(s, real, false)
}

// resolve returns the real name of the folder root.
func resolve(root string) (string, fs.FileInfo, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() {
		return "", nil, fmt.Errorf("%s is not a folder", root)
	}
	return real, info, nil
}

// identify notes which folder is watched, nil for none.
func (s *Subscription) identify(root fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.root, s.state.missing = root, root == nil
}

// missing waits for a root that is not there.
func (l *loop) missing(s *Subscription, err error) {
	reason := cannotWatch(s.root, err)
	if errors.Is(err, fs.ErrNotExist) {
		reason = rootMissing(s.root)
	}
	s.state.real = ""
	s.identify(nil)
	l.putOff(s, reason, minRootRetry, maxRootRetry)
}

// degrade leaves the looking to the subscriber, and tries again later.
func (l *loop) degrade(s *Subscription, reason string) {
	l.options.Logger.Warn("folder is not watched", "root", s.root, "reason", reason)
	l.putOff(s, reason, l.options.Retry, maxRetry)
}

func (l *loop) putOff(s *Subscription, reason string, first, last time.Duration) {
	l.release(s)
	s.rescanAll(true, reason)
	l.signalSoon(s)
	s.state.backoff = min(max(2*s.state.backoff, first), last)
	s.state.nextTry = time.Now().Add(s.state.backoff)
	l.armRetry()
}

func (l *loop) armRetry() {
	var next time.Time
	for s := range l.subscriptions {
		if t := s.state.nextTry; !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if next.IsZero() {
		l.retry.Stop()
		return
	}
	l.retry.Reset(max(time.Until(next), time.Millisecond))
}

func (l *loop) tryAgain() {
	now := time.Now()
	if l.backend == nil {
		l.reopen()
		return
	}
	for s := range l.subscriptions {
		if t := s.state.nextTry; !t.IsZero() && !t.After(now) {
			l.setUp(s)
		}
	}
	l.armRetry()
}

func (l *loop) enqueue(s *Subscription, folder string, report bool) {
	s.state.pending++
	l.queue = append(l.queue, work{s, s.state.generation, folder, report})
}

// workOff watches and lists one folder of the queue.
func (l *loop) workOff() {
	w := l.queue[0]
	l.queue[0] = work{}
	if l.queue = l.queue[1:]; len(l.queue) == 0 {
		l.queue = nil
	}
	s := w.subscription
	if w.generation != s.state.generation {
		return
	}
	if err := l.watch(w); err != nil {
		l.cannot(w, err)
	}
	if w.generation != s.state.generation {
		return
	}
	if s.state.pending--; s.state.pending > 0 {
		return
	}
	s.mu.Lock()
	done := s.blind
	s.mu.Unlock()
	if done {
		s.state.backoff = 0
		s.rescanAll(false, "")
		l.signalSoon(s)
	}
}

// watch adds the folder first and lists it afterwards, so that what appears in
// between is seen by at least one of the two.
func (l *loop) watch(w work) error {
	info, err := os.Lstat(w.folder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return nil // replaced meanwhile; the event for that is on its way
	}
	if err := l.add(w.folder, inodeOf(info), w.subscription); err != nil {
		return err
	}
	return l.list(w)
}

// cannot judges why a folder is not watched. One that went away or may not be
// read is left out (becoming readable is an event of the folder above); so is
// one whose path is too long. Any other reason concerns the whole subscription.
func (l *loop) cannot(w work, err error) {
	s := w.subscription
	root := w.folder == s.state.real
	switch {
	case errors.Is(err, errLimit):
		l.degrade(s, overLimit(s.root, l.options.Limit))
	case exhausted(err):
		l.degrade(s, outOfWatches(s.root))
	case root && errors.Is(err, fs.ErrNotExist):
		l.missing(s, err)
	case errors.Is(err, fs.ErrNotExist), !root && errors.Is(err, fs.ErrPermission), !root && leftOut(err):
		l.options.Logger.Debug("folder left out", "folder", w.folder, "error", err)
	default:
		l.degrade(s, cannotWatch(s.root, err))
	}
}

// leftOut reports whether a folder cannot be watched for what it is called or
// has become. It must not take the watches of all others.
func leftOut(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR)
}

// add takes a watch for the folder, or shares the one that is there. A folder that
// was renamed, and is met before the event of that, is forgotten under its old name
// first: the system has one watch for it, which would go when the event comes.
func (l *loop) add(folder string, is inode, s *Subscription) error {
	if old, ok := l.names[is]; ok && old != folder {
		l.forget(old)
	}
	if f := l.folders[folder]; f != nil {
		f.subscriptions[s] = struct{}{}
		return nil
	}
	cost, err := watchCost(folder)
	if err != nil {
		return err
	}
	if l.cost+cost > l.options.Limit {
		return errLimit
	}
	if err := l.backend.Add(folder); err != nil {
		return err
	}
	if now, err := os.Lstat(folder); err != nil || inodeOf(now) != is { // replaced meanwhile
		_ = l.backend.Remove(folder)
		return fs.ErrNotExist
	}
	l.cost += cost
	l.folders[folder] = &watched{
		subscriptions: map[*Subscription]struct{}{s: {}},
		cost:          cost,
		is:            is,
	}
	l.names[is] = folder
	if above := l.folders[filepath.Dir(folder)]; above != nil {
		if above.children == nil {
			above.children = map[string]struct{}{}
		}
		above.children[folder] = struct{}{}
	}
	return nil
}

// watchCost is how many of the system's watches a folder takes.
func watchCost(folder string) (int, error) {
	if !watchesFiles {
		return 1, nil
	}
	cost := 1
	err := eachEntry(folder, func(fs.DirEntry) { cost++ })
	return cost, err
}

// list enqueues the folders below, and reports what a new folder holds.
func (l *loop) list(w work) error {
	s := w.subscription
	if !s.options.Recursive && !w.report {
		return nil
	}
	depth := strings.Count(strings.TrimPrefix(w.folder, s.state.real), string(filepath.Separator))
	return eachEntry(w.folder, func(entry fs.DirEntry) {
		path := filepath.Join(w.folder, entry.Name())
		if s.options.Ignore(s.outside(path), entry.IsDir()) {
			return
		}
		if w.report {
			l.touch(s, path)
		}
		if entry.IsDir() && s.options.Recursive && depth+1 < maxDepth {
			l.enqueue(s, path, w.report)
		}
	})
}

// eachEntry calls do for each entry of the folder, in portions.
func eachEntry(folder string, do func(fs.DirEntry)) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1024)
		for _, entry := range entries {
			do(entry)
		}
		if len(entries) == 0 || err != nil {
			if err == nil || errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// release gives up the subscription's part in all watches, and what is left to do
// of them.
func (l *loop) release(s *Subscription) {
	s.state.generation++
	s.state.pending = 0
	for folder, f := range l.folders {
		if has(f.subscriptions, s) {
			if delete(f.subscriptions, s); len(f.subscriptions) == 0 {
				l.drop(folder, f)
			}
		}
	}
}

// forget drops the watches of a folder that went away or has another name
// now, and of all below it.
func (l *loop) forget(folder string) {
	f := l.folders[folder]
	if f == nil {
		return
	}
	for child := range f.children {
		l.forget(child)
	}
	l.drop(folder, f)
}

func (l *loop) drop(folder string, f *watched) {
	delete(l.folders, folder)
	if l.names[f.is] == folder {
		delete(l.names, f.is)
	}
	l.cost -= f.cost
	if above := l.folders[filepath.Dir(folder)]; above != nil {
		delete(above.children, folder)
	}
	// The system drops the watch of a deleted folder itself, so that an error
	// here says nothing.
	if err := l.backend.Remove(folder); err != nil {
		l.options.Logger.Debug("watch was gone already", "folder", folder, "error", err)
	}
}
