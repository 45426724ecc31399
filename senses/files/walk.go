package files

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// walk is a way through all folders in the background.
type walk struct {
	cancel context.CancelFunc
	done   chan struct{}
	seen   atomic.Int64

	// What it found, to be read once done is closed.
	folder *folder // closed; tells what could not be read
	now    *tree
	loaded *loaded // what was committed, where it was asked for
	err    error
}

// loaded is what the ledger kept.
type loaded struct {
	rows    *treeOfRows // nil: there is no baseline for this folder
	relaxed bool        // what is new may have been there all along
	device  uint64
	stale   []string // rows of another folder, to be removed
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
	s.rescan = false
	clear(s.dirty)
	ctx, cancel := context.WithCancel(s.ctx)
	w := &walk{cancel: cancel, done: make(chan struct{})}
	s.walk = w
	load := s.known == nil && s.committed != nil
	committed := s.committed
	s.running.Go(func() {
		defer close(w.done)
		defer cancel()
		if load {
			if w.loaded, w.err = s.load(ctx, committed); w.err != nil {
				return
			}
		}
		w.now, w.err = s.walkAll(ctx, w, fresh)
		if w.err == nil && w.loaded != nil && w.loaded.rows != nil {
			s.restore(w)
		}
	})
}

func (s *Sense) walkAll(ctx context.Context, w *walk, r *rules) (*tree, error) {
	f, err := openFolder(s.config.Path, r, s.options.MaxFiles)
	if err != nil {
		return nil, err
	}
	defer f.close()
	w.folder, f.progress = f, &w.seen
	now := newTree()
	if err := f.walk(ctx, ".", now); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, blind(s.config.Path, err)
	}
	return now, nil
}

// load reads back what was committed with the cursor.
func (s *Sense) load(ctx context.Context, committed []byte) (*loaded, error) {
	was, err := decodeCursor(committed)
	if err != nil {
		s.options.Logger.Warn("files: starting from a silent collect", "id", s.config.ID, "error", err)
	}
	if s.options.Rows == nil {
		return &loaded{}, nil
	}
	l := &loaded{rows: newTreeOfRows(), device: was.device}
	l.relaxed = was.ignore != hash(s.config.Ignore...)
	same := err == nil && was.root == hash(s.config.Path)
	err = s.options.Rows.Rows(ctx, Name, s.config.ID, func(key string, value []byte) bool {
		if same {
			l.rows.add(key, value)
		} else {
			l.stale = append(l.stale, key)
		}
		return ctx.Err() == nil
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("read what is known of %s: %w", s.config.Path, err)
	}
	if !same {
		l.rows = nil
		return l, nil
	}
	return l, nil
}

// restore makes the tree of what was committed.
func (s *Sense) restore(w *walk) {
	l := w.loaded
	l.rows.reveal(w.now)
	l.rows.done()
	if l.rows.bad > 0 {
		s.options.Logger.Warn("files: malformed rows; what they were for is taken up silently", "id", s.config.ID, "rows", l.rows.bad)
		l.relaxed = true
	}
}
