package conversation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// MaxTranscripts is how many a folder may hold.
	MaxTranscripts = 5000
	// maxListed bounds the names that one walk looks at.
	maxListed = 200_000
	maxDepth  = 16
	maxPath   = 1024
	// racy is how recent a file's time may be for a later change to share it.
	racy = 2 * time.Second
)

// stat is what tells a file that was touched from one that was not.
type stat struct {
	mtime, size int64
}

// rules say which names are transcripts.
type rules struct {
	ignore  *gitignore.Matcher
	exclude []string // folders below the root that are the daemon's own
}

func (r rules) skips(rel string, dir bool) bool {
	if name := path.Base(rel); strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || dir && name == "node_modules" {
		return true
	}
	for _, folder := range r.exclude {
		if rel == folder || strings.HasPrefix(rel, folder+"/") {
			return true
		}
	}
	if !dir && !isLines(rel) && !isMarkdown(rel) || len(rel) > maxPath {
		return true
	}
	return r.ignore.MatchPath(rel, dir)
}

// isLines judges by the name alone, and so does isMarkdown.
func isLines(rel string) bool { return strings.EqualFold(path.Ext(rel), ".jsonl") }

func isMarkdown(rel string) bool {
	ext := path.Ext(rel)
	return strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// listing is what a walk found.
type listing struct {
	files map[string]stat
	// closed is a folder that could not be read, "" for none: what is known and
	// was not found may lie in it.
	closed string
	listed int
	full   bool // maxListed or maxDepth ended it
}

// walk lists the transcripts of a folder below root. Symlinks are not followed.
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
	switch {
	case folder == "." && err != nil:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	l.closed = folder
	return nil
}

func (l *listing) entry(ctx context.Context, root *os.Root, r rules, folder string, e fs.DirEntry, depth int) error {
	rel := path.Join(folder, e.Name())
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
	l.files[rel] = stat{mtime: info.ModTime().UnixNano(), size: info.Size()}
	return nil
}

// Probe looks at a folder of transcripts as the sense would.
func Probe(ctx context.Context, c Config) (folder.Probe, error) {
	w := folder.Walk{Bounds: folder.Bounds{Files: MaxTranscripts, Listed: maxListed, Depth: maxDepth, Path: maxPath}, Skip: rulesOf(c).skips}
	return w.Probe(ctx, c.Path)
}

// rulesOf are those of the configuration alone.
func rulesOf(c Config) rules {
	r := rules{ignore: &gitignore.Matcher{}}
	r.ignore.AddPatterns([]byte(strings.Join(c.Ignore, "\n")), "")
	return r
}

func (l *listing) complaint(refused int) string {
	var reasons []string
	if refused > 0 {
		reasons = append(reasons, fmt.Sprintf("%d transcripts more than the %d that are followed; ignore some folders", refused, MaxTranscripts))
	}
	if l.full {
		reasons = append(reasons, fmt.Sprintf("more than %d files or %d folders deep; ignore some folders", maxListed, maxDepth))
	} else if l.closed != "" {
		reasons = append(reasons, fmt.Sprintf("the folder %s cannot be read", l.closed))
	}
	return join(reasons...)
}

func join(reasons ...string) string {
	return strings.Join(slices.DeleteFunc(reasons, func(r string) bool { return r == "" }), "; ")
}

// fileKey is the key of a transcript's row, which does not repeat its name.
func fileKey(rel string) string {
	sum := sha256.Sum256([]byte(rel))
	return hex.EncodeToString(sum[:12])
}

// safeName is a path without its secrets: with the hash of the whole in place
// of them, so that a conversation keeps its identity.
func safeName(rel string) string {
	name := strings.ToValidUTF8(rel, "\uFFFD")
	if safe := redact.Text(name); safe != rel || len(rel) > 200 {
		return subconscious.Head(safe, 200) + "#" + fileKey(rel)[:16]
	}
	return rel
}
