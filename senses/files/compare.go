package files

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// maxNamed bounds what is remembered of folders that cannot be read.
const maxNamed = 100

// compare returns what is different from what is known: everything, where now
// comes from a walk, and what was touched.
func (s *Sense) compare(ctx context.Context, disk *folder.Disk, known, now *tree) ([]delta, error) {
	looked, there, err := s.look(ctx, disk)
	if err != nil {
		return nil, err
	}
	all := map[string]delta{}
	judge := func(file string) {
		old, had := known.get(file)
		is, has := there[file]
		all[file] = delta{path: file, old: old, new: is, had: had, has: has}
	}
	if now != nil {
		diff(known, now, func(d delta) {
			if !folder.Under(d.path, looked) {
				all[d.path] = d
			}
		})
	}
	for file := range there {
		judge(file)
	}
	folders := map[string]bool{}
	for file := range looked {
		if _, had := known.get(file); had { // a file has nothing below it
			judge(file)
		} else {
			folders[file] = true
		}
	}
	known.below(folders, func(file string, _ stat) { judge(file) })
	if err := s.confirm(ctx, disk, all); err != nil {
		return nil, err
	}
	clear(s.Touched)
	return s.followed(known, all), nil
}

// look looks at what was touched, and at what could not be read before. What was
// known at or below the paths that were looked at is there, or gone.
func (s *Sense) look(ctx context.Context, disk *folder.Disk) (looked map[string]bool, there map[string]stat, err error) {
	for _, closed := range s.missed.Closed {
		s.Touched[closed.Path] = struct{}{}
	}
	looked, there = map[string]bool{}, map[string]stat{}
	w := s.through(disk, s.rules.Load(), func(name string, files []fs.FileInfo) bool {
		room := s.bounds.Files - len(there)
		for _, info := range files[:min(len(files), room)] {
			there[path.Join(name, info.Name())] = statOf(info)
		}
		return len(files) <= room
	})
	for _, file := range slices.Sorted(maps.Keys(s.Touched)) {
		if folder.Under(file, looked) {
			continue
		}
		if err := w.At(ctx, file); err != nil {
			return nil, nil, err
		}
		looked[file] = true
	}
	s.missed.Closed = w.Closed[:min(len(w.Closed), maxNamed)]
	s.missed.Full = s.missed.Full || w.Full
	return looked, there, nil
}

// confirm looks again, a moment later, at what seems to be gone. What is there
// after all was being saved, or is ignored by now; what lies in a folder that
// cannot be read is taken to be as it was.
func (s *Sense) confirm(ctx context.Context, disk *folder.Disk, all map[string]delta) error {
	missing := maps.Clone(all)
	maps.DeleteFunc(missing, func(_ string, d delta) bool { return !d.had || d.has })
	if len(missing) == 0 {
		return nil
	}
	moment := time.NewTimer(s.vanishing)
	defer moment.Stop()
	select {
	case <-moment.C:
	case <-ctx.Done():
	}
	disk.Forget()
	for file, d := range missing {
		if err := ctx.Err(); err != nil {
			return err
		}
		info, err := disk.Find(file)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			delete(all, file)
			continue
		case err != nil || info.IsDir():
		case s.rules.Load().ignoredFile(file):
			d.silent = true
		default:
			d.new, d.has = statOf(info), true
		}
		all[file] = d
	}
	return nil
}

// followed leaves out what is as it was, and new files beyond the limit.
func (s *Sense) followed(known *tree, all map[string]delta) []delta {
	room := s.bounds.Files - known.files
	for _, d := range all {
		switch {
		case d.had && !d.has:
			room++
		case d.has && !d.had:
			room--
		}
	}
	s.missed.Full = s.missed.Full || room < 0
	deltas := make([]delta, 0, len(all))
	for _, d := range all {
		switch {
		case d.nothing():
			continue
		case d.has && !d.had && room < 0:
			room++
			continue
		case d.has && !d.had:
			d.silent = s.relaxed || s.missed.Full || s.before != nil && s.before.ignoredFile(d.path)
		}
		deltas = append(deltas, d)
	}
	return deltas
}
