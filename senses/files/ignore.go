package files

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

const gitignoreName = ".gitignore"

// pattern is one line of an ignore file.
//
// The library matches a path also where only a folder above it fits. Below a
// folder that is ignored nothing is asked for, but below one that "!folder/"
// takes back in, git lets the other lines decide. So each line is matched
// against exactly the path that is asked for.
type pattern struct {
	matcher *gitignore.Matcher
	negate  bool
	// base: the line has no slash, and is matched against the last name.
	base bool
	// below: the line ends in "/**" and fits everything below.
	below bool
}

func newPattern(line string) (pattern, bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	core, negate := strings.CutPrefix(line, "!")
	guarded := core
	if negate && (strings.HasPrefix(core, "#") || strings.HasPrefix(core, "!")) {
		guarded = `\` + core // or it would be read as a comment, or a further negation
	}
	m := folder.Patterns(guarded)
	if len(m.Errors()) > 0 || strings.TrimRight(core, " ") == "" {
		return pattern{}, false
	}
	shape := strings.TrimSuffix(strings.TrimRight(core, " "), "/")
	return pattern{
		matcher: m,
		negate:  negate,
		base:    !strings.Contains(strings.TrimPrefix(shape, "**/"), "/"),
		below:   strings.HasSuffix(shape, "/**"),
	}, true
}

// fits reports whether the line fits rel itself.
func (p pattern) fits(rel string, dir bool) bool {
	switch {
	case p.base:
		return p.matcher.MatchPath(path.Base(rel), dir)
	case !p.matcher.MatchPath(rel, dir):
		return false
	case p.below:
		return true
	}
	above := path.Dir(rel)
	return above == "." || !p.matcher.MatchPath(above, true)
}

// ignoreFile is the lines of one ignore file.
type ignoreFile struct {
	patterns []pattern
	sum      uint64
}

func parseIgnore(data []byte) *ignoreFile {
	f := &ignoreFile{sum: hash(string(data))}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if p, ok := newPattern(line); ok {
			f.patterns = append(f.patterns, p)
		}
		if len(f.patterns) == folder.MaxPatterns {
			break
		}
	}
	return f
}

// decide returns whether the last line that fits ignores or takes in.
func (f *ignoreFile) decide(rel string, dir bool) (ignored, decided bool) {
	for i := len(f.patterns) - 1; i >= 0; i-- {
		if p := f.patterns[i]; p.fits(rel, dir) {
			return !p.negate, true
		}
	}
	return false, false
}

// rules say what is ignored: the daemon's own folders; then what is
// configured; then what is built in; then .gitignore files, the deepest first.
// Safe for use by several goroutines.
type rules struct {
	exclude    []string // below the root
	configured *ignoreFile
	read       func(folder string) []byte // nil: what was not read is not there

	mu      sync.Mutex
	folders map[string]*ignoreFile // nil value: has none
}

func newRules(ignore, exclude []string, read func(folder string) []byte) *rules {
	return &rules{
		exclude:    exclude,
		configured: parseIgnore([]byte(strings.Join(ignore, "\n"))),
		read:       read,
		folders:    map[string]*ignoreFile{},
	}
}

// ignored judges rel, whose parents are not ignored.
func (r *rules) ignored(rel string, dir bool) bool {
	name := path.Base(rel)
	own := func(name string) bool { return folder.Within(rel, name) }
	if dir && name == ".git" || slices.ContainsFunc(r.exclude, own) {
		return true
	}
	if ignored, decided := r.configured.decide(rel, dir); decided {
		return ignored
	}
	if builtIn(name, dir) {
		return true
	}
	for folder := path.Dir(rel); ; folder = path.Dir(folder) {
		if f := r.folder(folder); f != nil {
			below := strings.TrimPrefix(strings.TrimPrefix(rel, folder), "/")
			if folder == "." {
				below = rel
			}
			if ignored, decided := f.decide(below, dir); decided {
				return ignored
			}
		}
		if folder == "." {
			return false
		}
	}
}

// ignoredFile judges a file and all folders above it.
func (r *rules) ignoredFile(rel string) bool { return folder.Skips(r.ignored, rel, false) }

func (r *rules) folder(folder string) *ignoreFile {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, known := r.folders[folder]
	if !known && r.read != nil {
		if data := r.read(folder); data != nil {
			f = parseIgnore(data)
		}
		r.folders[folder] = f
	}
	return f
}

// none notes that a folder was listed and has no ignore file.
func (r *rules) none(folder string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.folders[folder]; !known {
		r.folders[folder] = nil
	}
}

// freeze keeps the rules as they are now.
func (r *rules) freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = nil
}

// sums returns what tells the ignore files apart that were read.
func (r *rules) sums() map[string]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	sums := map[string]uint64{}
	for folder, f := range r.folders {
		if f != nil {
			sums[folder] = f.sum
		}
	}
	return sums
}

// stale reports whether the ignore file of a folder is another one by now.
func (r *rules) stale(folder string) bool {
	r.mu.Lock()
	read, f := r.read, r.folders[folder]
	r.mu.Unlock()
	if read == nil {
		return true
	}
	data := read(folder)
	if data == nil || f == nil {
		return (data == nil) != (f == nil)
	}
	return parseIgnore(data).sum != f.sum
}
