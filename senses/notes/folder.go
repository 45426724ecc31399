package notes

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/senses/folder"
)

const (
	maxNotes = 20_000
	// maxListed bounds the names that one walk looks at.
	maxListed = 400_000
	maxDepth  = 32
	maxPath   = 1024
	// racy is how recent a file's time may be for a later change to share it.
	racy = 2 * time.Second
)

// stat is what tells a file that was touched from one that was not.
type stat struct {
	mtime, size int64
}

// rules say which names are notes.
type rules struct {
	ignore  *gitignore.Matcher
	exclude []string // folders below the root that are the daemon's own
}

func (r rules) skips(rel string, dir bool) bool {
	if name := path.Base(rel); strings.HasPrefix(name, ".") || dir && (name == "node_modules" || name == "__pycache__") {
		return true
	}
	for _, folder := range r.exclude {
		if rel == folder || strings.HasPrefix(rel, folder+"/") {
			return true
		}
	}
	if !dir && !isNote(rel) || len(rel) > maxPath {
		return true
	}
	return r.ignore.MatchPath(rel, dir)
}

// Probe looks at a folder of notes as the sense would.
func Probe(ctx context.Context, c Config) (folder.Probe, error) {
	r := rules{ignore: folder.Patterns(c.Ignore...)}
	w := folder.Walk{Bounds: folder.Bounds{Files: maxNotes, Listed: maxListed, Depth: maxDepth, Path: maxPath}, Skip: r.skips}
	return w.Probe(ctx, c.Path)
}

// skipsPath judges a path together with all folders above it.
func (r rules) skipsPath(rel string, dir bool) bool {
	for i := range len(rel) {
		if rel[i] == '/' && r.skips(rel[:i], true) {
			return true
		}
	}
	return r.skips(rel, dir)
}

// isNote judges by the name alone.
func isNote(rel string) bool {
	name := path.Base(rel)
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdc", ".txt", ".text":
		return !strings.HasSuffix(name, "~")
	case "":
		return name == "TODO" || name == "NOTES"
	}
	return false
}

// isPlain reports whether a note is plain text and no markdown.
func isPlain(rel string) bool {
	ext := strings.ToLower(path.Ext(rel))
	return ext == ".txt" || ext == ".text" || ext == ""
}

// listing is what a walk found.
type listing struct {
	notes map[string]stat
	// closed are folders that could not be read; what is known below them is
	// taken to be as it was.
	closed []string
	listed int
	full   bool // maxListed or maxDepth ended it
}

func (l *listing) isClosed(rel string) bool {
	for _, folder := range l.closed {
		if folder == "." || strings.HasPrefix(rel, folder+"/") {
			return true
		}
	}
	return false
}

// walk lists the notes of a folder below root. Symlinks are not followed.
func (l *listing) walk(ctx context.Context, root *os.Root, r rules, folder string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := root.Open(folder)
	if err != nil {
		return l.close(folder, err)
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(512)
		for _, e := range entries {
			if l.listed++; l.listed > maxListed {
				l.full = true
				return l.close(folder, nil)
			}
			if err := l.entry(ctx, root, r, folder, e, depth); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return l.close(folder, err)
		}
	}
}

// close notes that a folder was not read to its end. A folder that is gone has
// nothing in it; the root itself must be readable.
func (l *listing) close(folder string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && folder != "." {
		return nil
	}
	if folder == "." && err != nil {
		return err
	}
	l.closed = append(l.closed, folder)
	return nil
}

func (l *listing) entry(ctx context.Context, root *os.Root, r rules, folder string, e fs.DirEntry, depth int) error {
	rel := e.Name()
	if folder != "." {
		rel = folder + "/" + rel
	}
	switch {
	case e.IsDir():
		if r.skips(rel, true) {
			return nil
		}
		if depth >= maxDepth {
			l.full = true
			return nil
		}
		return l.walk(ctx, root, r, rel, depth+1)
	case !e.Type().IsRegular() || r.skips(rel, false):
		return nil
	}
	info, err := e.Info()
	if err != nil { // it went away between the two checks
		return nil
	}
	l.notes[rel] = stat{mtime: info.ModTime().UnixNano(), size: info.Size()}
	return nil
}

var (
	errTooLarge = fmt.Errorf("larger than %d KiB", foreign.MaxBytes>>10)
	errNotFile  = errors.New("not a regular file")
	errMoving   = errors.New("being written")
)

// content is a file as it was read.
type content struct {
	stat stat
	data []byte
	hash uint64
	when time.Time // of the last change
}

// read reads a note whole. A file that changes meanwhile is read again.
func read(root *os.Root, rel string) (content, error) {
	for range 3 {
		c, err := readOnce(root, rel)
		if !errors.Is(err, errMoving) {
			return c, err
		}
	}
	return content{}, errMoving
}

func readOnce(root *os.Root, rel string) (content, error) {
	// A name that became a pipe must not hold everything up.
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	before, err := f.Stat()
	switch {
	case err != nil:
		return content{}, err
	case !before.Mode().IsRegular():
		return content{}, errNotFile
	case before.Size() > foreign.MaxBytes:
		return content{stat: stat{before.ModTime().UnixNano(), before.Size()}}, errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, foreign.MaxBytes+1))
	if err != nil {
		return content{}, err
	}
	after, err := f.Stat()
	if err != nil {
		return content{}, err
	}
	if after.Size() != int64(len(data)) || !after.ModTime().Equal(before.ModTime()) {
		return content{}, errMoving
	}
	sum := sha256.Sum256(data)
	return content{
		stat: stat{after.ModTime().UnixNano(), after.Size()},
		data: data,
		hash: binary.LittleEndian.Uint64(sum[:8]),
		when: after.ModTime(),
	}, nil
}
