package files

import (
	"cmp"
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
	batch, err := s.collect(ctx, at, degraded)
	if err != nil { // what takes too long here is found by a walk in the background
		s.Rescan = true
		return senses.Batch{}, err
	}
	return batch, nil
}

func (s *Sense) collect(ctx context.Context, at time.Time, degraded string) (senses.Batch, error) {
	w := &walk{}
	if s.walk != nil || s.Rescan || s.known == nil {
		var err error
		if w, err = s.finishWalk(ctx); err != nil {
			return senses.Batch{}, err
		}
		if w == nil {
			seen := fmt.Sprintf("looking through %s: %s files so far", s.Path, humanize.Comma(s.walk.seen.Load()))
			return senses.Batch{Starting: s.known == nil, Degraded: senses.Joined(degraded, seen)}, nil
		}
		s.Drain() // what changed while it went on
		if err := s.take(w); err != nil {
			return senses.Batch{}, err
		}
	}
	disk, err := folder.OpenDisk(s.Path)
	if err != nil {
		return senses.Batch{}, err
	}
	defer disk.Close()
	deltas, err := s.compare(ctx, disk, cmp.Or(s.known, newTree()), w.now)
	if err != nil {
		return senses.Batch{}, fmt.Errorf("look through %s: %w", s.Path, err)
	}
	batch := s.report(at, disk, deltas, degraded)
	if w.loaded != nil {
		for _, key := range w.loaded.stale {
			batch.Rows = append(batch.Rows, senses.Row{Key: key})
		}
	}
	return batch, nil
}

// take adopts what a walk found out.
func (s *Sense) take(w *walk) error {
	if w.loaded != nil && w.loaded.known != nil {
		s.known, s.marked = w.loaded.known, w.loaded.marked
		s.before, s.relaxed = nil, w.loaded.relaxed
	}
	s.missed = w.missed
	if s.known == nil {
		s.before = nil
		return nil
	}
	was, err := decodeCursor(s.commits.Committed())
	if err == nil && s.known.files > 0 && w.now.files == 0 && was.Device != w.device {
		return fmt.Errorf("the folder %s is empty and on another disk than before; mount what belongs there", s.Path)
	}
	if s.before != nil && !maps.Equal(s.before.sums(), s.rules.Load().sums()) {
		s.Refresh()
	}
	return nil
}

// report makes the batch of what is different. The first collect is silent.
func (s *Sense) report(at time.Time, disk *folder.Disk, deltas []delta, degraded string) senses.Batch {
	batch := senses.Batch{Degraded: senses.Joined(degraded, s.bounds.Complaint(s.Path, "files", s.missed))}
	p := handout{deltas: deltas, first: s.known == nil, marked: maps.Clone(s.marked), before: s.before, loose: s.relaxed}
	s.before, s.relaxed = nil, false
	if len(deltas) == 0 && s.stamped && !p.first {
		return batch
	}
	if !p.first {
		exists := func(name string) bool {
			info, err := disk.Find(name)
			return err == nil && info.IsDir()
		}
		d := &describer{id: s.ID(), root: s.Path, trust: s.Trusts.Of, at: at, marked: p.marked,
			head: func(file string, n int) ([]byte, error) { return headOf(disk, file, n) }}
		batch.Changes = d.observations(interpret(deltas, surroundings{known: s.known, folderExists: exists}))
	}
	batch.Rows = make([]senses.Row, 0, len(deltas))
	for _, d := range deltas {
		batch.Rows = append(batch.Rows, d.row(p.marked[d.path]))
		if !d.has {
			delete(p.marked, d.path)
		}
	}
	s.restamp(&batch)
	s.collects++
	next := cursor{Root: hash(s.Path), Ignore: hash(s.Ignore...), Device: deviceOf(disk.Info), Run: s.Run, Collect: s.collects, Trusts: s.Trusts.Sum()}
	batch.Cursor = s.commits.Hand(next.encode(), p)
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
