package files

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// stat is what tells two states of a file apart.
type stat struct {
	size  int64
	mtime int64  // nanoseconds since 1970
	inode uint64 // 0 where the system has none
}

// alike reports whether the content is taken to be the same.
func (s stat) alike(other stat) bool { return s.size == other.size && s.mtime == other.mtime }

// statOf returns what tells two states of a file apart.
func statOf(info fs.FileInfo) stat {
	s := stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = uint64(sys.Ino)
	}
	return s
}

// deviceOf returns the device that a folder lies on.
func deviceOf(info fs.FileInfo) uint64 {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(sys.Dev)
	}
	return 0
}

type entry struct {
	name string
	stat
}

// tree is a set of files by path. It is kept by folder, since names are short
// and paths are not: some 60 bytes a file.
type tree struct {
	folders map[string][]entry // sorted by name
	files   int
}

func newTree() *tree { return &tree{folders: map[string][]entry{}} }

func byName(e entry, name string) int { return cmp.Compare(e.name, name) }

func (t *tree) get(file string) (stat, bool) {
	entries := t.folders[path.Dir(file)]
	i, ok := slices.BinarySearchFunc(entries, path.Base(file), byName)
	if !ok {
		return stat{}, false
	}
	return entries[i].stat, true
}

// put sets the files of a folder, which the tree keeps and sorts.
func (t *tree) put(folder string, entries []entry) {
	t.files += len(entries) - len(t.folders[folder])
	if len(entries) == 0 {
		delete(t.folders, folder)
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	if cap(entries) > len(entries)+len(entries)/8 {
		entries = append(make([]entry, 0, len(entries)), entries...) // it is kept for long
	}
	t.folders[folder] = entries
}

// below calls yield for each file below a folder, in no order.
func (t *tree) below(above string, yield func(file string, s stat)) {
	for name, entries := range t.folders {
		if !folder.Within(name, above) {
			continue
		}
		for _, e := range entries {
			yield(path.Join(name, e.name), e.stat)
		}
	}
}

// parents adds all folders that hold something, and those above them, to set.
func (t *tree) parents(set map[string]bool) {
	for folder := range t.folders {
		for ; folder != "." && !set[folder]; folder = path.Dir(folder) {
			set[folder] = true
		}
	}
}

// delta is one file before and after.
type delta struct {
	path     string
	old, new stat
	had, has bool
	// silent: it was there all along and merely ignored.
	silent bool
}

// nothing reports whether before and after are the same.
func (d delta) nothing() bool { return d.had == d.has && d.old == d.new }

// diff calls yield for each file that differs between two trees.
func diff(before, after *tree, yield func(delta)) {
	for folder, entries := range before.folders {
		diffFolder(folder, entries, after.folders[folder], yield)
	}
	for folder, entries := range after.folders {
		if _, both := before.folders[folder]; !both {
			diffFolder(folder, nil, entries, yield)
		}
	}
}

func diffFolder(folder string, before, after []entry, yield func(delta)) {
	for len(before) > 0 || len(after) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = cmp.Compare(before[0].name, after[0].name)
		}
		switch {
		case order < 0:
			yield(delta{path: path.Join(folder, before[0].name), old: before[0].stat, had: true})
			before = before[1:]
		case order > 0:
			yield(delta{path: path.Join(folder, after[0].name), new: after[0].stat, has: true})
			after = after[1:]
		default:
			if before[0].stat != after[0].stat {
				yield(delta{path: path.Join(folder, before[0].name), old: before[0].stat, new: after[0].stat, had: true, has: true})
			}
			before, after = before[1:], after[1:]
		}
	}
}

// apply brings the tree from before to after.
func (t *tree) apply(deltas []delta) {
	folders := map[string][]delta{}
	for _, d := range deltas {
		folder := path.Dir(d.path)
		folders[folder] = append(folders[folder], d)
	}
	for folder, changes := range folders {
		t.put(folder, merged(t.folders[folder], changes))
	}
}

// merged returns entries, sorted by name, with the changes made.
func merged(entries []entry, changes []delta) []entry {
	slices.SortFunc(changes, func(a, b delta) int { return cmp.Compare(a.path, b.path) })
	after := make([]entry, 0, len(entries)+len(changes))
	for _, d := range changes {
		name := path.Base(d.path)
		i, found := slices.BinarySearchFunc(entries, name, byName)
		after = append(after, entries[:i]...)
		entries = entries[i:]
		if found {
			entries = entries[1:]
		}
		if d.has {
			after = append(after, entry{name, d.new})
		}
	}
	return append(after, entries...)
}
