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
)

const (
	rejectedInfix = ".rejected-"
	keptRejected  = 20
)

// place is what stands where the document belongs.
type place struct {
	missing bool
	// content is the file's, or nil for what cannot be ours: a link, a file
	// over the limit, or one that this user may not read.
	content []byte
}

// readPlace reads what stands at path. It follows no link, waits for no pipe and
// reads no more than maxDocument. A folder or a special file is an error.
func readPlace(path string) (place, error) {
	stat, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{missing: true}, nil
	case err != nil:
		return place{}, err
	case stat.Mode()&fs.ModeSymlink != 0, stat.Mode().IsRegular() && stat.Size() > maxDocument:
		return place{}, nil
	case !stat.Mode().IsRegular():
		return place{}, blocked(path, stat.Mode())
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ELOOP):
		return place{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return place{missing: true}, nil
	case err != nil:
		return place{}, err
	}
	defer file.Close()
	// It may have been another file by the time it was opened.
	if stat, err = file.Stat(); err != nil {
		return place{}, err
	}
	if !stat.Mode().IsRegular() {
		return place{}, blocked(path, stat.Mode())
	}
	// Room for all of it at once, and to see the end.
	content := bytes.NewBuffer(make([]byte, 0, min(stat.Size(), maxDocument)+bytes.MinRead))
	if _, err := content.ReadFrom(io.LimitReader(file, maxDocument+1)); err != nil || content.Len() > maxDocument {
		return place{}, err
	}
	return place{content: content.Bytes()}, nil
}

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

// setAsideForeign keeps a file that is not ours under another name.
func (p *Publisher) setAsideForeign(ctx context.Context, at time.Time) (PublishResult, error) {
	there, err := readPlace(p.path)
	if err != nil || there.missing {
		return PublishResult{}, err
	}
	if there.content != nil {
		sum := sha256.Sum256(there.content)
		if sum == p.last {
			return PublishResult{}, nil
		}
		if known, err := p.store.isPublished(ctx, sum[:]); err != nil || known {
			return PublishResult{}, err
		}
	}
	rejected, err := p.setAside(at)
	if err != nil {
		return PublishResult{}, err
	}
	p.logger.Warn("set aside a document that is not ours", "path", rejected)
	removed, err := p.removeOldest()
	return PublishResult{Rejected: rejected, Removed: removed}, err
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
func (p *Publisher) removeOldest() (removed []string, err error) {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return nil, err
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
			return removed, err
		}
		p.logger.Warn("removed the oldest of the documents set aside", "path", path, "kept", keptRejected)
		removed, names = append(removed, path), names[1:]
	}
	return removed, nil
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
