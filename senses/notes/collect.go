package notes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxChanged is how many files one collect tells of after the first, and
	// maxItems how many promises; the rest follow.
	maxChanged = 4000
	maxItems   = 20_000
	// emptyFor is how long an empty file is given that had something in it.
	emptyFor = time.Second
)

// skips leaves out what is no note by its name.
func skips(rel string, dir bool) bool {
	name := path.Base(rel)
	if dir || strings.HasPrefix(name, ".") {
		return strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__"
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdc", ".txt", ".text":
		return strings.HasSuffix(name, "~")
	case "":
		return name != "TODO" && name != "NOTES"
	}
	return true
}

// isPlain reports whether a note is plain text and no markdown.
func isPlain(rel string) bool {
	ext := strings.ToLower(path.Ext(rel))
	return ext == ".txt" || ext == ".text" || ext == ""
}

var (
	errTooLarge = folder.Reason(fmt.Sprintf("larger than %d KiB", foreign.MaxBytes>>10))
	errMoving   = errors.New("being written")
)

// content is a file as it was read.
type content struct {
	stat folder.Stat
	data []byte
	hash uint64
	when time.Time // of the last change
}

// readNote reads a note whole. A file that changes meanwhile is read again.
func readNote(disk *folder.Disk, rel string) (c content, err error) {
	for range 3 {
		if c, err = readOnce(disk, rel); !errors.Is(err, errMoving) {
			break
		}
	}
	return c, err
}

