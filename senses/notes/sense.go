package notes

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-pkgs/gitignore"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Name of the sense.
const Name = "notes"

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// Sense looks at the notes of one folder.
type Sense struct {
	config  Config
	options Options
	rules   rules
	// trusts say whose word a file is, by its path below the folder; stamped:
	// what was committed is stamped as they say.
	trusts  senses.Trusts
	stamped bool
	sub     *watch.Subscription
	run     string

	// known are the files as of the committed cursor, origins the paths of
	// those whose promises are known by another one.
	known    map[string]*entry
	origins  map[string]string
	baseline bool // the first collect is over
	// hidden: some of known are known by the keys of their rows, for their
	// paths hold secrets, until a collect of everything finds them.
	hidden    bool
	committed []byte
	started   bool
	collects  uint64
	// pending is what was handed out and is not known to be committed.
	pending *handout
	// dirty are touched paths that were not looked at; rescan says that
	// everything must be.
	dirty  map[string]struct{}
	rescan bool
	// unread says why some files could not be read.
	unread map[string]string
}

// handout is what a batch changed, until it is known to be committed.
type handout struct {
	cursor   []byte
	files    map[string]*entry // nil: gone
	baseline bool
}

// cursor is what is committed beside the rows.
type cursor struct {
	Version  int    `json:"v"`
	Root     string `json:"root"`
	Run      string `json:"run"`
	Collect  uint64 `json:"look"` // as it has always been stored
	Baseline bool   `json:"baseline"`
	// Trusts is the sum of those by which all was stamped.
	Trusts uint64 `json:"trusts,omitempty"`
}

// New returns the sense of one folder. The folder need not exist.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.Trust == "" {
		config.Trust = subconscious.Owner
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	config.Path = filepath.Clean(config.Path)
	s := &Sense{config: config, options: options, dirty: map[string]struct{}{}, rescan: true, unread: map[string]string{},
		trusts: senses.TrustWithin(senses.Folder{Path: config.Path, Trust: config.Trust}, options.Within)}
	if err := s.excludeFolders(); err != nil {
		return nil, err
	}
	s.rules.ignore = &gitignore.Matcher{}
	s.rules.ignore.AddPatterns([]byte(strings.Join(config.Ignore, "\n")), "")
	var run [8]byte
	if _, err := rand.Read(run[:]); err != nil {
		return nil, fmt.Errorf("notes %s: %w", config.ID, err)
	}
	s.run = hex.EncodeToString(run[:])
	if options.Watcher == nil {
		return s, nil
	}
	var err error
	if s.sub, err = options.Watcher.Subscribe(config.Path, watch.SubscribeOptions{Recursive: true, Ignore: s.ignore}); err != nil {
		return nil, fmt.Errorf("notes %s: %w", config.ID, err)
	}
	return s, nil
}

