package folder

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Racy is how recent a file's time may be for a later change to share it.
const Racy = 2 * time.Second

// Stat tells a file that was touched from one that was not.
type Stat struct {
	Time int64 // in nanoseconds; 0: the file is to be read in any case
	Size int64
}

// StatOf is that of a file as it was listed.
func StatOf(info fs.FileInfo) Stat { return Stat{info.ModTime().UnixNano(), info.Size()} }

// Kind is what a driver that reads files whole looks for, with an E kept of
// each file in a row.
type Kind[E any] struct {
	Sense string // its name
	Noun  string // what the files are called: "notes"
	Bounds
	// Skip leaves a path out by its name.
	Skip func(rel string, dir bool) bool
	// Key is that of a file's row. Hidden: it does not tell the path of the file,
	// which is known again when it is found.
	Key    func(rel string) string
	Hidden func(key string) bool
	// Decode reads a row back; same says that it is of this folder. What comes
	// with an error is kept, unless it is nil.
	Decode func(row []byte, same bool) (*E, error)
	Encode func(*E) []byte
	Stat   func(*E) Stat
	// Read looks at the files of a collect until limited ends, and fails ctx ends.
	Read func(ctx, limited context.Context, l *Look[E])
	// Told is whose word by now is what was told before; nil: it never changes.
	Told func(r *Root, o subconscious.Observation) subconscious.Trust
	// Whole: whatever is touched, the whole folder is listed.
	Whole bool
	// Early: what is touched brings an early tick.
	Early bool
}

// Sense follows the files of one folder.
type Sense[E any] struct {
	*Root
	kind Kind[E]
	// known are the files as of the committed cursor, by path, or by the keys of
	// their rows while they are hidden.
	known    map[string]*E
	hidden   map[string]bool
	begun    bool // the first collect is over
	stamped  bool // what was committed is stamped as the trusts say
	collects uint64
	commits  senses.Commits[handout[E]]
	// unread says why some files could not be read, missed what the listing could
	// not see.
	unread map[string]string
	missed Missed
}

// handout is what a batch changed, until it is known to be committed.
type handout[E any] struct {
	files map[string]*E // nil: gone
	begun bool
}

// cursor is what is committed beside the rows, under the names by which the
// senses have always stored it.
type cursor struct {
	Version  int    `json:"v"`
	Root     string `json:"root"`
	Run      string `json:"run"`
	Collect  uint64 `json:"look"`
	Baseline bool   `json:"baseline"` // of notes
	Begun    bool   `json:"begun"`    // of conversations
	// Trusts is the sum of those by which all was stamped.
	Trusts uint64 `json:"trusts,omitempty"`
}

// Follow returns the sense of one folder, which need not exist.
func Follow[E any](c Config, options Options, kind Kind[E]) (*Sense[E], error) {
	root, err := New(kind.Sense, c, options)
	if err != nil {
		return nil, err
	}
	skip := kind.ignoring(c)
	kind.Skip = func(rel string, dir bool) bool { return root.Excluded(rel) || skip(rel, dir) }
	return &Sense[E]{Root: root, kind: kind, unread: map[string]string{}}, root.Watch(kind.Skip)
}

// ignoring is Skip together with what is configured.
func (k Kind[E]) ignoring(c Config) func(rel string, dir bool) bool {
	ignore := Patterns(c.Ignore...)
	return func(rel string, dir bool) bool { return k.Skip(rel, dir) || ignore.MatchPath(rel, dir) }
}

// Probe looks at a folder as the sense would.
func (k Kind[E]) Probe(ctx context.Context, c Config) (Probe, error) {
	w := Walk{Bounds: k.Bounds, Skip: k.ignoring(c)}
	return w.Probe(ctx, c.Path)
}

var (
	_ senses.Hinter  = (*Sense[int])(nil)
	_ senses.Stopper = (*Sense[int])(nil)
)

// Hints is readable when a file was touched; nil without a watcher, and where that
// brings no early tick.
func (s *Sense[E]) Hints() <-chan struct{} {
	if !s.kind.Early || s.sub == nil {
		return nil
	}
	return s.sub.Touches()
}

