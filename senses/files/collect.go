package files

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	vanishing = 50 * time.Millisecond
	// maxDirty touched paths are looked at one by one; beyond, at all.
	maxDirty = 50_000
)

// Collect reports what changed since the collect that cursor came from. A walk
// that takes long goes on in the background; until it is done the batch says
// so, and what changed is in a later one.
func (s *Sense) Collect(ctx context.Context, at time.Time, given []byte) (senses.Batch, error) {
	s.conclude(given)
	degraded := s.Drain()
	if len(s.Touched) > maxDirty || s.rulesTouched() {
		s.Rescan = true
	}
	var now *tree
	if s.walk != nil || s.Rescan || s.known == nil {
		w, err := s.finishWalk(ctx)
		if err != nil {
			s.Rescan = true
			return senses.Batch{}, err
		}
		if w == nil {
			return s.stillWalking(degraded), nil
		}
		s.Drain() // what changed while it went on
		if now, err = s.take(w); err != nil {
			s.Rescan = true
			return senses.Batch{}, err
		}
		if s.known == nil {
			return s.baseline(ctx, w, degraded)
		}
	}
	f, err := openDisk(s.Path, s.rules.Load(), s.bounds)
	if err != nil {
		s.Rescan = true
		return senses.Batch{}, err
	}
	defer f.Close()
	deltas, err := s.compare(ctx, f, now)
	if err != nil { // what takes too long here is found by a walk in the background
		s.Rescan = true
		return senses.Batch{}, fmt.Errorf("look through %s: %w", s.Path, err)
	}
	return s.report(at, f, deltas, degraded), nil
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
		return nil, nil
	case <-ctx.Done():
		return nil, nil
	}
}

func (s *Sense) stillWalking(degraded string) senses.Batch {
	seen := fmt.Sprintf("looking through %s: %s files so far", s.Path, humanize.Comma(s.walk.seen.Load()))
	return senses.Batch{Starting: s.known == nil, Degraded: folder.Join(degraded, seen)}
}

// take adopts what a walk found out, and returns the files that are there.
func (s *Sense) take(w *walk) (*tree, error) {
	device := uint64(0)
	if w.loaded != nil {
		device = w.loaded.device
		if w.loaded.known != nil {
			s.known, s.marked = w.loaded.known, w.loaded.marked
			s.before, s.relaxed = nil, w.loaded.relaxed
		}
	} else if was, err := decodeCursor(s.commits.Committed()); err == nil {
		device = was.device
	}
	s.shut, s.skipped, s.full = w.folder.shut, w.folder.skipped, w.folder.full
	if s.known != nil && s.known.files > 0 && w.now.files == 0 && device != w.folder.device {
		return nil, fmt.Errorf("the folder %s is empty and on another disk than before; mount what belongs there", s.Path)
	}
	if s.known == nil {
		s.before = nil
	}
	if s.before != nil && !maps.Equal(s.before.sums(), w.folder.rules.sums()) {
		s.Refresh()
	}
	return w.now, nil
}

// baseline is the silent first collect.
func (s *Sense) baseline(ctx context.Context, w *walk, degraded string) (senses.Batch, error) {
	f, err := openDisk(s.Path, s.rules.Load(), s.bounds)
	if err != nil {
		return senses.Batch{}, err
	}
	defer f.Close()
	s.known = newTree()
	deltas, err := s.compare(ctx, f, w.now)
	s.known = nil
	if err != nil {
		s.Rescan = true
		return senses.Batch{}, fmt.Errorf("look through %s: %w", s.Path, err)
	}
	s.shut = f.shut
	first := newTree()
	first.apply(deltas)
	batch := senses.Batch{Rows: make([]senses.Row, 0, len(deltas)), Degraded: s.complaints(degraded)}
	if w.loaded != nil {
		for _, key := range w.loaded.stale {
			batch.Rows = append(batch.Rows, senses.Row{Key: key})
		}
	}
	for _, d := range deltas {
		batch.Rows = append(batch.Rows, d.row(false))
	}
	s.restamp(&batch)
	batch.Cursor = s.commits.Hand(s.stamp(f.device), handout{first: first, marked: map[string]bool{}})
	s.before, s.relaxed = nil, false
	return batch, nil
}

// report makes the batch of what is different.
func (s *Sense) report(at time.Time, f *disk, deltas []delta, degraded string) senses.Batch {
	s.shut = append(s.shut, f.shut...)
	s.full = s.full || f.full
	batch := senses.Batch{Degraded: s.complaints(degraded)}
	if len(deltas) == 0 && s.stamped {
		s.before, s.relaxed = nil, false
		return batch
	}
	marked := maps.Clone(s.marked)
	actions := interpret(deltas, surroundings{known: s.known, folderExists: f.exists})
	d := &describer{id: s.ID(), root: s.Path, trust: s.Trusts.Of, at: at, head: f.head, marked: marked}
	batch.Changes = d.observations(actions)
	for _, d := range deltas {
		batch.Rows = append(batch.Rows, d.row(marked[d.path]))
		if !d.has {
			delete(marked, d.path)
		}
	}
	s.restamp(&batch)
	batch.Cursor = s.commits.Hand(s.stamp(f.device), handout{deltas: deltas, marked: marked, before: s.before, loose: s.relaxed})
	s.before, s.relaxed = nil, false
	return batch
}

// restamp asks for what was told before to be stamped as the trusts say by now,
// unless it is.
func (s *Sense) restamp(batch *senses.Batch) {
	if s.stamped {
		return
	}
	above := strings.TrimSuffix(filepath.ToSlash(s.Path), "/") + "/"
	batch.Restamp = func(o subconscious.Observation) subconscious.Trust {
		return s.Trusts.OfTold(strings.TrimPrefix(o.Attrs["path"], above), o.Attrs["from"])
	}
}

// complaints says in plain words what cannot be seen just now.
func (s *Sense) complaints(degraded string) string {
	return folder.Join(degraded, s.bounds.Complaint(s.Path, "files", s.shut, s.full, s.skipped))
}