// excludeFolders finds which of the daemon's own folders lie below this one,
// by their given and by their real names.
func (s *Sense) excludeFolders() error {
	for _, own := range s.options.Exclude {
		for _, root := range names(s.config.Path) {
			for _, folder := range names(own) {
				if _, inside := below(folder, root); inside {
					return fmt.Errorf("path: %s lies inside the daemon's own folder %s; choose another", s.config.Path, own)
				}
				if rel, ok := below(root, folder); ok {
					s.rules.exclude = append(s.rules.exclude, rel)
				}
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

// below returns the path of full below root, with slashes; "." for root itself.
func below(root, full string) (string, bool) {
	rel, err := filepath.Rel(root, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// ignore answers the watcher, from another goroutine.
func (s *Sense) ignore(full string, dir bool) bool {
	rel, ok := below(s.config.Path, full)
	return ok && rel != "." && s.rules.skips(rel, dir)
}

// Name returns "notes".
func (s *Sense) Name() string { return Name }

// ID returns the configured instance.
func (s *Sense) ID() string { return s.config.ID }

// Stop gives the watches back.
func (s *Sense) Stop(context.Context) error {
	if s.sub != nil {
		s.sub.Close()
	}
	return nil
}

// conclude finds out what became of the last batch: the cursor given is the one
// that was committed.
func (s *Sense) conclude(ctx context.Context, given []byte) error {
	if p := s.pending; p != nil {
		s.pending = nil
		if string(given) == string(p.cursor) {
			s.commit(p)
		} else {
			for rel := range p.files {
				s.dirty[rel] = struct{}{}
			}
			s.rescan = s.rescan || !s.baseline
		}
	}
	if s.started && string(given) == string(s.committed) {
		return nil
	}
	// The first collect since the start, or a ledger that is another than before.
	s.started, s.rescan = false, true
	if err := s.load(ctx, given); err != nil {
		return err
	}
	s.started, s.committed = true, append([]byte(nil), given...)
	return nil
}

func (s *Sense) commit(p *handout) {
	s.committed, s.baseline, s.stamped = p.cursor, p.baseline, true
	for rel, e := range p.files {
		if old := s.known[rel]; old != nil && old.origin != "" && s.origins[old.origin] == rel {
			delete(s.origins, old.origin)
		}
		if e == nil {
			delete(s.known, rel)
			continue
		}
		s.known[rel] = e
	}
	for rel, e := range p.files {
		if e != nil && e.origin != "" {
			s.origins[e.origin] = rel
		}
	}
}

// load reads back what was committed with a cursor.
func (s *Sense) load(ctx context.Context, given []byte) error {
	s.known, s.origins, s.baseline = map[string]*entry{}, map[string]string{}, false
	s.hidden = false
	var c cursor
	if given != nil {
		if err := json.Unmarshal(given, &c); err != nil || c.Version != 1 {
			s.options.Logger.Warn("the cursor of the notes cannot be read; looking at them for the first time", "sense", s.config.ID, "error", err)
			c = cursor{}
		}
	}
	s.stamped = given != nil && c.Trusts == s.trusts.Sum()
	if s.options.Rows == nil {
		return nil
	}
	same := c.Root == s.config.Path
	err := s.options.Rows.Rows(ctx, Name, s.config.ID, func(rel string, row []byte) bool {
		e, err := decodeEntry(row)
		if err != nil {
			s.options.Logger.Warn("a row of the notes cannot be read; the file is taken to be new", "sense", s.config.ID, "error", err)
			e = &entry{open: true, many: true}
		}
		if !same {
			e.mtime, e.hash = 0, 0
		}
		s.known[rel] = e
		if strings.HasPrefix(rel, hiddenPrefix) {
			s.hidden = true
		}
		if e.origin != "" {
			s.origins[e.origin] = rel
		}
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("notes %s: read back what is known: %w", s.config.ID, err)
	}
	s.baseline = same && c.Baseline
	return nil
}

// reveal gives what is known by hidden keys the paths back of the files that
// are there. The others are gone.
func (s *Sense) reveal(there map[string]stat) {
	if !s.hidden {
		return
	}
	s.hidden = false
	for rel := range there {
		key := rowKey(rel)
		e := s.known[key]
		if key == rel || e == nil {
			continue
		}
		delete(s.known, key)
		s.known[rel] = e
		if e.origin != "" {
			s.origins[e.origin] = rel
		}
	}
}

// stamp returns the cursor of the next batch.
func (s *Sense) stamp(baseline bool) ([]byte, error) {
	s.collects++
	out, err := json.Marshal(cursor{Version: 1, Root: s.config.Path, Run: s.run, Collect: s.collects, Baseline: baseline, Trusts: s.trusts.Sum()})
	if err != nil {
		return nil, fmt.Errorf("notes %s: cursor: %w", s.config.ID, err)
	}
	return out, nil
}

// drain takes over what the watcher knows.
func (s *Sense) drain() (degraded string) {
	if s.sub == nil {
		s.rescan = true
		return ""
	}
	touched, rescan, degraded := s.sub.Drain()
	for _, full := range touched {
		if rel, ok := below(s.config.Path, full); ok {
			s.dirty[rel] = struct{}{}
		}
	}
	s.rescan = s.rescan || rescan
	return degraded
}

// budget bounds how long one collect reads: half of what the caller grants.
func budget(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := 5 * time.Second
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	return context.WithTimeout(ctx, limit)
}

// unreadable says in plain words which notes cannot be read.
func (s *Sense) unreadable() string {
	if len(s.unread) == 0 {
		return ""
	}
	first := ""
	for rel := range maps.Keys(s.unread) {
		if first == "" || rel < first {
			first = rel
		}
	}
	if len(s.unread) == 1 {
		return fmt.Sprintf("%s is not read: it is %s", first, s.unread[first])
	}
	return fmt.Sprintf("%d notes are not read, such as %s: it is %s", len(s.unread), first, s.unread[first])
}
