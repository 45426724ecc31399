package files

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// walk is a way through all folders in the background.
type walk struct {
	cancel context.CancelFunc
	done   chan struct{}
	seen   atomic.Int64

	// What it found, to be read once done is closed.
	folder *disk // closed; tells what could not be read
	now    *tree
	loaded *loaded // what was committed, where it was asked for
	err    error
}

// startWalk begins a walk under fresh rules. What was touched until now will
// be seen by it.
func (s *Sense) startWalk() {
	before := s.rules.Load()
	before.freeze()
	if s.before == nil {
		s.before = before
	}
	fresh := s.newRules()
	s.rules.Store(fresh)
	s.Rescan = false
	clear(s.Touched)
	ctx, cancel := context.WithCancel(s.ctx)
	w := &walk{cancel: cancel, done: make(chan struct{})}
	s.walk = w
	load := s.known == nil && s.commits.Committed() != nil
	committed := s.commits.Committed()
	s.running.Go(func() {
		defer close(w.done)
		defer cancel()
		if load {
			if w.loaded, w.err = s.load(ctx, committed); w.err != nil {
				return
			}
		}
		w.now, w.err = s.walkAll(ctx, w, fresh)
		if w.err == nil && w.loaded != nil && w.loaded.known != nil {
			s.restore(w)
		}
	})
}

func (s *Sense) walkAll(ctx context.Context, w *walk, r *rules) (*tree, error) {
	f, err := openDisk(s.Path, r, s.bounds)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w.folder, f.progress = f, &w.seen
	now := newTree()
	if err := f.walk(ctx, ".", now); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, folder.Blind(s.Path, err)
	}
	return now, nil
}

// load reads back what was committed with the cursor.
func (s *Sense) load(ctx context.Context, committed []byte) (*loaded, error) {
	was, err := decodeCursor(committed)
	if err != nil {
		s.Logger.Warn("files: starting from a silent collect", "id", s.ID(), "error", err)
	}
	l := newLoaded(was.device)
	if s.Rows == nil {
		return l, nil
	}
	l.relaxed = was.ignore != hash(s.Ignore...)
	same := err == nil && was.root == hash(s.Path)
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