// Collect looks at the files that were touched, or at all of them.
func (s *Sense[E]) Collect(ctx context.Context, at time.Time, given []byte) (senses.Batch, error) {
	fail := func(doing string, err error) (senses.Batch, error) {
		s.Rescan = true
		return senses.Batch{}, fmt.Errorf("%s %s: %s %s: %w", s.Name(), s.ID(), doing, s.Path, err)
	}
	if s.commits.Conclude(given, s.commit, s.takeBack) {
		s.Rescan = true
		if err := s.load(ctx, given); err != nil {
			return fail("read back what is known of", err)
		}
		s.commits.Begin(given)
	}
	disk, err := OpenDisk(s.Path)
	if err != nil {
		s.Rescan = true
		return senses.Batch{}, err
	}
	defer disk.Close()
	degraded := s.Drain()
	limited, cancel := Budget(ctx)
	defer cancel()
	l := &Look[E]{Sense: s, Dir: disk, At: at, Files: map[string]*E{}, Later: map[string]struct{}{}}
	if err := l.plan(limited); err != nil {
		return fail("list", err)
	}
	s.kind.Read(ctx, limited, l)
	if err := ctx.Err(); err != nil {
		return fail("read", err)
	}
	return s.hand(l, degraded), nil
}

// Budget bounds how long one collect reads: half of what the caller grants.
func Budget(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := 5 * time.Second
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	return context.WithTimeout(ctx, limit)
}

func (s *Sense[E]) commit(p handout[E]) {
	s.begun, s.stamped = p.begun, true
	for rel, e := range p.files {
		if e == nil {
			delete(s.known, rel)
			delete(s.hidden, rel)
		} else {
			s.known[rel] = e
		}
	}
}

// takeBack makes what was not committed be found again.
func (s *Sense[E]) takeBack(p handout[E]) {
	for rel := range p.files {
		s.Touched[rel] = struct{}{}
	}
	s.Rescan = s.Rescan || !s.begun
}

// load reads back what was committed with a cursor.
func (s *Sense[E]) load(ctx context.Context, given []byte) error {
	s.known, s.hidden, s.begun = map[string]*E{}, map[string]bool{}, false
	log := s.Logger.With("sense", s.Name(), "id", s.ID())
	var c cursor
	if given != nil {
		if err := json.Unmarshal(given, &c); err != nil || c.Version != 1 {
			log.Warn("a cursor cannot be read; looking at the folder for the first time", "error", err)
			c = cursor{}
		}
	}
	s.stamped = s.kind.Told == nil || given != nil && c.Trusts == s.Trusts.Sum()
	if s.Rows == nil {
		return nil
	}
	same := c.Root == s.Path
	err := s.Rows.Rows(ctx, s.Name(), s.ID(), func(key string, row []byte) bool {
		e, err := s.kind.Decode(row, same)
		if err != nil {
			log.Warn("a row cannot be read; the file is taken to be new", "error", err)
		}
		if e != nil {
			s.known[key] = e
			if s.kind.Hidden(key) {
				s.hidden[key] = true
			}
		}
		return ctx.Err() == nil
	})
	s.begun = same && (c.Baseline || c.Begun)
	return errors.Join(err, ctx.Err())
}

// reveal gives what is known by hidden keys the paths back of the files that
// are there. The others are gone.
func (s *Sense[E]) reveal(there map[string]Stat) {
	if len(s.hidden) == 0 {
		return
	}
	for rel := range there {
		key := s.kind.Key(rel)
		if !s.hidden[key] {
			continue
		}
		delete(s.hidden, key)
		e := s.known[key]
		delete(s.known, key)
		s.known[rel] = e
	}
}

// hand makes the batch of what a collect found.
func (s *Sense[E]) hand(l *Look[E], degraded string) senses.Batch {
	p := handout[E]{files: l.Files, begun: s.begun || len(l.Later) == 0}
	l.Batch.Starting = !p.begun
	l.Batch.Degraded = senses.Joined(degraded, s.kind.Complaint(s.Path, s.kind.Noun, s.missed), s.unreadable())
	s.Touched, s.Rescan = l.Later, l.Again
	if len(p.files) == 0 && s.begun == p.begun && len(s.commits.Committed()) > 0 && s.stamped {
		return l.Batch
	}
	if !s.stamped {
		l.Batch.Restamp = func(o subconscious.Observation) subconscious.Trust { return s.kind.Told(s.Root, o) }
	}
	for _, rel := range slices.Sorted(maps.Keys(p.files)) {
		row := senses.Row{Key: rel}
		if !s.hidden[rel] {
			row.Key = s.kind.Key(rel)
		}
		if e := p.files[rel]; e != nil {
			row.Value = s.kind.Encode(e)
		}
		l.Batch.Rows = append(l.Batch.Rows, row)
	}
	s.collects++
	stamp, _ := json.Marshal(cursor{Version: 1, Root: s.Path, Run: hex.EncodeToString(s.Run[:]), Collect: s.collects,
		Baseline: p.begun, Begun: p.begun, Trusts: s.Trusts.Sum()}) // of plain values, which cannot fail
	l.Batch.Cursor = s.commits.Hand(stamp, p)
	return l.Batch
}

