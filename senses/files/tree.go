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

func (t *tree) get(file string) (stat, bool) {
	entries := t.folders[path.Dir(file)]
	i, ok := slices.BinarySearchFunc(entries, path.Base(file), func(e entry, name string) int { return cmp.Compare(e.name, name) })
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

// below calls yield for each file in or below the folders, in no order.
func (t *tree) below(folders map[string]bool, yield func(file string, s stat)) {
	if len(folders) == 0 {
		return
	}
	for name, entries := range t.folders {
		if !folder.Under(name, folders) {
			continue
		}
		for _, e := range entries {
			yield(path.Join(name, e.name), e.stat)
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
	compare := func(folder string, was, is []entry) {
		left := map[string]stat{}
		for _, e := range was {
			left[e.name] = e.stat
		}
		for _, e := range is {
			old, had := left[e.name]
			delete(left, e.name)
			yield(delta{path: path.Join(folder, e.name), old: old, new: e.stat, had: had, has: true})
		}
		for name, old := range left {
			yield(delta{path: path.Join(folder, name), old: old, had: true})
		}
	}
	for folder, was := range before.folders {
		if is := after.folders[folder]; !slices.Equal(was, is) {
			compare(folder, was, is)
		}
	}
	for folder, is := range after.folders {
		if _, both := before.folders[folder]; !both {
			compare(folder, nil, is)
		}
	}
}

// apply brings the tree from before to after.
func (t *tree) apply(deltas []delta) {
	changed := map[string]map[string]stat{}
	for _, d := range deltas {
		folder, name := path.Dir(d.path), path.Base(d.path)
		files := changed[folder]
		if files == nil {
			files = make(map[string]stat, len(t.folders[folder]))
			for _, e := range t.folders[folder] {
				files[e.name] = e.stat
			}
			changed[folder] = files
		}
		if d.has {
			files[name] = d.new
		} else {
			delete(files, name)
		}
	}
	for folder, files := range changed {
		entries := make([]entry, 0, len(files))
		for name, s := range files {
			entries = append(entries, entry{name, s})
		}
		t.put(folder, entries)
	}
}
