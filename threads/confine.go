package threads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// confined is one root, opened for one call: nothing outside it can be reached
// through it, nothing through a symbolic link, and nothing that is excluded.
type confined struct {
	Root
	opened   *os.Root
	excluded []fs.FileInfo
	secret   func(path string) bool
}

// What a model is told of a file that it may not read. They say no more than
// that.
var (
	errOutside  = errors.New("the path leads out of the folder")
	errLink     = errors.New("it is a symbolic link, or lies behind one; those are not followed")
	errExcluded = errors.New("it belongs to the daemon and is not read")
	errHidden   = errors.New("it is hidden, or lies in a hidden folder, where tools keep what is their own; those are not read")
	errSecret   = errors.New("it looks like a secret and is not read")
	errSpecial  = errors.New("it is no regular file")
	errNames    = errors.New("it has several names (hard links), of which some may lie elsewhere, and is not read")
	errBinary   = errors.New("it is not text")
	errOwn      = errors.New("the daemon wrote it, and does not take its own words for the world")
	errAbsent   = errors.New("there is no such file")
)

// confine opens a root.
func (r *Registry) confine(root Root) (*confined, error) {
	opened, err := os.OpenRoot(root.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder %q is not there", root.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be read", root.ID)
	}
	c := &confined{Root: root, opened: opened, secret: r.options.Secret}
	for _, folder := range r.options.Excluded {
		if info, err := os.Stat(folder); err == nil {
			c.excluded = append(c.excluded, info)
		}
	}
	if err := c.checkSelf(); err != nil {
		opened.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the root.
func (c *confined) Close() error { return c.opened.Close() }

// checkSelf refuses a root that lies within what is excluded.
func (c *confined) checkSelf() error {
	real, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return fmt.Errorf("the folder %q cannot be read", c.ID)
	}
	for {
		if info, err := os.Stat(real); err == nil && c.excludes(info) {
			return errExcluded
		}
		parent := filepath.Dir(real)
		if parent == real {
			return nil
		}
		real = parent
	}
}

// excludes compares folders by what they are, not by how they are spelt.
func (c *confined) excludes(info fs.FileInfo) bool {
	for _, folder := range c.excluded {
		if os.SameFile(folder, info) {
			return true
		}
	}
	return false
}

// check looks at every part of a path below the root, and returns what the file
// is.
func (c *confined) check(file string) (info fs.FileInfo, err error) {
	if !filepath.IsLocal(filepath.FromSlash(file)) || path.Clean(file) != file || strings.ContainsAny(file, "\\\x00") {
		return nil, errOutside
	}
	if c.secret(filepath.Join(c.Path, filepath.FromSlash(file))) {
		return nil, errSecret
	}
	parts := strings.Split(file, "/")
	if slices.ContainsFunc(parts, func(part string) bool { return len(part) > 1 && part[0] == '.' }) {
		return nil, errHidden
	}
	for i := range parts {
		info, err = c.opened.Lstat(filepath.FromSlash(strings.Join(parts[:i+1], "/")))
		switch {
		case err != nil:
			return nil, errAbsent
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, errLink
		case c.excludes(info):
			return nil, errExcluded
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, errSpecial
	case names(info) > 1:
		return nil, errNames
	}
	return info, nil
}

// read returns the first limit bytes of a text, and whether there is more. It
// never waits for another end of a pipe.
func (c *confined) read(ctx context.Context, file string, limit int) (text string, more bool, err error) {
	before, err := c.check(file)
	if err != nil {
		return "", false, err
	}
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	opened, err := c.opened.OpenFile(filepath.FromSlash(file), os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return "", false, errAbsent
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil || !info.Mode().IsRegular() || !os.SameFile(before, info) || names(info) > 1 {
		return "", false, errSpecial // exchanged since it was looked at
	}
	data, err := io.ReadAll(io.LimitReader(opened, int64(limit)+1))
	if err != nil {
		return "", false, errors.New("it cannot be read")
	}
	text = subconscious.Head(string(data), limit)
	switch more = len(data) > limit; {
	// What is cut is less than a character, in a text.
	case more && limit-len(text) >= utf8.UTFMax, !utf8.ValidString(text), strings.ContainsRune(text, 0):
		return "", false, errBinary
	case strings.Contains(text[:min(len(text), markWithin)], subconscious.Mark):
		return "", false, errOwn
	}
	return text, more, nil
}

// markWithin is how far into a file our mark counts.
const markWithin = 4 << 10

// trustOf is whose word a file below a root is: the root's, but where a folder
// on the way to it is another root that is trusted less. So a folder into which
// strangers' files come stays theirs within the person's own.
func (r *Registry) trustOf(root Root, file string) subconscious.Trust {
	trust := root.Trust
	others := slices.Concat(r.options.Roots, r.options.Within)
	for folder := path.Dir(file); folder != "." && folder != "/"; folder = path.Dir(folder) {
		here, err := os.Stat(filepath.Join(root.Path, filepath.FromSlash(folder)))
		if err != nil {
			continue // there is nothing to be read then
		}
		for _, other := range others {
			if other.Trust.Rank() <= trust.Rank() {
				continue
			}
			if there, err := os.Stat(other.Path); err == nil && os.SameFile(here, there) {
				trust = other.Trust
			}
		}
	}
	return trust
}