// unreadable says in plain words which files cannot be read.
func (s *Sense[E]) unreadable() string {
	if len(s.unread) == 0 {
		return ""
	}
	first := slices.Min(slices.Collect(maps.Keys(s.unread)))
	if len(s.unread) == 1 {
		return fmt.Sprintf("%s is not read: it is %s", first, s.unread[first])
	}
	return fmt.Sprintf("%d %s are not read, such as %s: it is %s", len(s.unread), s.kind.Noun, first, s.unread[first])
}

// Look is one Collect as it goes on. A driver fills Batch, Files and Later.
type Look[E any] struct {
	*Sense[E]
	Dir *Disk
	At  time.Time
	// Read are the files to be read, and Gone those that are no longer there.
	Read, Gone []string // sorted
	Batch      senses.Batch
	// Files are what is known of files from now on; nil: the file is gone.
	Files map[string]*E
	// Later are files that there was no time for; Again: the next collect lists
	// the folder.
	Later map[string]struct{}
	Again bool
}

// Known is what was committed of a file, nil for one that is new.
func (l *Look[E]) Known(rel string) *E { return l.known[rel] }

// All is what was committed of all files, by path.
func (l *Look[E]) All() map[string]*E { return l.known }

// Begun reports whether the first collect is over.
func (l *Look[E]) Begun() bool { return l.begun }

// Unread notes why a file could not be read, nil for one that was.
func (l *Look[E]) Unread(rel string, err error) {
	var reason Reason
	switch {
	case err == nil:
		delete(l.unread, rel)
	case errors.As(err, &reason):
		l.unread[rel] = string(reason)
	case errors.Is(err, fs.ErrPermission):
		l.unread[rel] = "not permitted"
	default:
		l.unread[rel] = "unreadable (" + err.Error() + ")"
	}
}

// plan finds out which files must be read and which are gone.
func (l *Look[E]) plan(ctx context.Context) error {
	s := l.Sense
	for _, c := range s.missed.Closed { // it may be open by now
		s.Touched[c.Path] = struct{}{}
	}
	there, looked := map[string]Stat{}, map[string]bool{}
	w := Walk{Disk: l.Dir, Bounds: s.kind.Bounds, Skip: s.kind.Skip, Folder: func(folder string, files []fs.FileInfo) bool {
		for _, info := range files {
			there[path.Join(folder, info.Name())] = StatOf(info)
		}
		return true
	}}
	if s.Rescan = s.Rescan || s.kind.Whole && len(s.Touched) > 0; s.Rescan {
		looked["."], s.missed = true, Missed{}
		if err := w.Below(ctx, "."); err != nil {
			return err
		}
		s.missed.Skipped = w.Skipped
		s.reveal(there)
	} else {
		for rel := range s.Touched {
			if err := w.At(ctx, rel); err != nil {
				return err
			}
			looked[rel] = true
		}
	}
	s.missed.Closed, s.missed.Full = w.Closed, s.missed.Full || w.Full
	gone := func(rel string) bool {
		_, is := there[rel]
		return !is && Under(rel, looked) && !w.Full && !(s.hidden[rel] && len(w.Closed) > 0) &&
			!slices.ContainsFunc(w.Closed, func(c Closed) bool { return Within(rel, c.Path) })
	}
	if len(looked) > 0 {
		for rel := range s.known {
			if gone(rel) {
				l.Gone = append(l.Gone, rel)
			}
		}
	}
	maps.DeleteFunc(s.unread, func(rel, _ string) bool { return gone(rel) })
	files := len(s.known) - len(l.Gone)
	for _, rel := range slices.Sorted(maps.Keys(there)) {
		known := s.known[rel]
		_, touched := s.Touched[rel]
		switch {
		case known != nil && !touched && s.kind.Stat(known) == there[rel]:
			continue
		case known == nil && files >= s.kind.Files:
			s.missed.Full = true
			continue
		case known == nil:
			files++
		}
		l.Read = append(l.Read, rel)
	}
	slices.Sort(l.Gone)
	return nil
}

// Under reports whether a path or a folder above it is in the set.
func Under(rel string, folders map[string]bool) bool {
	for ; rel != "."; rel = path.Dir(rel) {
		if folders[rel] {
			return true
		}
	}
	return folders["."]
}
