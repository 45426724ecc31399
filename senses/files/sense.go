// Package files is the sense that notices what happens to the files below a
// folder: which were created, saved, renamed or deleted since the last collect.
//
// Kind "file", always momentary. The identity is the instance and the path
// below the root: "work/report.md" for a file, "work/src/" for a folder that
// was renamed, "work/src/*" for a burst of changes. Attributes:
//
//	action   created, changed, renamed, deleted or burst
//	path     the absolute path
//	dir      the folder below the root, "." for the root itself
//	from     where a renamed file or folder was, below the root
//	ext      the extension in lower case, without the dot
//	size     in bytes
//	files    how many files a renamed folder holds, or a burst touched
//	created, changed, renamed, deleted  the parts of a burst
//	secret   "true" for what looks like a secret; such files are never read
//	config   "true" for configuration that decides what a machine does
//
// The first collect is silent. What was seen is kept as one row a file, keyed by
// the path below the root, in the same commit as the cursor; see senses.Row.
// Files are looked at through os.Root, so that no symlink leads out of the
// folder; symlinks themselves are not followed. The daemon makes one sense for
// each configured folder.
package files

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Name of the sense.
const Name = "files"

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

const (
	// DefaultMaxFiles is how many files below one root are followed.
	DefaultMaxFiles = 500_000
	// DefaultWait is how long one collect waits for a walk through the folders
	// before it leaves it to go on in the background.
	DefaultWait = time.Second

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

// Validate returns an error that names the key.
func (c Config) Validate() error {
	return folder.Config(c).Validate("/home/me/work", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider)
}

// Options are what a Sense needs besides its configuration.
type Options struct {
	folder.Options
	// MaxFiles bounds the files that are followed; 0 means DefaultMaxFiles.
	MaxFiles int
	// Wait bounds how long a collect waits for a walk through the folders; 0
	// means DefaultWait.
	Wait time.Duration
}

// bounds of one folder of at most so many files.
func bounds(files int) folder.Bounds {
	return folder.Bounds{Files: files, Listed: max(4*files, 1<<20), Depth: 64, Path: 4096}
}

// Sense looks at the files below one folder.
type Sense struct {
	*folder.Root
	bounds folder.Bounds
	wait   time.Duration
	rules  atomic.Pointer[rules]
	// vanishing is how long a collect waits before it believes that a file is
	// gone: some programs save by removing it and writing it anew.
	vanishing time.Duration
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup

	// known are the files as of the cursor committed; nil before the first
	// collect. marked are those of them that carry the daemon's mark.
	known    *tree
	marked   map[string]bool
	commits  senses.Commits[handout]
	stamped  bool // what was committed is stamped as the trusts say
	collects uint64
	walk     *walk // in the background
	// before are the rules under which known was seen, while others hold now.
	// relaxed: nothing is known of them.
	before  *rules
	relaxed bool
	missed  folder.Missed
}

// New returns the sense of one folder. The folder need not exist.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.Trust = cmp.Or(config.Trust, subconscious.Outsider)
	root, err := folder.New(Name, folder.Config(config), options.Options)
	if err != nil {
		return nil, err
	}
	s := &Sense{Root: root, bounds: bounds(cmp.Or(options.MaxFiles, DefaultMaxFiles)), wait: cmp.Or(options.Wait, DefaultWait), vanishing: vanishing, marked: map[string]bool{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.rules.Store(s.newRules())
	if err := root.Watch(func(rel string, dir bool) bool { return s.rules.Load().ignored(rel, dir) }); err != nil {
		s.cancel()
		return nil, err
	}
	return s, nil
}

// Probe looks at a folder of files as the sense would.
func Probe(ctx context.Context, c Config) (folder.Probe, error) {
	s := Sense{Root: &folder.Root{Config: folder.Config(c)}}
	w := folder.Walk{Bounds: bounds(DefaultMaxFiles), Skip: s.newRules().ignored}
	return w.Probe(ctx, c.Path)
}

// Stop ends a walk in the background and gives the watches back.
func (s *Sense) Stop(ctx context.Context) error {
	s.cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.running.Wait()
		_ = s.Root.Stop(ctx) // gives the watches back, and never fails
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("files %s: still reading %s: %w", s.ID(), s.Path, ctx.Err())
	}
}

func (s *Sense) newRules() *rules {
	return newRules(s.Ignore, s.Own, s.readIgnoreFile)
}

// readIgnoreFile returns nil where there is none that can be read.
func (s *Sense) readIgnoreFile(name string) []byte {
	// Hardly any folder has one, which a single call tells.
	if _, err := os.Lstat(s.Full(path.Join(name, gitignoreName))); err != nil {
		return nil
	}
	disk, err := folder.OpenDisk(s.Path)
	if err != nil {
		return nil
	}
	defer disk.Close()
	data, err := headOf(disk, path.Join(name, gitignoreName), maxIgnoreFile)
	if err != nil {
		return nil
	}
	return data
}

// handout is what a batch changed, until it is known to be committed.
type handout struct {
	deltas []delta
	first  bool // of a silent first collect
	marked map[string]bool
	before *rules
	loose  bool // relaxed
}

// conclude finds out what became of the last batch: the cursor given is the one
// that was committed.
func (s *Sense) conclude(given []byte) {
	if !s.commits.Conclude(given, s.commit, s.takeBack) {
		return
	}
	s.commits.Begin(given)
	s.known, s.marked = nil, map[string]bool{}
	s.Rescan = true
	was, err := decodeCursor(given)
	s.stamped = err == nil && was.Trusts == s.Trusts.Sum()
	if s.walk != nil {
		s.walk.cancel()
		<-s.walk.done
		s.walk = nil
	}
}

func (s *Sense) commit(p handout) {
	s.stamped, s.marked = true, p.marked
	if p.first {
		s.known = newTree()
	}
	s.known.apply(p.deltas)
}

// takeBack makes what was not committed be found again.
func (s *Sense) takeBack(p handout) {
	for _, d := range p.deltas {
		s.Touched[d.path] = struct{}{}
	}
	s.before, s.relaxed = p.before, p.loose
	s.Rescan = s.Rescan || p.first
}

// rulesTouched reports whether an ignore file was changed: then everything has
// to be judged anew.
func (s *Sense) rulesTouched() bool {
	for file := range s.Touched {
		if path.Base(file) == gitignoreName && s.rules.Load().stale(path.Dir(file)) {
			return true
		}
	}
	return false
}
