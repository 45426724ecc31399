package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/senses/conversation"
)

// maxTranscripts bounds how many transcripts are counted in a folder.
const maxTranscripts = 5000

// transcripts looks whether the folders of transcripts can be read.
func (e *examination) transcripts(ctx context.Context) {
	if e.Config == nil {
		return
	}
	for _, c := range e.Config.Senses.Conversation {
		name := c.ID + " transcripts"
		found, err := listTranscripts(ctx, c)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.add(Degraded, name, "not there: "+c.Path, "make it, or correct senses.conversation")
		case err != nil:
			e.add(Degraded, name, c.Path+" cannot be read", "let the daemon's user read it, or correct senses.conversation")
		case found.closed != "":
			e.add(Degraded, name, found.closed+" cannot be read", "let the daemon's user read it, or leave it out with ignore")
		case found.n == 0:
			e.add(Note, name, c.Path+" has none: files that end in .jsonl or .md", "correct senses.conversation, unless they are yet to come")
		case found.n > maxTranscripts:
			e.add(Degraded, name, fmt.Sprintf("%s has more than %d", c.Path, maxTranscripts), "leave old ones out with ignore")
		default:
			e.add(OK, name, fmt.Sprintf("%d in %s", found.n, c.Path), "")
		}
	}
}

// transcripts are what was found below a folder.
type transcripts struct {
	n int
	// closed is a folder that cannot be read; "" for none.
	closed string
}

// listTranscripts counts those that the sense looks at, in walkWithin at most.
func listTranscripts(ctx context.Context, c conversation.Config) (found transcripts, err error) {
	ctx, done := context.WithTimeout(ctx, walkWithin)
	defer done()
	root, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return found, err
	}
	ignore := &gitignore.Matcher{}
	ignore.AddPatterns([]byte(strings.Join(c.Ignore, "\n")), "")
	skips := func(path string, dir bool) bool {
		rel, err := filepath.Rel(root, path)
		return err != nil || strings.HasPrefix(filepath.Base(path), ".") || ignore.MatchPath(filepath.ToSlash(rel), dir)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case path == root && err == nil && !entry.IsDir():
			return fmt.Errorf("%s is no folder", root)
		case path == root:
			return err
		case found.n > maxTranscripts || ctx.Err() != nil:
			return fs.SkipAll
		case entry.IsDir() && skips(path, true):
			return filepath.SkipDir
		case errors.Is(err, fs.ErrPermission):
			found.closed = path
		case err == nil && entry.Type().IsRegular() && isTranscript(path) && !skips(path, false):
			found.n++
		}
		return nil
	})
	return found, err
}

func isTranscript(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".jsonl", ".md", ".markdown":
		return true
	}
	return false
}
