package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
	"syscall"

	watched "github.com/subconsciousd/subconsciousd/senses/folder"
)

// folder is the root as one collect sees it.
type folder struct {
	root   *os.Root
	rules  *rules
	limit  int // of files
	device uint64
	// real remembers which folders are folders, and no symlinks.
	real map[string]bool
	// shut are folders that could not be read, and why, at most maxNamed;
	// skipped counts paths that are too long or too deep.
	shut    []shutFolder
	skipped int
	full    bool // more files than the limit
	// progress counts the files seen, for people to read.
	progress *atomic.Int64
}

type shutFolder struct {
	path string
	err  error
}

// maxNamed bounds what is remembered of folders that cannot be read.
const maxNamed = 100

func openFolder(name string, r *rules, limit int) (*folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, blind(name, err)
	}
	info, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, blind(name, err)
	}
	return &folder{root: root, rules: r, limit: limit, device: deviceOf(info), real: map[string]bool{".": true}}, nil
}

func (f *folder) close() { f.root.Close() }

// blind says what is wrong with the root, and what to do.
func blind(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s is not there; create it, mount it, or correct its path in the configuration: %w", name, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the folder %s may not be read; give this user the right to read it: %w", name, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is not a folder; correct its path in the configuration: %w", name, err)
	}
	return fmt.Errorf("the folder %s cannot be read: %w", name, err)
}

// Probe looks at a folder of files as the sense would.
func Probe(ctx context.Context, c Config) (watched.Probe, error) {
	s := Sense{config: c}
	r := s.newRules()
	w := watched.Walk{Bounds: watched.Bounds{Files: DefaultMaxFiles, Listed: maxListed, Depth: maxDepth, Path: maxPath}, Skip: r.ignored}
	return w.Probe(ctx, c.Path)
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
func (f *folder) find(file string) (presence, stat) {
	if !f.isFolder(path.Dir(file)) {
		return absent, stat{}
	}
	info, err := f.root.Lstat(file)
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
func (f *folder) isFolder(name string) bool {
	if is, known := f.real[name]; known {
		return is
	}
	is := f.isFolder(path.Dir(name))
	if is {
		info, err := f.root.Lstat(name)
		is = err == nil && info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	f.real[name] = is
	return is
}

// exists reports whether there is a folder of that name.
func (f *folder) exists(name string) bool {
	what, _ := f.find(name)
	return what == inner
}

// walk collects the files below the folder start into t. It fails only when
// start itself cannot be read, or when ctx is done.
func (f *folder) walk(ctx context.Context, start string, t *tree) error {
	waiting := []string{start}
	for len(waiting) > 0 && !f.full {
		name := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		below, err := f.list(ctx, name, t)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			if name == start {
				return err
			}
			f.shutOut(name, err)
		}
		waiting = append(waiting, below...)
	}
	return nil
}

func (f *folder) shutOut(name string, err error) {
	if len(f.shut) < maxNamed {
		f.shut = append(f.shut, shutFolder{name, err})
	}
}

// list puts the files of one folder into t, and returns the folders in it.
func (f *folder) list(ctx context.Context, name string, t *tree) (below []string, err error) {
	infos, err := f.read(ctx, name)
	if err != nil {
		return nil, err
	}
	f.learnRules(name, infos)
	var entries []entry
	for _, info := range infos {
		file := path.Join(name, info.Name())
		if len(file) > maxPath {
			f.skipped++
			continue
		}
		if (!info.IsDir() && !info.Mode().IsRegular()) || f.rules.ignored(file, info.IsDir()) {
			continue
		}
		switch {
		case info.IsDir() && depth(file) > maxDepth:
			f.skipped++
		case info.IsDir():
			below = append(below, file)
		case t.files+len(entries) >= f.limit:
			f.full = true
		default:
			entries = append(entries, entry{info.Name(), statOf(info)})
		}
	}
	t.put(name, entries)
	if f.progress != nil {
		f.progress.Store(int64(t.files))
	}
	return below, nil
}

// read lists a folder in portions, at most entryFactor times as many entries
// as there may be files.
func (f *folder) read(ctx context.Context, name string) ([]fs.FileInfo, error) {
	const entryFactor = 4
	dir, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var infos []fs.FileInfo
	for ctx.Err() == nil {
		portion, err := dir.Readdir(1024)
		infos = append(infos, portion...)
		if len(infos) > entryFactor*f.limit {
			f.full = true
			return infos, nil
		}
		if errors.Is(err, io.EOF) {
			return infos, nil
		}
		if err != nil {
			return infos, err
		}
	}
	return nil, ctx.Err()
}

// learnRules spares a collect for the ignore file of a folder that has none.
func (f *folder) learnRules(name string, infos []fs.FileInfo) {
	for _, info := range infos {
		if info.Name() == gitignoreName {
			return
		}
	}
	f.rules.none(name)
}

func depth(file string) int {
	n := 0
	for i := range len(file) {
		if file[i] == '/' {
			n++
		}
	}
	return n
}

// head returns the first n bytes of a regular file. It never waits for a pipe
// that took the file's place.
func (f *folder) head(file string, n int) ([]byte, error) {
	if !f.isFolder(path.Dir(file)) {
		return nil, fs.ErrNotExist
	}
	opened, err := f.root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	data := make([]byte, n)
	got, err := io.ReadFull(opened, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return data[:got], nil
}
