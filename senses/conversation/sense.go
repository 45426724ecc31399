package conversation

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Sense looks at one folder of transcripts.
type Sense struct {
	config  Config
	options Options
	rules   rules
	sub     *watch.Subscription

	// known are the transcripts by the keys of their rows, as they were
	// committed with the cursor committed. begun: the first collect is over.
	known     map[string]*entry
	begun     bool
	committed []byte
	started   bool
	run       string
	collects  uint64
	// pending is what was handed out and is not known to be committed.
	pending *handout
	// rescan: the folder is to be listed.
	rescan bool
	// complaint is what the last listing could not see.
	complaint string
	// unread says why some transcripts could not be read.
	unread map[string]string
}

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// handout is what a batch changed, until it is known to be committed.
type handout struct {
	cursor  []byte
	entries map[string]*entry // nil: gone
	begun   bool
}

// cursor is what is committed beside the rows.
type cursor struct {
	Version int    `json:"v"`
	Root    string `json:"root"`
	Run     string `json:"run"`
	Collect uint64 `json:"look"` // as it has always been stored
	Begun   bool   `json:"begun"`
}

// New returns the sense of one folder of transcripts. The folder need not exist.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.Trust == "" {
		config.Trust = subconscious.Agent
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	config.Path = filepath.Clean(config.Path)
	s := &Sense{config: config, options: options, rules: rulesOf(config), rescan: true, unread: map[string]string{}}
	if err := s.excludeFolders(); err != nil {
		return nil, err
	}
	var run [8]byte
	if _, err := rand.Read(run[:]); err != nil {
		return nil, fmt.Errorf("conversation %s: %w", config.ID, err)
	}
	s.run = hex.EncodeToString(run[:])
	if options.Watcher == nil {
		return s, nil
	}
	var err error
	if s.sub, err = options.Watcher.Subscribe(config.Path, watch.SubscribeOptions{Recursive: true, Ignore: s.ignore}); err != nil {
		return nil, fmt.Errorf("conversation %s: %w", config.ID, err)
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

// Name returns "conversation".
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
			s.committed, s.begun = p.cursor, p.begun
			for key, e := range p.entries {
				if e == nil {
					delete(s.known, key)
				} else {
					s.known[key] = e
				}
			}
		} else {
			s.rescan = true
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
	s.started, s.committed = true, slices.Clone(given)
	return nil
}

// load reads back what was committed with a cursor.
func (s *Sense) load(ctx context.Context, given []byte) error {
	s.known, s.begun = map[string]*entry{}, false
	var c cursor
	if given != nil {
		if err := json.Unmarshal(given, &c); err != nil || c.Version != 1 {
			s.options.Logger.Warn("the cursor of the transcripts cannot be read; looking at them for the first time", "sense", s.config.ID, "error", err)
			c = cursor{}
		}
	}
	if s.options.Rows == nil {
		return nil
	}
	err := s.options.Rows.Rows(ctx, Name, s.config.ID, func(key string, row []byte) bool {
		e, err := decodeEntry(row)
		if err != nil {
			s.options.Logger.Warn("a row of the transcripts cannot be read; the file is taken to be new", "sense", s.config.ID, "error", err)
			return ctx.Err() == nil
		}
		s.known[key] = e
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("conversation %s: read back what is known: %w", s.config.ID, err)
	}
	s.begun = c.Begun && c.Root == s.config.Path
	return nil
}

// stamp returns the cursor of the next batch.
func (s *Sense) stamp(begun bool) ([]byte, error) {
	s.collects++
	out, err := json.Marshal(cursor{Version: 1, Root: s.config.Path, Run: s.run, Collect: s.collects, Begun: begun})
	if err != nil {
		return nil, fmt.Errorf("conversation %s: cursor: %w", s.config.ID, err)
	}
	return out, nil
}

// unreadable says in plain words which transcripts cannot be read.
func (s *Sense) unreadable() string {
	if len(s.unread) == 0 {
		return ""
	}
	first := slices.Min(slices.Collect(maps.Keys(s.unread)))
	if len(s.unread) == 1 {
		return fmt.Sprintf("%s is not read: it is %s", first, s.unread[first])
	}
	return fmt.Sprintf("%d transcripts are not read, such as %s: it is %s", len(s.unread), first, s.unread[first])
}
