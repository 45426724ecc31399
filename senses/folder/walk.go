package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Bounds are how much of a folder is looked at.
type Bounds struct {
	Files  int // that are followed
	Listed int // names that one walk looks at
	Depth  int // of folders below each other
	Path   int // bytes of a path below the folder
}

// Walk is one way through a folder and those below it.
type Walk struct {
	Root *os.Root
	Bounds
	// Skip leaves out a path, and all that is below it.
	Skip func(rel string, dir bool) bool
	// Enter, if set, is told what a folder holds before any of it is judged.
	Enter func(folder string, entries []fs.DirEntry)
	// Folder takes the files of a folder. It returns false for enough.
	Folder func(folder string, files []fs.FileInfo) bool

	// Closed are folders that could not be read: what lies in them is not known.
	Closed []Closed
	// Full: it ended before it had seen all. Skipped counts paths that are too
	// long or too deep.
	Full    bool
	Skipped int
	// Folders counts those that were looked into, listed all names.
	Folders, listed int
}

// Closed is a folder that could not be read, and why.
type Closed struct {
	Path string
	Err  error
}

// Below looks through the folder start and all below it. It fails only where
// the root itself cannot be read, or when ctx is done.
func (w *Walk) Below(ctx context.Context, start string) error {
	waiting := []string{start}
	for len(waiting) > 0 && !w.Full {
		folder := waiting[len(waiting)-1]
		below, err := w.list(ctx, folder)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && folder == ".":
			return err
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			w.Closed = append(w.Closed, Closed{folder, err})
		}
		waiting = append(waiting[:len(waiting)-1], below...)
	}
	return nil
}

// list hands on the files of one folder, and returns the folders in it.
func (w *Walk) list(ctx context.Context, folder string) (below []string, err error) {
	w.Folders++
	entries, err := w.read(ctx, folder)
	if err != nil {
		return nil, err
	}
	if w.Enter != nil {
		w.Enter(folder, entries)
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		rel := entry.Name()
		if folder != "." {
			rel = folder + "/" + rel
		}
		dir := entry.IsDir()
		switch {
		case !dir && !entry.Type().IsRegular():
		case w.Skip(rel, dir):
		case len(rel) > w.Path || dir && Depth(rel) > w.Depth:
			w.Skipped++
		case !dir:
			if info, err := entry.Info(); err == nil { // else it went away meanwhile
				files = append(files, info)
			}
		default:
			below = append(below, rel)
		}
	}
	if !w.Folder(folder, files) {
		w.Full = true
	}
	return below, nil
}

// Depth is how many folders a path goes down.
func Depth(rel string) int { return strings.Count(rel, "/") }

// read lists a folder in portions.
func (w *Walk) read(ctx context.Context, folder string) ([]fs.DirEntry, error) {
	f, err := w.Root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for ctx.Err() == nil {
		portion, err := f.ReadDir(1024)
		all = append(all, portion...)
		if w.listed += len(portion); w.listed > w.Listed {
			w.Full = true
			return all, nil
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// OpenRoot opens the folder. The error says what is wrong, and what to do.
func OpenRoot(name string) (*os.Root, error) {
	root, err := os.OpenRoot(name)
	if err == nil {
		return root, nil
	}
	if info, statErr := os.Stat(name); statErr == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	return nil, Blind(name, err)
}

// Blind says why a folder cannot be looked at, and what to do.
func Blind(name string, err error) error {
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

// Reason says in plain words what a file is that is not read.
type Reason string

// Error returns it.
func (r Reason) Error() string { return string(r) }

// Marked reports whether a file with that beginning carries the daemon's mark,
// or is no text.
func Marked(head []byte) bool {
	head = head[:min(len(head), MarkWithin)]
	return bytes.Contains(head, []byte(subconscious.Mark)) || bytes.IndexByte(head, 0) >= 0
}

// MarkWithin is how far into a file the daemon's mark is looked for.
const MarkWithin = 4 << 10

// Complaint says in plain words what of a folder cannot be seen.
func (b Bounds) Complaint(root, noun string, closed []Closed, full bool, skipped int) string {
	var wrong []string
	if len(closed) > 0 {
		const named = 3
		var names []string
		for _, c := range closed[:min(len(closed), named)] {
			names = append(names, fmt.Sprintf("%s (%v)", path.Join(root, c.Path), c.Err))
		}
		if more := len(closed) - named; more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		wrong = append(wrong, "cannot be read: "+strings.Join(names, ", ")+"; give this user the right to read, or add an ignore pattern")
	}
	if full {
		wrong = append(wrong, fmt.Sprintf("%s holds more than %s %s, or too many names; no more are followed; add ignore patterns for what does not matter",
			root, humanize.Comma(int64(b.Files)), noun))
	}
	if skipped > 0 {
		wrong = append(wrong, fmt.Sprintf("paths that are too long, or more than %d folders deep, are not followed (%s)", b.Depth, humanize.Comma(int64(skipped))))
	}
	return Join(wrong...)
}

// Open opens a file below the root, and looks what it is. A name that became a
// pipe does not hold it up.
func Open(root *os.Root, rel string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = Reason("not a regular file")
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// Probe is what a first look at a folder finds, before a sense follows it.
type Probe struct {
	Path string
	// Files are how many would be followed, and Most how many may be. Folders are
	// how many would be watched.
	Files, Most, Folders int
	// Closed is a folder that cannot be read, "" for none.
	Closed string
	// More: it ended before it had seen all.
	More bool
}

// Probe looks through the folder until the context ends; Folder of the walk is
// not called. The error says that the folder is not there (fs.ErrNotExist) or
// cannot be read, and what to do.
func (w *Walk) Probe(ctx context.Context, folder string) (Probe, error) {
	p := Probe{Path: folder, Most: w.Files}
	root, err := OpenRoot(folder)
	if err != nil {
		return p, err
	}
	defer root.Close()
	w.Root = root
	w.Folder = func(_ string, files []fs.FileInfo) bool { p.Files += len(files); return true }
	if err := w.Below(ctx, "."); err != nil && ctx.Err() == nil {
		return p, Blind(folder, err)
	}
	p.Folders, p.More = w.Folders, w.Full || ctx.Err() != nil
	if len(w.Closed) > 0 {
		p.Closed = filepath.Join(folder, filepath.FromSlash(path.Clean(w.Closed[0].Path)))
	}
	return p, nil
}
