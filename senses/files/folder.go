package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// disk is the folder as one collect sees it.
type disk struct {
	*os.Root
	rules  *rules
	bounds folder.Bounds
	device uint64
	// real remembers which folders are folders, and no symlinks.
	real map[string]bool
	// shut are folders that could not be read, at most maxNamed; skipped counts
	// paths that are too long or too deep.
	shut    []folder.Closed
	skipped int
	full    bool // more files than the limit
	// progress counts the files seen, for people to read.
	progress *atomic.Int64
}

// maxNamed bounds what is remembered of folders that cannot be read.
const maxNamed = 100

func openDisk(name string, r *rules, b folder.Bounds) (*disk, error) {
	root, err := folder.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(folder.Blind(name, err), root.Close())
	}
	return &disk{Root: root, rules: r, bounds: b, device: deviceOf(info), real: map[string]bool{".": true}}, nil
}

// presence of a path.
type presence int

const (
	absent  presence = iota
	regular          // a file
	inner            // a folder
	unknown          // it cannot be told
)

// find says what is at a path, following no symlink at all.
func (f *disk) find(file string) (presence, stat) {
	if !f.isFolder(path.Dir(file)) {
		return absent, stat{}
	}
	info, err := f.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return absent, stat{}
	case err != nil:
		return unknown, stat{}
	case info.IsDir():
		return inner, stat{}
	case !info.Mode().IsRegular():
		return absent, stat{}
	}
	return regular, statOf(info)
}

// isFolder reports whether a folder, and all above it, are folders and no
// symlinks. One that cannot be told counts as a folder.
func (f *disk) isFolder(name string) bool {
	if is, known := f.real[name]; known {
		return is
	}
	is := f.isFolder(path.Dir(name))
	if is {
		info, err := f.Lstat(name)
		is = err == nil && info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	f.real[name] = is
	return is
}

// exists reports whether there is a folder of that name.
func (f *disk) exists(name string) bool {
	what, _ := f.find(name)
	return what == inner
}

// walk collects the files below the folder start into t. It fails only when
// the root itself cannot be read, or when ctx is done.
func (f *disk) walk(ctx context.Context, start string, t *tree) error {
	w := folder.Walk{Root: f.Root, Bounds: f.bounds, Skip: f.rules.ignored, Enter: f.learnRules, Folder: func(name string, files []fs.FileInfo) bool {
		room := f.bounds.Files - t.files
		if len(files) > room {
			files, f.full = files[:room], true
		}
		entries := make([]entry, len(files))
		for i, info := range files {
			entries[i] = entry{info.Name(), statOf(info)}
		}
		t.put(name, entries)
		if f.progress != nil {
			f.progress.Store(int64(t.files))
		}
		return !f.full
	}}
	err := w.Below(ctx, start)
	f.shut = append(f.shut, w.Closed...)
	f.shut = f.shut[:min(len(f.shut), maxNamed)]
	f.skipped, f.full = f.skipped+w.Skipped, f.full || w.Full
	return err
}

// learnRules spares a collect for the ignore file of a folder that has none.
func (f *disk) learnRules(name string, entries []fs.DirEntry) {
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == gitignoreName }) {
		f.rules.none(name)
	}
}

// head returns the first n bytes of a regular file. It never waits for a pipe
// that took the file's place.
func (f *disk) head(file string, n int) ([]byte, error) {
	if !f.isFolder(path.Dir(file)) {
		return nil, fs.ErrNotExist
	}
	opened, _, err := folder.Open(f.Root, file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	data := make([]byte, n)
	got, err := io.ReadFull(opened, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return data[:got], nil
}
