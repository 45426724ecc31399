package files

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Name of the sense.
const Name = "files"

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// Sense looks at the files below one folder.
type Sense struct {
	config  Config
	options Options
	exclude []string // below the folder
	// trusts say whose word a file is, by its path below the folder; stamped:
	// what was committed is stamped as they say.
	trusts  senses.Trusts
	stamped bool
	sub     *watch.Subscription
	rules   atomic.Pointer[rules]
	run     [8]byte
	// vanishing is how long a collect waits before it believes that a file is
	// gone: some programs save by removing it and writing it anew.
	vanishing time.Duration
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup

	// known are the files as of the cursor committed; nil before the first
	// collect. marked are those of them that carry the daemon's mark.
	known     *tree
	marked    map[string]bool
	committed []byte
	started   bool // Collect was called
	collects  uint64
	// pending is what was handed out and is not known to be committed.
	pending *handout
	// dirty are touched paths that were not looked at, below the folder;
	// rescan says that everything must be.
	dirty  map[string]struct{}
	rescan bool
	walk   *walk // in the background
	// before are the rules under which known was seen, while others hold now.
	// relaxed: nothing is known of them.
	before  *rules
	relaxed bool
	// shut are folders that cannot be read, and the like.
	shut    []shutFolder
	skipped int
	full    bool
}

// New returns the sense of one folder. The folder need not exist.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.Trust == "" {
		config.Trust = subconscious.Outsider
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.MaxFiles <= 0 {
		options.MaxFiles = DefaultMaxFiles
	}
	if options.Wait <= 0 {
		options.Wait = DefaultWait
	}
	config.Path = filepath.Clean(config.Path)
	s := &Sense{config: config, options: options, dirty: map[string]struct{}{}, marked: map[string]bool{}, rescan: true, vanishing: vanishing,
		trusts: senses.TrustWithin(senses.Folder{Path: config.Path, Trust: config.Trust}, options.Within)}
	if err := s.excludeFolders(); err != nil {
		return nil, err
	}
	if _, err := rand.Read(s.run[:]); err != nil {
		return nil, fmt.Errorf("files %s: %w", config.ID, err)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.rules.Store(s.newRules())
	if options.Watcher == nil {
		return s, nil
	}
	var err error
	s.sub, err = options.Watcher.Subscribe(config.Path, watch.SubscribeOptions{Recursive: true, Ignore: s.ignore})
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("files %s: %w", config.ID, err)
	}
	return s, nil
}

// excludeFolders finds which of the daemon's own folders lie below this one,
// by its given and by its real name.
func (s *Sense) excludeFolders() error {
	for _, own := range s.options.Exclude {
		for _, root := range names(s.config.Path) {
			for _, folder := range names(own) {
				below, err := filepath.Rel(root, folder)
				if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
					if within(filepath.ToSlash(root), filepath.ToSlash(folder)) {
						return fmt.Errorf("path: %s lies inside the daemon's own folder %s; choose another", s.config.Path, own)
					}
					continue
				}
				if below == "." {
					return fmt.Errorf("path: %s is the daemon's own folder; choose another", s.config.Path)
				}
				s.exclude = append(s.exclude, filepath.ToSlash(below))
			}
		}
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

// Name returns "files".
func (s *Sense) Name() string { return Name }

// ID returns the configured instance.
func (s *Sense) ID() string { return s.config.ID }

// Stop ends a walk in the background and gives the watches back.
func (s *Sense) Stop(ctx context.Context) error {
	s.cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.running.Wait()
		if s.sub != nil {
			s.sub.Close()
		}
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("files %s: still reading %s: %w", s.config.ID, s.config.Path, ctx.Err())
	}
}

func (s *Sense) newRules() *rules {
	return newRules(s.config.Ignore, s.exclude, s.readIgnoreFile)
}

// ignore answers the watcher, from another goroutine.
func (s *Sense) ignore(full string, dir bool) bool {
	rel, ok := s.below(full)
	return ok && s.rules.Load().ignored(rel, dir)
}

// below returns the path below the folder, with slashes.
func (s *Sense) below(full string) (string, bool) {
	rel, err := filepath.Rel(s.config.Path, full)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// readIgnoreFile returns nil where there is none that can be read.
func (s *Sense) readIgnoreFile(name string) []byte {
	// Hardly any folder has one, which a single call tells.
	if _, err := os.Lstat(filepath.Join(s.config.Path, filepath.FromSlash(name), gitignoreName)); err != nil {
		return nil
	}
	f, err := openFolder(s.config.Path, nil, 0)
	if err != nil {
		return nil
	}
	defer f.close()
	data, err := f.head(filepath.ToSlash(filepath.Join(name, gitignoreName)), maxIgnoreFile)
	if err != nil {
		return nil
	}
	return data
}

// stamp returns the cursor of the next batch.
func (s *Sense) stamp(device uint64) []byte {
	s.collects++
	return cursor{root: hash(s.config.Path), ignore: hash(s.config.Ignore...), device: device, run: s.run, collect: s.collects, trusts: s.trusts.Sum()}.encode()
}

// handout is what a batch changed, until it is known to be committed.
type handout struct {
	cursor []byte
	deltas []delta
	first  *tree // of a silent first collect
	marked map[string]bool
	before *rules
	loose  bool // relaxed
}

// conclude finds out what became of the last batch: the cursor given is the one
// that was committed.
func (s *Sense) conclude(given []byte) {
	if p := s.pending; p != nil {
		s.pending = nil
		if string(given) == string(p.cursor) {
			s.commit(p)
		} else {
			s.takeBack(p)
		}
	}
	if s.started && string(given) == string(s.committed) {
		return
	}
	// The first collect since the start, or a ledger that is another than before.
	s.started, s.committed = true, append([]byte(nil), given...)
	s.known, s.marked = nil, map[string]bool{}
	s.rescan = true
	was, err := decodeCursor(given)
	s.stamped = err == nil && was.trusts == s.trusts.Sum()
	if s.walk != nil {
		s.walk.cancel()
		<-s.walk.done
		s.walk = nil
	}
}

func (s *Sense) commit(p *handout) {
	s.committed, s.stamped = p.cursor, true
	if p.first != nil {
		s.known = p.first
	} else {
		s.known.apply(p.deltas)
	}
	s.marked = p.marked
}

// takeBack makes what was not committed be found again.
func (s *Sense) takeBack(p *handout) {
	for _, d := range p.deltas {
		s.dirty[d.path] = struct{}{}
	}
	s.before, s.relaxed = p.before, p.loose
	if p.first != nil {
		s.rescan = true
	}
}

// drain takes over what the watcher knows.
func (s *Sense) drain() (degraded string) {
	if s.sub == nil {
		s.rescan = true
		return ""
	}
	touched, rescan, degraded := s.sub.Drain()
	for _, full := range touched {
		if rel, ok := s.below(full); ok {
			s.dirty[rel] = struct{}{}
		}
	}
	s.rescan = s.rescan || rescan
	return degraded
}

// rulesTouched reports whether an ignore file was changed: then everything has
// to be judged anew.
func (s *Sense) rulesTouched() bool {
	for file := range s.dirty {
		if path.Base(file) == gitignoreName && s.rules.Load().stale(path.Dir(file)) {
			return true
		}
	}
	return false
}
