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
	*Disk
	Bounds
	// Skip leaves out a path, and all that is below it.
	Skip func(rel string, dir bool) bool
	// Enter, if set, is told what a folder holds before any of it is judged.
	Enter func(folder string, entries []fs.DirEntry)
	// Folder takes the files of a folder. It returns false for enough.
	Folder func(folder string, files []fs.FileInfo) bool

	Missed
	// Folders counts those that were looked into, listed all names.
	Folders, listed int
}

// Missed is what of a folder could not be seen.
type Missed struct {
	// Closed are folders that could not be read: what lies in them is not known.
	Closed []Closed
	// Full: there is more than is looked at. Skipped counts paths that are too
	// long or too deep.
	Full    bool
	Skipped int
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

// At looks at one path, and at all below it where it is a folder.
func (w *Walk) At(ctx context.Context, rel string) error {
	info, err := w.Find(rel)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		w.Closed = append(w.Closed, Closed{rel, err})
	case len(rel) > w.Path || info.IsDir() && Depth(rel) > w.Depth || Skips(w.Skip, rel, info.IsDir()):
	case info.IsDir():
		return w.Below(ctx, rel)
	case !w.Folder(path.Dir(rel), []fs.FileInfo{info}):
		w.Full = true
	}
	return nil
}

// Skips judges a path together with all folders above it.
func Skips(skip func(rel string, dir bool) bool, rel string, dir bool) bool {
	for i := range len(rel) {
		if rel[i] == '/' && skip(rel[:i], true) {
			return true
		}
	}
	return rel != "." && skip(rel, dir)
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
	f, err := w.Open(folder)
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

// Disk is a folder as one collect sees it: no symlink below it is followed.
type Disk struct {
	*os.Root
	Info fs.FileInfo // of the folder itself
	// folders remembers which names are folders, and no symlinks.
	folders map[string]bool
}

// OpenDisk opens the folder. The error says what is wrong, and what to do.
func OpenDisk(name string) (*Disk, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		if info, statErr := os.Stat(name); statErr == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		return nil, Blind(name, err)
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(Blind(name, err), root.Close())
	}
	return &Disk{root, info, map[string]bool{}}, nil
}

// Find tells what is at a path: a file or a folder. Whatever else is there is as
// good as nothing, fs.ErrNotExist; with another error it cannot be told.
func (d *Disk) Find(rel string) (fs.FileInfo, error) {
	if !d.isFolder(path.Dir(rel)) {
		return nil, fs.ErrNotExist
	}
	info, err := d.Lstat(rel)
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return info, err
}

// isFolder reports whether a folder, and all above it, are folders. One that
// cannot be told counts as a folder.
func (d *Disk) isFolder(name string) bool {
	if name == "." {
		return true
	}
	is, known := d.folders[name]
	if !known {
		info, err := d.Find(name)
		is = err == nil && info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist)
		d.folders[name] = is
	}
	return is
}

// Forget forgets what was found so far.
func (d *Disk) Forget() { clear(d.folders) }

// Blind says why a folder cannot be looked at, and what to do.
func Blind(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return blind{fmt.Sprintf("the folder %s is not there; create it, mount it, or correct its path in the configuration", name), err}
	case errors.Is(err, fs.ErrPermission):
		return blind{fmt.Sprintf("the folder %s may not be read; give this user the right to read it", name), err}
	case errors.Is(err, syscall.ENOTDIR):
		return blind{fmt.Sprintf("%s is not a folder; correct its path in the configuration", name), err}
	}
	return fmt.Errorf("the folder %s cannot be read: %w", name, err)
}

// blind says all there is to say; what the system said would only repeat it.
type blind struct {
	says  string
	cause error
}

func (b blind) Error() string { return b.says }
func (b blind) Unwrap() error { return b.cause }

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
func (b Bounds) Complaint(root, noun string, m Missed) string {
	var wrong []string
	if len(m.Closed) > 0 {
		const named = 3
		var names []string
		for _, c := range m.Closed[:min(len(m.Closed), named)] {
			names = append(names, fmt.Sprintf("%s (%v)", path.Join(root, c.Path), c.Err))
		}
		if more := len(m.Closed) - named; more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		wrong = append(wrong, "cannot be read: "+strings.Join(names, ", ")+"; give this user the right to read, or add an ignore pattern")
	}
	if m.Full {
		wrong = append(wrong, fmt.Sprintf("%s holds more than %s %s, or too many names; no more are followed; add ignore patterns for what does not matter",
			root, humanize.Comma(int64(b.Files)), noun))
	}
	if m.Skipped > 0 {
		wrong = append(wrong, fmt.Sprintf("paths that are too long, or more than %d folders deep, are not followed (%s)", b.Depth, humanize.Comma(int64(m.Skipped))))
	}
	return strings.Join(wrong, "; ")
}

// File opens a file, and looks what it is. A name that became a pipe does not
// hold it up.
func (d *Disk) File(rel string) (*os.File, fs.FileInfo, error) {
	if !d.isFolder(path.Dir(rel)) {
		return nil, nil, fs.ErrNotExist
	}
	f, err := d.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
	disk, err := OpenDisk(folder)
	if err != nil {
		return p, err
	}
	defer disk.Close()
	w.Disk = disk
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
