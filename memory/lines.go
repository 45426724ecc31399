package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

const (
	// fileMost is how large a file may be that is looked into, in bytes.
	fileMost = 1 << 20
	// soughtMost is how much is hashed in search of lines that stand elsewhere.
	soughtMost = 4 << 20
)

// within is the folder that a cited file is opened in, and its path there: the
// record's project, which has to be a repository where an agent names it, or the file's
// own folder where the word is trusted. What strangers name is not opened.
func (r Record) within(file string) (root, name string, ok bool) {
	if project := r.About.Project; filepath.IsAbs(project) && (r.Lane == Trusted || r.Lane == Agents && repository(project)) {
		name, err := file, error(nil)
		if filepath.IsAbs(file) {
			name, err = filepath.Rel(project, file)
		}
		if err == nil && filepath.IsLocal(name) {
			return project, name, true
		}
	}
	return filepath.Dir(file), filepath.Base(file), r.Lane == Trusted && filepath.IsAbs(file)
}

// repository reports whether a folder is the root of one, or is not there at all: an
// agent names its project itself, and is not to have the daemon look into whatever folder
// it likes.
func repository(folder string) bool {
	_, is := os.Lstat(filepath.Join(folder, ".git"))
	_, there := os.Stat(folder)
	return is == nil || errors.Is(there, fs.ErrNotExist)
}

var (
	errNoFolder = errors.New("its folder is not there, or may not be read")
	errNotRead  = errors.New("it is no file of up to 1 MiB that may be read here")
)

// readIn reads a file below a folder, through no symlink that leads out of it.
func readIn(root, name string) (text string, err error) {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return "", errNoFolder
	}
	defer func() { _ = folder.Close() }() // it was only read
	file, err := folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", fs.ErrNotExist
	} else if err != nil {
		return "", errNotRead
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errNotRead
	}
	all, err := io.ReadAll(io.LimitReader(file, fileMost+1))
	if err != nil || len(all) > fileMost {
		return "", errNotRead
	}
	return string(all), nil
}

// ofCommit: the commit is cited, and of the file only that it is there.
func (c Citation) ofCommit() bool { return c.Commit != "" && c.Hash == "" && c.Lines == "" }

// file looks at a cited file: its lines where they stood, or elsewhere, or its commit.
func (l *look) file(ctx context.Context, root, name string, c *Citation) Found {
	text, err := readIn(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Found{*c, Missing, "the file is not there", ""}
	case errors.Is(err, errNoFolder), err != nil && !c.ofCommit():
		return Found{*c, Unknown, err.Error(), ""}
	case c.ofCommit():
		validity, says := l.commit(ctx, root, c.Commit)
		return Found{*c, validity, says, ""}
	}
	return stand(text, c)
}

// stand looks for cited lines in a text. Where it is not known how they stood, it is noted
// in the citation how they do.
func stand(text string, c *Citation) Found {
	all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	from, to := 0, len(all)
	if first, last, ranges := strings.Cut(c.Lines, "-"); first != "" {
		from, _ = strconv.Atoi(first) // the citation is valid
		if to = from; ranges {
			to, _ = strconv.Atoi(last)
		}
		from--
	}
	n, there := to-from, to <= len(all)
	found := func(validity Validity, says string) Found { return Found{*c, validity, says, ""} }
	if n <= 0 {
		return found(Unknown, "these lines end before they begin")
	}
	if c.Hash == "" && !there {
		return found(Missing, fmt.Sprintf("the file has %d lines", len(all)))
	} else if c.Hash == "" {
		c.Hash = linesHash(all[from:to])
		places, _ := seek(all, from, n, c.Hash)
		c.Twins = len(places) - 1
		return found(Unknown, "how they stand is kept from now on")
	}
	places, whole := seek(all, from, n, strings.ToLower(c.Hash))
	switch {
	case slices.Contains(places, from):
		c.Twins = len(places) - 1
		return found(Holds, "unchanged")
	case c.Lines == "":
		return found(Changed, "the file was changed")
	// Where they stood several times, one more must be there than the others were.
	case len(places) > c.Twins:
		nearest := slices.MinFunc(places, func(a, b int) int { return max(a-from, from-a) - max(b-from, from-b) })
		moved := found(Holds, "unchanged, and elsewhere in the file")
		if moved.Lines = strconv.Itoa(nearest + 1); n > 1 {
			moved.Lines += "-" + strconv.Itoa(nearest+n)
		}
		return moved
	case len(places) > 0:
		return found(Changed, "the lines were changed; the same stand elsewhere, as they did before")
	case !whole:
		return found(Changed, "the lines were changed or moved: the file is too long to look for them everywhere")
	}
	return found(Changed, "the lines were changed or deleted")
}

// linesHash is the SHA-256 of lines, each with an end, in hex.
func linesHash(all []string) string {
	sum := sha256.New()
	for _, line := range all {
		_, _ = io.WriteString(sum, line+"\n") // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// seek finds where n lines of that hash stand, first where they stood, and reports whether
// all was searched. Elsewhere, lines without a letter or digit are no evidence.
func seek(all []string, from, n int, hash string) (places []int, whole bool) {
	if from+n <= len(all) && linesHash(all[from:from+n]) == hash {
		places = append(places, from)
	}
	left := soughtMost
	for i := range len(all) - n + 1 {
		lines, telling := all[i:i+n], false
		for _, line := range lines {
			left -= len(line) + 1
			telling = telling || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		}
		if left < 0 {
			return places, false
		}
		if i != from && telling && linesHash(lines) == hash {
			places = append(places, i)
		}
	}
	return places, true
}

// noted returns what a record cites, with how its files stand where the writer does not say.
func (s *Store) noted(ctx context.Context, r Record) []Citation {
	cited := slices.Clone(r.Citations)
	r.Lane = s.laneOf(r.Trust)
	for i := range cited[:min(len(cited), MaxCitations)] {
		if c := &cited[i]; c.File != "" && c.valid() && !c.ofCommit() {
			s.look().at(ctx, r, c)
		}
	}
	return cited
}
