package conversation

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

// Config is one folder of transcripts.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the folders; chat is that of the mind's own."`
	// Path is the folder, absolute.
	Path   string   `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	Ignore []string `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file."`
	// Trust says whose word it is what the transcripts give as the person's: ""
	// means agent, since any program may write there. With owner it is the
	// person's own. What agents say has an agent's trust at most.
	Trust subconscious.Trust `mapstructure:"trust" about:"Whose word it is what the transcripts give as yours: agent (the default, since any program may write there), owner or outsider."`
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Validate returns an error that names the key.
func (c Config) Validate() error {
	var errs []error
	switch {
	case !idPattern.MatchString(c.ID):
		errs = append(errs, fmt.Errorf("id: %q must be 1 to 32 of a-z, 0-9, _ and -, and begin with a letter or digit", c.ID))
	case c.ID == LogID:
		errs = append(errs, fmt.Errorf("id: %q is that of the mind's own conversations; choose another", c.ID))
	}
	if !filepath.IsAbs(c.Path) {
		errs = append(errs, fmt.Errorf("path: %q must be an absolute folder, such as /home/me/transcripts", c.Path))
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
	case "", subconscious.Owner, subconscious.Agent, subconscious.Outsider:
	default:
		errs = append(errs, fmt.Errorf("trust: %q must be owner, agent or outsider", c.Trust))
	}
	return errors.Join(errs...)
}

// Options are what a sense needs besides its configuration.
type Options struct {
	// Watcher tells when files were touched; with nil every collect lists the
	// folder. The log needs none.
	Watcher *watch.Watcher
	// Rows reads back what was committed. With nil, after each start what a
	// transcript holds is looked at as if for the first time, and open questions
	// and promises of the log end only by time.
	Rows senses.RowReader
	// Exclude are absolute folders that are never looked into: the daemon's
	// own.
	Exclude []string
	// Logger defaults to one that discards.
	Logger *slog.Logger
}
