package files

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// DefaultMaxFiles is how many files below one root are followed.
	DefaultMaxFiles = 500_000
	// DefaultWait is how long one collect waits for a walk through the folders
	// before it leaves it to go on in the background.
	DefaultWait = time.Second

	maxDepth      = 64
	maxPath       = 4096
	maxListed     = 4 * DefaultMaxFiles // names that one walk looks at
	maxPatterns   = 1000
	maxIgnoreFile = 64 << 10
)

// Config is one watched folder.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the files."`
	// Path is the folder, absolute.
	Path string `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	// Ignore are patterns in .gitignore syntax, relative to Path. They take
	// precedence over the built-in ones and over .gitignore files.
	Ignore []string           `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file; .gitignore files in the folder count too."`
	Trust  subconscious.Trust `mapstructure:"trust" about:"Whose word the files are: owner, machine, agent or outsider (the default)."`
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Validate returns an error that names the key.
func (c Config) Validate() error {
	var errs []error
	if !idPattern.MatchString(c.ID) {
		errs = append(errs, fmt.Errorf("id: %q must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit", c.ID))
	}
	if !filepath.IsAbs(c.Path) {
		errs = append(errs, fmt.Errorf("path: %q must be an absolute folder, such as /home/me/work", c.Path))
	}
	if len(c.Ignore) > maxPatterns {
		errs = append(errs, fmt.Errorf("ignore: %d patterns are more than the %d that are allowed", len(c.Ignore), maxPatterns))
	}
	for i, pattern := range c.Ignore {
		if strings.TrimSpace(pattern) == "" || strings.ContainsAny(pattern, "\n\r\x00") {
			errs = append(errs, fmt.Errorf("ignore: pattern %d (%q) must be one non-empty line", i+1, pattern))
		} else if err := checkPattern(pattern); err != nil {
			errs = append(errs, fmt.Errorf("ignore: pattern %d (%q): %w", i+1, pattern, err))
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
	// Watcher tells which files were touched; with nil every collect walks
	// through all folders.
	Watcher *watch.Watcher
	// Rows reads back what was committed. With nil the first collect after each
	// start is silent, and changes made while the daemon was down are not
	// noticed.
	Rows senses.RowReader
	// Exclude are absolute folders that are never looked into: the daemon's
	// own.
	Exclude []string
	// Within are further folders: what lies in one of them within this one, and
	// is trusted less there, is its word.
	Within []senses.Folder
	// Logger defaults to one that discards.
	Logger *slog.Logger
	// MaxFiles bounds the files that are followed; 0 means DefaultMaxFiles.
	MaxFiles int
	// Wait bounds how long a collect waits for a walk through the folders; 0
	// means DefaultWait.
	Wait time.Duration
}
