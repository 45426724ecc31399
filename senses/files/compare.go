package files

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// comparison gathers the deltas of one collect, by path.
type comparison struct {
	sense  *Sense
	folder *disk
	now    *tree // what a walk found, or nil
	deltas map[string]delta
	added  int // files more than are known
	// parents are all folders that hold something; whole are those that were
	// looked at with all that is in them.
	parents map[string]bool
	whole   map[string]bool
}

// compare returns what is different from what is known: everything, where now
// comes from a walk, and what was touched.
func (s *Sense) compare(ctx context.Context, f *disk, now *tree) ([]delta, error) {
	c := &comparison{sense: s, folder: f, now: now, deltas: map[string]delta{}, whole: map[string]bool{}}
	if now != nil {
		diff(s.known, now, func(d delta) { c.deltas[d.path] = d })
		c.added = now.files - s.known.files
	}
	s.retryShut()
	for _, file := range slices.Sorted(maps.Keys(s.Touched)) {
		if err := c.touched(ctx, file); err != nil {
			return nil, err
		}
	}
	if err := c.confirm(ctx); err != nil {
		return nil, err
	}
	deltas := make([]delta, 0, len(c.deltas))
	for _, d := range c.deltas {
		if d.nothing() {
			continue
		}
		if d.has && !d.had {
			d.silent = s.relaxed || f.full || s.full || s.before != nil && s.before.ignoredFile(d.path)
		}
		deltas = append(deltas, d)
	}
	clear(s.Touched)
	return deltas, nil
}

// retryShut looks again at folders that could not be read.
func (s *Sense) retryShut() {
	for _, shut := range s.shut {
		s.Touched[shut.Path] = struct{}{}
	}
	s.shut = nil
}

// touched looks at one path, and below it where it is or was a folder.
func (c *comparison) touched(ctx context.Context, file string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.done(file) {
		return nil
	}
	what, s := c.folder.find(file)
	switch what {
	case unknown:
		return nil
	case inner:
		return c.touchedFolder(ctx, file)
	case regular:
		if len(file) <= c.folder.bounds.Path && !c.folder.rules.ignoredFile(file) && c.room(file) {
			c.set(file, s)
		}
	case absent:
		if c.current(file).has {
			c.unset(file)
		}
	}
	if _, had := c.sense.known.get(file); !had || c.now != nil { // what was a file had nothing below
		c.unsetBelow(file, nil)
	}
	return nil
}

// done reports whether a folder above was looked at as a whole already.
func (c *comparison) done(file string) bool {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if c.whole[folder] {
			return true
		}
	}
	return false
}

// wasFolder reports whether anything is known, or was found, below name.
func (c *comparison) wasFolder(name string) bool {
	if c.parents == nil {
		c.parents = map[string]bool{}
		c.sense.known.parents(c.parents)
		if c.now != nil {
			c.now.parents(c.parents)
		}
	}
	return c.parents[name]
}

// touchedFolder compares all below a folder.
func (c *comparison) touchedFolder(ctx context.Context, name string) error {
	if folder.Depth(name) > c.folder.bounds.Depth || c.folder.rules.ignoredFile(name) || c.folder.rules.ignored(name, true) {
		return nil
	}
	now := newTree()
	shut := len(c.folder.shut)
	if err := c.folder.walk(ctx, name, now); err != nil {
		return err
	}
	now.below(name, func(file string, s stat) {
		if c.room(file) {
			c.set(file, s)
		}
	})
	if c.current(name).has {
		c.unset(name)
	}
	if len(c.folder.shut) == shut {
		c.unsetBelow(name, now)
	}
	return nil
}

// room reports whether another file may be followed.
func (c *comparison) room(file string) bool {
	if _, had := c.sense.known.get(file); had {
		return true
	}
	if c.sense.known.files+c.added < c.folder.bounds.Files {
		return true
	}
	c.folder.full = true
	return false
}

func (c *comparison) set(file string, s stat) {
	d := c.current(file)
	if !d.has {
		c.added++
	}
	d.new, d.has = s, true
	c.deltas[file] = d
}

func (c *comparison) unset(file string) {
	d := c.current(file)
	if d.has {
		c.added--
	}
	d.new, d.has = stat{}, false
	c.deltas[file] = d
}

// current returns what is thought of a file so far.
func (c *comparison) current(file string) delta {
	if d, ok := c.deltas[file]; ok {
		return d
	}
	old, had := c.sense.known.get(file)
	return delta{path: file, old: old, had: had, new: old, has: had}
}

// unsetBelow unsets what is known below a folder and not in now.
func (c *comparison) unsetBelow(name string, now *tree) {
	c.whole[name] = true
	if !c.wasFolder(name) {
		return
	}
	keep := func(file string) bool {
		if now == nil {
			return false
		}
		_, there := now.get(file)
		return there
	}
	c.sense.known.below(name, func(file string, _ stat) {
		if !keep(file) {
			c.unset(file)
		}
	})
	for file, d := range c.deltas {
		if d.has && file != name && folder.Within(file, name) && !keep(file) {
			c.unset(file)
		}
	}
}

// confirm looks again, a moment later, at what seems to be gone. What is there
// after all was being saved, or is ignored by now.
func (c *comparison) confirm(ctx context.Context) error {
	var missing []string
	for file, d := range c.deltas {
		if d.had && !d.has {
			missing = append(missing, file)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	moment := time.NewTimer(c.sense.vanishing)
	defer moment.Stop()
	select {
	case <-moment.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	clear(c.folder.real)
	c.folder.real["."] = true
	for _, file := range missing {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := c.deltas[file]
		switch what, s := c.folder.find(file); {
		case what == unknown:
			delete(c.deltas, file)
		case what == regular && c.folder.rules.ignoredFile(file):
			d.silent = true
			c.deltas[file] = d
		case what == regular:
			d.new, d.has = s, true
			c.deltas[file] = d
		}
	}
	return nil
}
