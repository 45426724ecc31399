// Package folder is what the senses of watched folders have in common: which
// paths below a folder count, what was touched, what could not be read, and whose
// word a file is.
//
// It stores nothing by itself: senses/files, senses/notes and
// senses/conversation call it and keep rows and cursors of their own. Files are
// read through os.Root, and symlinks are not followed.
package folder

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// MaxPatterns is how many patterns one folder may have for what is ignored.
const MaxPatterns = 1000

// Config is one watched folder. Each driver has its own type of it, which
// describes the keys.
type Config struct {
	ID     string
	Path   string // absolute
	Ignore []string
	Trust  subconscious.Trust
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Validate returns an error that names the key. The trust has to be one of
// those given, or none; example is a path that would do.
func (c Config) Validate(example string, trusts ...subconscious.Trust) error {
	var f senses.Faults
	f.Where(!idPattern.MatchString(c.ID), "id: %q must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit", c.ID)
	f.Where(!filepath.IsAbs(c.Path), "path: %q must be an absolute folder, such as %s", c.Path, example)
	f.Where(len(c.Ignore) > MaxPatterns, "ignore: %d patterns are more than the %d that are allowed", len(c.Ignore), MaxPatterns)
	for i, pattern := range c.Ignore {
		if strings.TrimSpace(pattern) == "" || strings.ContainsAny(pattern, "\n\r\x00") {
			f.Add("ignore: pattern %d (%q) must be one non-empty line", i+1, pattern)
		} else if m := Patterns(strings.TrimPrefix(pattern, "!")); len(m.Errors()) > 0 || strings.TrimSpace(pattern) == "!" {
			f.Add("ignore: pattern %d (%q) is not a pattern in .gitignore syntax", i+1, pattern)
		}
	}
	if c.Trust != "" && !slices.Contains(trusts, c.Trust) {
		var names []string
		for _, trust := range trusts {
			names = append(names, string(trust))
		}
		last := len(names) - 1
		f.Add("trust: %q must be %s or %s", c.Trust, strings.Join(names[:last], ", "), names[last])
	}
	return errors.Join(f...)
}

// Patterns are lines in .gitignore syntax, ready to be asked.
func Patterns(lines ...string) *gitignore.Matcher {
	m := &gitignore.Matcher{}
	m.AddPatterns([]byte(strings.Join(lines, "\n")), "")
	return m
}

// Options are what the sense of a folder needs besides its configuration.
type Options struct {
	// Watcher tells which files were touched; with nil every collect lists the
	// folder.
	Watcher *watch.Watcher
	// Rows reads back what was committed. With nil the first collect after each
	// start is as the very first, and what changed while the daemon was down is
	// not told.
	Rows senses.RowReader
	// Exclude are absolute folders that are never looked into: the daemon's
	// own.
	Exclude []string
	// Within are further folders: what lies in one of them within this one, and
	// is trusted less there, is its word.
	Within []Place
	// Logger defaults to one that discards.
	Logger *slog.Logger
}

// Root is the folder of one sense.
type Root struct {
	Config
	Options
	// Own are the daemon's own folders below this one.
	Own []string
	// Trusts say whose word a file is, by its path below the folder.
	Trusts Trusts
	// Run is another name with every start, so that no two cursors are the same.
	Run [8]byte
	// Touched are paths below the folder that were touched and not looked at;
	// Rescan says that everything must be.
	Touched map[string]struct{}
	Rescan  bool

	sense string
	sub   *watch.Subscription
}

// New returns the root of a sense's folder, which need not exist.
func New(sense string, c Config, options Options) (*Root, error) {
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	c.Path = filepath.Clean(c.Path)
	r := &Root{Config: c, Options: options, Touched: map[string]struct{}{}, Rescan: true, sense: sense,
		Trusts: TrustWithin(Place{Path: c.Path, Trust: c.Trust}, options.Within)}
	for _, own := range options.Exclude {
		for _, root := range names(c.Path) {
			for _, folder := range names(own) {
				if _, inside := below(folder, root); inside {
					return nil, fmt.Errorf("path: %s lies inside the daemon's own folder %s; choose another", c.Path, own)
				}
				if rel, ok := below(root, folder); ok {
					r.Own = append(r.Own, rel)
				}
			}
		}
	}
	_, _ = rand.Read(r.Run[:]) // never fails
	return r, nil
}

// Watch begins to be told what is touched, but for what skip leaves out; skip is
// called from another goroutine.
func (r *Root) Watch(skip func(rel string, dir bool) bool) (err error) {
	if r.Watcher == nil {
		return nil
	}
	r.sub, err = r.Watcher.Subscribe(r.Path, watch.SubscribeOptions{Recursive: true, Ignore: func(full string, dir bool) bool {
		rel, ok := r.Below(full)
		return ok && rel != "." && skip(rel, dir)
	}})
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.sense, r.ID(), err)
	}
	return nil
}

// names returns a folder as it is written, and as it is really called.
func names(folder string) []string {
	folder = filepath.Clean(folder)
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
		return []string{folder, real}
	}
	return []string{folder}
}

// below returns the path of full below root, with slashes; "." for root itself.
func below(root, full string) (string, bool) {
	rel, err := filepath.Rel(root, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Below returns a path below the folder, with slashes; "." for the folder itself.
func (r *Root) Below(full string) (string, bool) { return below(r.Path, full) }

// Full is the absolute path of one below the folder.
func (r *Root) Full(rel string) string { return filepath.Join(r.Path, filepath.FromSlash(rel)) }

// Excluded reports whether a path lies in one of the daemon's own folders.
func (r *Root) Excluded(rel string) bool {
	return slices.ContainsFunc(r.Own, func(folder string) bool { return Within(rel, folder) })
}

// Within reports whether a path below the root is that folder or lies in it.
func Within(rel, folder string) bool {
	return folder == "." || rel == folder || len(rel) > len(folder) && rel[len(folder)] == '/' && strings.HasPrefix(rel, folder)
}

// Name returns the sense's name.
func (r *Root) Name() string { return r.sense }

// ID returns the configured instance.
func (r *Root) ID() string { return r.Config.ID }

// Stop gives the watches back.
func (r *Root) Stop(context.Context) error {
	if r.sub != nil {
		r.sub.Close()
	}
	return nil
}

// Refresh takes the watches anew, since other paths count by now.
func (r *Root) Refresh() {
	if r.sub != nil {
		r.sub.Refresh()
	}
}

// Drain takes over what the watcher knows, and says why it cannot watch.
func (r *Root) Drain() (degraded string) {
	if r.sub == nil {
		r.Rescan = true
		return ""
	}
	touched, rescan, degraded := r.sub.Drain()
	for _, full := range touched {
		if rel, ok := r.Below(full); ok {
			r.Touched[rel] = struct{}{}
		}
	}
	r.Rescan = r.Rescan || rescan
	return degraded
}
