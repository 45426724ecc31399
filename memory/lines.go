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
	soughtMost = 8 << 20
)

// within is the folder that a cited file is opened in, and its path there: the
// record's project, or the file's own folder where the word is trusted. What
// strangers name is not opened.
func (r Record) within(file string) (root, name string, ok bool) {
	if r.Lane == Quarantine {
		return "", "", false
	}
	if project := r.About.Project; filepath.IsAbs(project) {
		name, err := file, error(nil)
		if filepath.IsAbs(file) {
			name, err = filepath.Rel(project, file)
		}
		if err == nil && filepath.IsLocal(name) {
			return project, name, true
		}
	}
	if r.Lane != Trusted {
		return "", "", false
	}
	return alone(file)
}

// alone is a file in its own folder.
func alone(file string) (root, name string, ok bool) {
	return filepath.Dir(file), filepath.Base(file), filepath.IsAbs(file)
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
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return "", fs.ErrNotExist
		}
		return "", errNotRead
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > fileMost {
		return "", errNotRead
	}
	all, err := io.ReadAll(io.LimitReader(file, fileMost+1))
	if err != nil || len(all) > fileMost {
		return "", errNotRead
	}
	return string(all), nil
}

// file looks at a cited file: its lines where they stood, elsewhere, and its commit. How
// the lines stand is noted in the citation where that is not known.
func (l *look) file(ctx context.Context, root, name string, c *Citation) Found {
	text, err := readIn(root, name)
	found := Found{Citation: *c, Validity: Unknown}
	ofCommit := c.Commit != "" && c.Hash == "" && c.Lines == ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found.Validity, found.Says = Missing, "the file is not there"
		return found
	case errors.Is(err, errNoFolder), err != nil && c.Commit == "":
		found.Says = err.Error()
		return found
	case err == nil && !ofCommit:
		if found = stand(text, c); found.Validity != Unknown || c.Commit == "" {
			return found
		}
	}
	found.Validity, found.Says = l.commit(ctx, root, c.Commit)
	if found.Validity == Holds && !ofCommit {
		found.Validity, found.Says = Unknown, "its commit is on a branch, and whether the lines still stand is not known"
	}
	return found
}

// stand looks for cited lines in a text.
func stand(text string, c *Citation) Found {
	all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	from, to := 0, len(all)
	if c.Lines != "" {
		first, last, ranges := strings.Cut(c.Lines, "-")
		from, _ = strconv.Atoi(first)
		if to = from; ranges {
			to, _ = strconv.Atoi(last)
		}
		from--
	}
	n := to - from
	found := func(validity Validity, says string, values ...any) Found {
		return Found{Citation: *c, Validity: validity, Says: fmt.Sprintf(says, values...)}
	}
	switch {
	case n <= 0 || from < 0:
		return found(Unknown, "these lines end before they begin")
	case to <= len(all) && c.Hash == "":
		c.Hash, c.Twins = linesHash(all[from:to]), twins(all, from, n)
		return found(Unknown, "how they stand is kept from now on")
	case c.Hash == "":
		return found(Missing, "the file has %d lines", len(all))
	case to <= len(all) && linesHash(all[from:to]) == strings.ToLower(c.Hash):
		c.Twins = twins(all, from, n)
		return found(Holds, "unchanged")
	case c.Lines == "":
		return found(Changed, "the file was changed")
	}
	places, whole := seek(all, n, strings.ToLower(c.Hash))
	switch {
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

// twins is how often the n lines from one on stand elsewhere too.
func twins(all []string, from, n int) (count int) {
	for i := range len(all) - n + 1 {
		if i != from && slices.Equal(all[i:i+n], all[from:from+n]) {
			count++
		}
	}
	return count
}

// seek finds where n lines of that hash stand, and reports whether all was searched.
// Lines without a letter or digit are no evidence.
func seek(all []string, n int, hash string) (places []int, whole bool) {
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
		if telling && linesHash(lines) == hash {
			places = append(places, i)
		}
	}
	return places, true
}

// noted returns what a record cites, with how it stands now where the writer does not
// say.
func (s *Store) noted(r Record) []Citation {
	cited := slices.Clone(r.Citations)
	r.Lane = s.laneOf(r.Trust)
	for i := range cited[:min(len(cited), MaxCitations)] {
		c := &cited[i]
		if c.File == "" || c.Commit != "" && c.Lines == "" || !c.valid() {
			continue
		}
		if root, name, ok := r.within(c.File); ok {
			if text, err := readIn(root, name); err == nil {
				stand(text, c)
			}
		}
	}
	return cited
}
