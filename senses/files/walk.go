package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// walk is a way through all folders in the background.
type walk struct {
	cancel context.CancelFunc
	done   chan struct{}
	seen   atomic.Int64 // files so far, for people to read

	// What it found, to be read once done is closed.
	missed folder.Missed
	device uint64 // that the folder lies on
	now    *tree
	loaded *loaded // what was committed, where it was asked for
	err    error
}

// finishWalk starts a walk unless one is going on, and waits a while for it;
// nil if it takes longer.
func (s *Sense) finishWalk(ctx context.Context) (*walk, error) {
	if s.walk == nil {
		s.startWalk()
	}
	w := s.walk
	patience := time.NewTimer(s.wait)
	defer patience.Stop()
	select {
	case <-w.done:
		s.walk = nil
		return w, w.err
	case <-patience.C:
	case <-ctx.Done():
	}
	return nil, nil
}

// startWalk begins a walk under fresh rules. What was touched until now will
// be seen by it.
func (s *Sense) startWalk() {
	before := s.rules.Load()
	before.freeze()
	s.before = cmp.Or(s.before, before)
	fresh := s.newRules()
	s.rules.Store(fresh)
	s.Rescan = false
	clear(s.Touched)
	ctx, cancel := context.WithCancel(s.ctx)
	w := &walk{cancel: cancel, done: make(chan struct{})}
	s.walk = w
	known, committed := s.known != nil, s.commits.Committed()
	s.running.Go(func() {
		defer close(w.done)
		defer cancel()
		if !known && committed != nil {
			if w.loaded, w.err = s.load(ctx, committed); w.err != nil {
				return
			}
		}
		if w.err = s.walkAll(ctx, w, fresh); w.err == nil && w.loaded != nil && w.loaded.known != nil {
			s.restore(w)
		}
	})
}

// through is a way through the folder under rules.
func (s *Sense) through(disk *folder.Disk, r *rules, files func(name string, files []fs.FileInfo) bool) *folder.Walk {
	return &folder.Walk{Disk: disk, Bounds: s.bounds, Skip: r.ignored, Folder: files, Enter: func(name string, entries []fs.DirEntry) {
		// This spares a look for the ignore file of a folder that has none.
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == gitignoreName }) {
			r.none(name)
		}
	}}
}

// walkAll collects all files. It fails only when the root itself cannot be read,
// or when ctx is done.
func (s *Sense) walkAll(ctx context.Context, w *walk, r *rules) error {
	disk, err := folder.OpenDisk(s.Path)
	if err != nil {
		return err
	}
	defer disk.Close()
	w.now, w.device = newTree(), deviceOf(disk.Info)
	through := s.through(disk, r, func(name string, files []fs.FileInfo) bool {
		room := s.bounds.Files - w.now.files
		entries := make([]entry, 0, min(len(files), room))
		for _, info := range files[:cap(entries)] {
			entries = append(entries, entry{info.Name(), statOf(info)})
		}
		w.now.put(name, entries)
		w.seen.Store(int64(w.now.files))
		return len(files) <= room
	})
	if err := through.Below(ctx, "."); err != nil && ctx.Err() == nil {
		return folder.Blind(s.Path, err)
	}
	w.missed = through.Missed
	w.missed.Closed = w.missed.Closed[:min(len(w.missed.Closed), maxNamed)]
	return ctx.Err()
}

// load reads back what was committed with the cursor.
func (s *Sense) load(ctx context.Context, committed []byte) (*loaded, error) {
	was, err := decodeCursor(committed)
	if err != nil {
		s.Logger.Warn("files: starting from a silent collect", "id", s.ID(), "error", err)
	}
	l := newLoaded()
	if s.Rows == nil {
		return l, nil
	}
	l.relaxed = was.Ignore != hash(s.Ignore...)
	same := err == nil && was.Root == hash(s.Path)
	err = s.Rows.Rows(ctx, Name, s.ID(), func(key string, value []byte) bool {
		if same {
			l.add(key, value)
		} else {
			l.stale = append(l.stale, key)
		}
		return ctx.Err() == nil
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("read what is known of %s: %w", s.Path, err)
	}
	if same {
		l.known = newTree()
	}
	return l, nil
}

// restore makes the tree of what was committed.
func (s *Sense) restore(w *walk) {
	w.loaded.restore(w.now)
	if w.loaded.bad > 0 {
		s.Logger.Warn("files: malformed rows; what they were for is taken up silently", "id", s.ID(), "rows", w.loaded.bad)
		w.loaded.relaxed = true
	}
}

// headOf returns the first n bytes of a regular file.
func headOf(disk *folder.Disk, file string, n int) ([]byte, error) {
	opened, _, err := disk.File(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(io.LimitReader(opened, int64(n)))
}