func readOnce(disk *folder.Disk, rel string) (content, error) {
	f, before, err := disk.File(rel)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	if before.Size() > foreign.MaxBytes {
		return content{}, errTooLarge
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
	return content{folder.StatOf(after), data, binary.LittleEndian.Uint64(sum[:8]), after.ModTime()}, nil
}

// collect is one Collect as it goes on.
type collect struct {
	*folder.Look[entry]
	items int // promises in the batch
	// left are files that are gone, by their content: one of them may have
	// been renamed. taken are those that were.
	left  map[uint64][]string
	taken map[string]bool
	used  map[string]bool // origins given out in this collect
	// origins are the paths by which the promises of other files are known, once
	// asked for.
	origins map[string]string
}

// read reads the notes that are new or were touched, and ends those that are gone.
func read(_, limited context.Context, look *folder.Look[entry]) {
	l := &collect{Look: look, left: map[uint64][]string{}, taken: map[string]bool{}, used: map[string]bool{}}
	for _, rel := range l.Gone {
		if e := l.Known(rel); e.size > 0 && !e.marked && e.hash != 0 {
			l.left[e.hash] = append(l.left[e.hash], rel)
		}
	}
	complete := true
	for _, rel := range l.Read {
		if limited.Err() != nil || l.full() {
			l.Later[rel] = struct{}{}
			complete = false
			continue
		}
		l.file(rel)
	}
	for _, rel := range l.Gone {
		switch {
		case l.taken[rel]:
		case !complete || l.full(): // it may yet turn up under another name
			l.Later[rel] = struct{}{}
		default:
			l.gone(rel)
		}
	}
}

// full reports whether the collect has found as much as one batch should hold.
func (l *collect) full() bool {
	return l.Begun() && len(l.Files) >= maxChanged || l.items >= maxItems
}

// file reads one note and tells what is new.
func (l *collect) file(rel string) {
	before := l.Known(rel)
	c, err := readNote(l.Dir, rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if before != nil {
			l.gone(rel)
		}
		return
	case errors.Is(err, errMoving):
		l.Later[rel] = struct{}{}
		return
	}
	if l.Unread(rel, err); err != nil {
		return
	}
	if age := l.At.Sub(c.when); len(c.data) == 0 && before != nil && before.size > 0 && age >= 0 && age < emptyFor {
		l.Later[rel] = struct{}{} // an editor empties a file before it writes it
		return
	}
	now := &entry{mtime: c.stat.Time, size: c.stat.Size, hash: c.hash}
	if time.Since(c.when) < folder.Racy {
		now.mtime = 0
	}
	if before != nil && before.hash == c.hash && before.size == c.stat.Size {
		if before.mtime != now.mtime {
			l.Files[rel] = new(*before)
			l.Files[rel].mtime = now.mtime
		}
		return
	}
	from := ""
	if before == nil {
		before, from = l.renamed(rel, c.hash, c.stat.Size)
	}
	l.changed(rel, from, before, now, c)
}

// renamed finds the file that is gone and had that content.
func (l *collect) renamed(rel string, hash uint64, size int64) (before *entry, from string) {
	best := ""
	for _, old := range l.left[hash] {
		if l.taken[old] || l.Known(old).size != size {
			continue
		}
		if best == "" || path.Base(old) == path.Base(rel) && path.Base(best) != path.Base(rel) {
			best = old
		}
	}
	if best == "" {
		return nil, ""
	}
	l.taken[best] = true
	l.Files[best] = nil
	return l.Known(best), best
}

// changed works out what a file that is new, renamed or another than before
// says.
func (l *collect) changed(rel, from string, before, now *entry, c content) {
	l.Files[rel] = now
	now.origin = l.origin(rel, from, before)
	text := string(bytes.ToValidUTF8(c.data, []byte("\uFFFD")))
	now.marked = folder.Marked(c.data)
	var items []subconscious.Observation
	body := 1
	if !now.marked {
		d := foreign.Parse(c.data, isPlain(rel))
		body = d.Body
		now.lines, now.many = lineHashes(text)
		promises := readPromises(d, path.Base(rel))
		now.open = len(promises) > 0
		items = l.promises(rel, now, before, d, promises, c.when)
	}
	l.items += len(items)
	if now.open || before != nil && before.open {
		l.Batch.Sets = append(l.Batch.Sets, senses.Set{Scope: scope(rel, now), Items: items})
	}
	if !l.Begun() || now.marked || before != nil && before.marked {
		return
	}
	switch {
	case before == nil:
		l.note(rel, "created", "", compare(&entry{}, now, text, body))
	case from != "":
		l.note(rel, "renamed", from, difference{})
	default:
		if d := compare(before, now, text, body); d.unknown || d.plus+d.minus > 0 {
			l.note(rel, "changed", "", d)
		}
	}
}

// origin returns the path by which the promises of a file are known, "" for
// its own. No two files share one.
func (l *collect) origin(rel, from string, before *entry) string {
	if before != nil {
		origin := scope(rel, before)
		if from != "" && before.origin == "" {
			origin = safeName(from)
		}
		l.used[origin] = true
		if origin == safeName(rel) {
			return ""
		}
		return origin
	}
	if l.origins == nil {
		l.origins = map[string]string{}
		for holder, e := range l.All() {
			if e.origin != "" {
				l.origins[e.origin] = holder
			}
		}
	}
	name := safeName(rel)
	origin := name
	for n := 2; ; n++ {
		if holder, taken := l.origins[origin]; !l.used[origin] && (!taken || holder == rel) {
			break
		}
		origin = fmt.Sprintf("%s~%d", name, n)
	}
	if origin == name {
		return ""
	}
	l.used[origin] = true
	return origin
}

// scope names the set of a file's promises.
func scope(rel string, e *entry) string {
	if e.origin != "" {
		return e.origin
	}
	return safeName(rel)
}

// gone tells that a file is no longer there.
func (l *collect) gone(rel string) {
	e := l.Known(rel)
	l.Files[rel] = nil
	l.Unread(rel, nil)
	if e.open {
		l.Batch.Sets = append(l.Batch.Sets, senses.Set{Scope: scope(rel, e)})
	}
	if l.Begun() && !e.marked {
		l.note(rel, "deleted", "", difference{})
	}
}
