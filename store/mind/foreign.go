package mind

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	rejectedInfix = ".rejected-"
	keptRejected  = 20
)

// Place is what stands where the document belongs.
type Place struct {
	Missing bool
	// Content is the file's, or nil for what cannot be ours: Why says what it is.
	Content []byte
	Why     string
	// Info is the file's; nil where it is missing.
	Info fs.FileInfo
}

// readPlace reads what stands at path. It follows no link, waits for no pipe and
// reads no more than maxDocument. A folder or a special file is an error.
func readPlace(path string) (Place, error) {
	stat, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Place{Missing: true}, nil
	case err != nil:
		return Place{}, err
	case stat.Mode()&fs.ModeSymlink != 0:
		return Place{Why: "it is a link", Info: stat}, nil
	case stat.Mode().IsRegular() && stat.Size() > maxDocument:
		return Place{Why: tooLarge, Info: stat}, nil
	case !stat.Mode().IsRegular():
		return Place{Info: stat}, blocked(path, stat.Mode())
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ELOOP):
		return Place{Why: "this user may not read it", Info: stat}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Place{Missing: true}, nil
	case err != nil:
		return Place{}, err
	}
	defer file.Close()
	// It may have been another file by the time it was opened.
	if stat, err = file.Stat(); err != nil {
		return Place{}, err
	}
	if !stat.Mode().IsRegular() {
		return Place{}, blocked(path, stat.Mode())
	}
	// Room for all of it at once, and to see the end.
	content := bytes.NewBuffer(make([]byte, 0, min(stat.Size(), maxDocument)+bytes.MinRead))
	if _, err := content.ReadFrom(io.LimitReader(file, maxDocument+1)); err != nil || content.Len() > maxDocument {
		return Place{Why: tooLarge, Info: stat}, err
	}
	return Place{Content: content.Bytes(), Info: stat}, nil
}

const tooLarge = "it has more than 1 MiB"

func blocked(path string, mode fs.FileMode) error {
	what := "a special file"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return &store.Error{Code: store.CodeDocument, Path: path, Text: fmt.Sprintf("%s is %s, so the document cannot be published", path, what),
		Next: "Move it away; the document is published again at the next tick"}
}

// Foreign returns what somebody else put in the document's place, nil for
// nothing. A folder or a special file is an error.
func (p *Publisher) Foreign(ctx context.Context) (*Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stat, err := os.Lstat(p.path); err != nil || !unwritten(stat, p.aside) {
		p.aside = nil
	}
	there, foreign, err := p.look(ctx)
	p.seen = there.Info
	if err != nil || !foreign {
		return nil, err
	}
	return &there, nil
}

// Touched reports whether there is another file in the document's place than
// Foreign or Publish last saw, or the same one after it was written to.
func (p *Publisher) Touched() bool {
	stat, err := os.Lstat(p.path)
	p.mu.Lock()
	defer p.mu.Unlock()
	return err == nil && !unwritten(stat, p.seen)
}

// unwritten reports whether a file is the one that was seen before, and was not written
// to since; nil is none.
func unwritten(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}

// look reads what stands in the document's place. It is foreign unless it was
// published, taken over, or set aside.
func (p *Publisher) look(ctx context.Context) (there Place, foreign bool, err error) {
	there, err = readPlace(p.path)
	if err != nil || there.Missing || p.aside != nil && os.SameFile(there.Info, p.aside) {
		return there, false, err
	}
	if there.Content == nil {
		return there, true, nil
	}
	sum := sha256.Sum256(there.Content)
	if sum == p.last {
		return there, false, nil
	}
	known, err := p.store.isPublished(ctx, sum[:])
	return there, !known, err
}

// Adopt keeps the commands that a foreign document comes to for the next tick,
// and that it may be replaced from now on, in one transaction.
func (s *Store) Adopt(ctx context.Context, there Place, commands []subconscious.Command) error {
	return s.write(ctx, "adopt a document", func(tx *store.Tx) error {
		for _, command := range commands {
			if _, err := s.EnqueueIn(ctx, tx, command); err != nil {
				return err
			}
		}
		return putMeta(ctx, tx, metaAdopted, fmt.Sprintf("%x", sha256.Sum256(there.Content)))
	})
}

// metaAdopted is the key of the hash of the foreign document that was adopted,
// until it is replaced.
const metaAdopted = "adopted"

// SetAside keeps a foreign file under another name, after which it may be
// replaced. Older ones are removed, since 20 are kept.
func (p *Publisher) SetAside(at time.Time) (path string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if path, err = p.setAside(at); err == nil {
		p.aside, err = os.Lstat(path)
	}
	if err != nil {
		return "", explain(p.path, err)
	}
	p.logger.Warn("set aside a document that is not ours", "path", path)
	return path, p.removeOldest()
}

// setAside gives the file in the document's place a second name, under which
// there is nothing yet. A link is the better way, because the document's own
// name is then never without a file; where there are no hard links the file is
// renamed.
func (p *Publisher) setAside(at time.Time) (string, error) {
	name := p.path + rejectedInfix + at.UTC().Format("20060102T150405Z")
	for try := 1; try <= 1000; try++ {
		path := name
		if try > 1 {
			path = fmt.Sprintf("%s-%d", name, try)
		}
		err := secondName(p.path, path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, failpoint.Hit("publish.aside")
	}
	return "", fmt.Errorf("no name is left for %s", name)
}

// secondName makes the file at from known as to, and fails where there is
// something at to.
func secondName(from, to string) error {
	stat, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if stat.Mode().IsRegular() {
		if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// The name is reserved first, so that the rename overwrites nothing.
	reserved, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(reserved.Close(), os.Rename(from, to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// removeOldest removes the oldest files that were set aside, over keptRejected.
func (p *Publisher) removeOldest() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	var names []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), DocumentName+rejectedInfix) && !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, compareRejected)
	for len(names) > keptRejected {
		path := filepath.Join(p.dir, names[0])
		if err := os.Remove(path); err != nil {
			return err
		}
		p.logger.Warn("removed the oldest of the documents set aside", "path", path, "kept", keptRejected)
		names = names[1:]
	}
	return nil
}

// compareRejected orders by time, then by the number that was added: the
// shorter of two names of the same time is the older.
func compareRejected(a, b string) int {
	timeA, _, _ := strings.Cut(strings.TrimPrefix(a, DocumentName+rejectedInfix), "-")
	timeB, _, _ := strings.Cut(strings.TrimPrefix(b, DocumentName+rejectedInfix), "-")
	if order := strings.Compare(timeA, timeB); order != 0 {
		return order
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return bytes.Compare([]byte(a), []byte(b))
}
