package files

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/senses"
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
	degraded := s.drain()
	if len(s.dirty) > maxDirty || s.rulesTouched() {
		s.rescan = true
	}
	var now *tree
	if s.walk != nil || s.rescan || s.known == nil {
		w, err := s.finishWalk(ctx)
		if err != nil {
			s.rescan = true
			return senses.Batch{}, err
		}
		if w == nil {
			return s.stillWalking(degraded), nil
		}
		s.drain() // what changed while it went on
		if now, err = s.take(w); err != nil {
			s.rescan = true
			return senses.Batch{}, err
		}
		if s.known == nil {
			return s.baseline(ctx, w, degraded)
		}
	}
	f, err := openFolder(s.config.Path, s.rules.Load(), s.options.MaxFiles)
	if err != nil {
		s.rescan = true
		return senses.Batch{}, err
	}
	defer f.close()
	deltas, err := s.compare(ctx, f, now)
	if err != nil { // what takes too long here is found by a walk in the background
		s.rescan = true
		return senses.Batch{}, fmt.Errorf("look through %s: %w", s.config.Path, err)
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
	patience := time.NewTimer(s.options.Wait)
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
	seen := fmt.Sprintf("looking through %s: %s files so far", s.config.Path, humanize.Comma(s.walk.seen.Load()))
	return senses.Batch{Starting: s.known == nil, Degraded: join(degraded, seen)}
}

// take adopts what a walk found out, and returns the files that are there.
func (s *Sense) take(w *walk) (*tree, error) {
	device := uint64(0)
	if w.loaded != nil {
		device = w.loaded.device
		if w.loaded.rows != nil {
			s.known, s.marked = w.loaded.rows.tree, w.loaded.rows.marked
			s.before, s.relaxed = nil, w.loaded.relaxed
		}
	} else if was, err := decodeCursor(s.committed); err == nil {
		device = was.device
	}
	s.shut, s.skipped, s.full = w.folder.shut, w.folder.skipped, w.folder.full
	if s.known != nil && s.known.files > 0 && w.now.files == 0 && device != w.folder.device {
		return nil, fmt.Errorf("the folder %s is empty and on another disk than before; mount what belongs there", s.config.Path)
	}
	if s.known == nil {
		s.before = nil
	}
	if s.sub != nil && s.before != nil && !maps.Equal(s.before.sums(), w.folder.rules.sums()) {
		s.sub.Refresh()
	}
	return w.now, nil
}

// baseline is the silent first collect.
func (s *Sense) baseline(ctx context.Context, w *walk, degraded string) (senses.Batch, error) {
	f, err := openFolder(s.config.Path, s.rules.Load(), s.options.MaxFiles)
	if err != nil {
		return senses.Batch{}, err
	}
	defer f.close()
	s.known = newTree()
	deltas, err := s.compare(ctx, f, w.now)
	s.known = nil
	if err != nil {
		s.rescan = true
		return senses.Batch{}, fmt.Errorf("look through %s: %w", s.config.Path, err)
	}
	s.shut = f.shut
	first := newTree()
	first.apply(deltas)
	batch := senses.Batch{Cursor: s.stamp(f.device), Rows: make([]senses.Row, 0, len(deltas)), Degraded: s.complaints(degraded)}
	if w.loaded != nil {
		for _, key := range w.loaded.stale {
			batch.Rows = append(batch.Rows, senses.Row{Key: key})
		}
	}
	for _, d := range deltas {
		batch.Rows = append(batch.Rows, d.row(false))
	}
	s.restamp(&batch)
	s.pending = &handout{cursor: batch.Cursor, first: first, marked: map[string]bool{}}
	s.before, s.relaxed = nil, false
	return batch, nil
}

// report makes the batch of what is different.
func (s *Sense) report(at time.Time, f *folder, deltas []delta, degraded string) senses.Batch {
	s.shut = append(s.shut, f.shut...)
	s.full = s.full || f.full
	batch := senses.Batch{Degraded: s.complaints(degraded)}
	if len(deltas) == 0 && s.stamped {
		s.before, s.relaxed = nil, false
		return batch
	}
	marked := maps.Clone(s.marked)
	actions := interpret(deltas, surroundings{known: s.known, folderExists: f.exists})
	d := &describer{id: s.config.ID, root: s.config.Path, trust: s.trusts.Of, at: at, head: f.head, marked: marked}
	batch.Changes = d.observations(actions)
	batch.Cursor = s.stamp(f.device)
	for _, d := range deltas {
		batch.Rows = append(batch.Rows, d.row(marked[d.path]))
		if !d.has {
			delete(marked, d.path)
		}
	}
	s.restamp(&batch)
	s.pending = &handout{cursor: batch.Cursor, deltas: deltas, marked: marked, before: s.before, loose: s.relaxed}
	s.before, s.relaxed = nil, false
	return batch
}

// restamp asks for what was told before to be stamped as the trusts say by now,
// unless it is.
func (s *Sense) restamp(batch *senses.Batch) {
	if s.stamped {
		return
	}
	folder := filepath.ToSlash(s.config.Path)
	batch.Restamp = func(o subconscious.Observation) subconscious.Trust {
		file := o.Attrs["path"]
		if below, ok := strings.CutPrefix(file, strings.TrimSuffix(folder, "/")+"/"); ok {
			file = below
		}
		trust := s.trusts.OfTold(file)
		if from, ok := o.Attrs["from"]; ok {
			if theirs := s.trusts.OfTold(from); theirs.Rank() > trust.Rank() {
				trust = theirs
			}
		}
		return trust
	}
}

// complaints says in plain words what cannot be seen just now.
func (s *Sense) complaints(degraded string) string {
	if len(s.shut) > 0 {
		const named = 3
		var names []string
		for _, shut := range s.shut[:min(len(s.shut), named)] {
			names = append(names, fmt.Sprintf("%s (%v)", path.Join(s.config.Path, shut.path), shut.err))
		}
		if more := len(s.shut) - named; more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		degraded = join(degraded, "cannot be read: "+strings.Join(names, ", ")+"; give this user the right to read, or add an ignore pattern")
	}
	if s.full {
		degraded = join(degraded, fmt.Sprintf("%s holds more than %s files, of which no more are followed; add ignore patterns for what does not matter",
			s.config.Path, humanize.Comma(int64(s.options.MaxFiles))))
	}
	if s.skipped > 0 {
		degraded = join(degraded, fmt.Sprintf("%s with too long a path or more than %d folders deep are not followed", plural(s.skipped, "entry"), maxDepth))
	}
	return degraded
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
