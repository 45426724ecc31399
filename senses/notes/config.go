package notes

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const maxPatterns = 1000

// Config is one folder of notes.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the notes."`
	// Path is the folder, absolute.
	Path   string             `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	Ignore []string           `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file."`
	Trust  subconscious.Trust `mapstructure:"trust" about:"Whose word the notes are: owner (the default), machine, agent or outsider."`
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Validate returns an error that names the key.
func (c Config) Validate() error {
	var errs []error
	if !idPattern.MatchString(c.ID) {
		errs = append(errs, fmt.Errorf("id: %q must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit", c.ID))
	}
	if !filepath.IsAbs(c.Path) {
		errs = append(errs, fmt.Errorf("path: %q must be an absolute folder, such as /home/me/notes", c.Path))
	}
	if len(c.Ignore) > maxPatterns {
		errs = append(errs, fmt.Errorf("ignore: %d patterns are more than the %d that are allowed", len(c.Ignore), maxPatterns))
	}
	for i, pattern := range c.Ignore {
		if strings.TrimSpace(pattern) == "" || strings.ContainsAny(pattern, "\n\r\x00") {
			errs = append(errs, fmt.Errorf("ignore: pattern %d (%q) must be one non-empty line", i+1, pattern))
			continue
		}
		m := &gitignore.Matcher{}
		m.AddPatterns([]byte(pattern), "")
		if len(m.Errors()) > 0 {
			errs = append(errs, fmt.Errorf("ignore: pattern %d (%q) is not in .gitignore syntax", i+1, pattern))
		}
	}
	switch c.Trust {
	case "", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider:
	default:
		errs = append(errs, fmt.Errorf("trust: %q must be owner, machine, agent or outsider", c.Trust))
	}
	return errors.Join(errs...)
}

// Options are what a Sense needs besides its configuration.
type Options struct {
	// Watcher tells which files were touched; with nil every collect lists the
	// folder.
	Watcher *watch.Watcher
	// Rows reads back what was committed. With nil what changed while the
	// daemon was down is not told, and relative dates of files without a date
	// of their own are counted anew after each start.
	Rows senses.RowReader
	// Exclude are absolute folders that are never looked into: the daemon's
	// own.
	Exclude []string
	// Within are further folders: what lies in one of them within this one, and
	// is trusted less there, is its word.
	Within []senses.Folder
	// Logger defaults to one that discards.
	Logger *slog.Logger
}
