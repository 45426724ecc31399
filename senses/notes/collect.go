package notes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxChanged is how many files one collect tells of after the first, and
	// maxItems how many promises; the rest follow.
	maxChanged = 4000
	maxItems   = 20_000
	// markWithin is how far into a file the daemon's mark is looked for.
	markWithin = 4 << 10
	// emptyFor is how long an empty file is given that had something in it.
	emptyFor = time.Second
)

// Collect looks at the notes that were touched, or at all of them.
func (s *Sense) Collect(ctx context.Context, at time.Time, given []byte) (senses.Batch, error) {
	if err := s.conclude(ctx, given); err != nil {
		return senses.Batch{}, err
	}
	root, err := os.OpenRoot(s.config.Path)
	if err != nil {
		s.rescan = true
		return senses.Batch{}, fmt.Errorf("notes %s: open the folder %s (check that it exists and may be read): %w", s.config.ID, s.config.Path, err)
	}
	defer root.Close()
	degraded := s.drain()
	limited, cancel := budget(ctx)
	defer cancel()
	p, err := s.plan(limited, root)
	if err != nil {
		s.rescan = true
		return senses.Batch{}, fmt.Errorf("notes %s: list %s: %w", s.config.ID, s.config.Path, err)
	}
	l := collect{sense: s, root: root, at: at, handout: handout{files: map[string]*entry{}}, later: map[string]struct{}{}}
	l.files(limited, p)
	if err := ctx.Err(); err != nil {
		s.rescan = true
		return senses.Batch{}, fmt.Errorf("notes %s: read %s: %w", s.config.ID, s.config.Path, err)
	}
	return s.hand(&l, p, degraded)
}

// hand makes the batch of what a collect found.
func (s *Sense) hand(l *collect, p plan, degraded string) (senses.Batch, error) {
	l.handout.baseline = s.baseline || len(l.later) == 0
	l.batch.Starting = !l.handout.baseline
	l.batch.Degraded = join(degraded, p.degraded, s.unreadable())
	s.dirty, s.rescan = l.later, false
	if len(l.handout.files) == 0 && s.baseline == l.handout.baseline && len(s.committed) > 0 && s.stamped {
		return l.batch, nil
	}
	if !s.stamped {
		l.batch.Restamp = s.toldTrust
	}
	for _, rel := range slices.Sorted(maps.Keys(l.handout.files)) {
		row := senses.Row{Key: rowKey(rel)}
		if e := l.handout.files[rel]; e != nil {
			row.Value = e.encode()
		}
		l.batch.Rows = append(l.batch.Rows, row)
	}
	stamp, err := s.stamp(l.handout.baseline)
	if err != nil {
		return senses.Batch{}, err
	}
	l.handout.cursor, l.batch.Cursor = stamp, slices.Clone(stamp)
	s.pending = &l.handout
	return l.batch, nil
}

func join(reasons ...string) string {
	return strings.Join(slices.DeleteFunc(reasons, func(r string) bool { return r == "" }), "; ")
}

// plan is what a collect has to do.
type plan struct {
	read, gone []string // sorted
	degraded   string
}

// plan finds out which notes must be read and which are gone.
func (s *Sense) plan(ctx context.Context, root *os.Root) (plan, error) {
	l := listing{notes: map[string]stat{}}
	touched := map[string]bool{} // to be read whatever their time says
	vanished := map[string]bool{}
	if s.rescan {
		if err := l.walk(ctx, root, s.rules, ".", 0); err != nil {
			return plan{}, err
		}
		vanished["."] = true
	}
	if s.rescan {
		s.reveal(l.notes)
	}
	for rel := range s.dirty {
		touched[rel] = true
		if !s.rescan {
			if err := s.touched(ctx, root, &l, rel, vanished); err != nil {
				return plan{}, err
			}
		}
	}
	var p plan
	files := len(s.known)
	if len(vanished) > 0 {
		for rel := range s.known {
			if _, there := l.notes[rel]; !there && under(rel, vanished) && !l.isClosed(rel) {
				p.gone = append(p.gone, rel)
				files--
			}
		}
	}
	maps.DeleteFunc(s.unread, func(rel, _ string) bool {
		_, there := l.notes[rel]
		return !there && under(rel, vanished) && !l.isClosed(rel)
	})
	refused := 0
	for _, rel := range slices.Sorted(maps.Keys(l.notes)) {
		known, now := s.known[rel], l.notes[rel]
		if known != nil && !touched[rel] && known.mtime == now.mtime && known.size == now.size {
			continue
		}
		if known == nil {
			if files >= maxNotes {
				refused++
				continue
			}
			files++
		}
		p.read = append(p.read, rel)
	}
	slices.Sort(p.gone)
	p.degraded = l.complaint(refused)
	return p, nil
}

// touched looks at one path that the watcher named.
func (s *Sense) touched(ctx context.Context, root *os.Root, l *listing, rel string, vanished map[string]bool) error {
	vanished[rel] = true
	info, err := root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // not to be told from there: taken to be as it was
		l.closed = append(l.closed, rel)
		delete(vanished, rel)
		return nil
	}
	switch {
	case rel == ".":
		return l.walk(ctx, root, s.rules, rel, 0)
	case s.rules.skipsPath(rel, info.IsDir()):
	case info.IsDir():
		return l.walk(ctx, root, s.rules, rel, strings.Count(rel, "/")+1)
	case info.Mode().IsRegular():
		l.notes[rel] = stat{mtime: info.ModTime().UnixNano(), size: info.Size()}
	}
	return nil
}

// under reports whether a path or a folder above it is in the set.
func under(rel string, folders map[string]bool) bool {
	if folders["."] || folders[rel] {
		return true
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

func (l *listing) complaint(refused int) string {
	var reasons []string
	if refused > 0 {
		reasons = append(reasons, fmt.Sprintf("%d notes more than the %d that are followed; ignore some folders", refused, maxNotes))
	}
	if l.full {
		reasons = append(reasons, fmt.Sprintf("more than %d files or %d folders deep; ignore some folders", maxListed, maxDepth))
	} else if len(l.closed) > 0 {
		reasons = append(reasons, fmt.Sprintf("the folder %s cannot be read", slices.Min(l.closed)))
	}
	return join(reasons...)
}

// collect is one Collect as it goes on.
type collect struct {
	sense   *Sense
	root    *os.Root
	at      time.Time
	batch   senses.Batch
	handout handout
	items   int                 // promises in the batch
	later   map[string]struct{} // what there was no time for
	// left are files that are gone, by their content: one of them may have
	// been renamed. taken are those that were.
	left  map[uint64][]string
	taken map[string]bool
	used  map[string]bool // origins given out in this collect
}

func (l *collect) files(ctx context.Context, p plan) {
	s := l.sense
	l.left, l.taken, l.used = map[uint64][]string{}, map[string]bool{}, map[string]bool{}
	for _, rel := range p.gone {
		if e := s.known[rel]; e.size > 0 && !e.marked && e.hash != 0 {
			l.left[e.hash] = append(l.left[e.hash], rel)
		}
	}
	complete := true
	for _, rel := range p.read {
		if ctx.Err() != nil || l.full() {
			l.later[rel] = struct{}{}
			complete = false
			continue
		}
		l.file(rel)
	}
	for _, rel := range p.gone {
		switch {
		case l.taken[rel]:
		case !complete || l.full(): // it may yet turn up under another name
			l.later[rel] = struct{}{}
		default:
			l.gone(rel)
		}
	}
}

// full reports whether the collect has found as much as one batch should hold.
func (l *collect) full() bool {
	return l.sense.baseline && len(l.handout.files) >= maxChanged || l.items >= maxItems
}

// file reads one note and tells what is new.
func (l *collect) file(rel string) {
	s := l.sense
	before := s.known[rel]
	c, err := read(l.root, rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if before != nil {
			l.gone(rel)
		}
		return
	case errors.Is(err, errMoving):
		l.later[rel] = struct{}{}
		return
	case err != nil:
		s.unread[rel] = plainReason(err)
		return
	}
	delete(s.unread, rel)
	if age := l.at.Sub(c.when); len(c.data) == 0 && before != nil && before.size > 0 && age >= 0 && age < emptyFor {
		l.later[rel] = struct{}{} // an editor empties a file before it writes it
		return
	}
	now := &entry{mtime: c.stat.mtime, size: c.stat.size, hash: c.hash}
	if time.Since(c.when) < racy {
		now.mtime = 0
	}
	if before != nil && before.hash == c.hash && before.size == c.stat.size {
		if before.mtime != now.mtime {
			touched := *before
			touched.mtime = now.mtime
			l.handout.files[rel] = &touched
		}
		return
	}
	from := ""
	if before == nil {
		before, from = l.renamed(rel, c.hash, c.stat.size)
	}
	l.changed(rel, from, before, now, c)
}

func plainReason(err error) string {
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, errNotFile):
		return err.Error()
	case errors.Is(err, fs.ErrPermission):
		return "not permitted"
	}
	return "unreadable (" + err.Error() + ")"
}

// renamed finds the file that is gone and had that content.
func (l *collect) renamed(rel string, hash uint64, size int64) (before *entry, from string) {
	best := ""
	for _, old := range l.left[hash] {
		if l.taken[old] || l.sense.known[old].size != size {
			continue
		}
		if best == "" || path.Base(old) == path.Base(rel) && path.Base(best) != path.Base(rel) {
			best = old
		}
	}
	if best == "" {
		return nil, ""
	}
	l.taken[best] = true
	l.handout.files[best] = nil
	return l.sense.known[best], best
}

// changed works out what a file that is new, renamed or another than before
// says.
func (l *collect) changed(rel, from string, before, now *entry, c content) {
	s := l.sense
	l.handout.files[rel] = now
	now.origin = l.origin(rel, from, before)
	text := string(bytes.ToValidUTF8(c.data, []byte("\uFFFD")))
	now.marked = isMarked(c.data)
	var items []subconscious.Observation
	body := 1
	if !now.marked {
		d := foreign.Parse(c.data, isPlain(rel))
		body = d.Body
		now.lines, now.many = lineHashes(text)
		promises := readPromises(d, path.Base(rel))
		now.open = len(promises) > 0
		items = l.promises(rel, now, before, d, promises, c.when)
	}
	l.items += len(items)
	if now.open || before != nil && before.open {
		l.batch.Sets = append(l.batch.Sets, senses.Set{Scope: scope(rel, now), Items: items})
	}
	if !s.baseline || now.marked || before != nil && before.marked {
		return
	}
	switch {
	case before == nil:
		l.note(rel, "created", "", now, compare(&entry{}, now, text, body))
	case from != "":
		l.note(rel, "renamed", from, now, difference{})
	default:
		if d := compare(before, now, text, body); d.unknown || d.plus+d.minus > 0 {
			l.note(rel, "changed", "", now, d)
		}
	}
}

// isMarked reports whether a file carries the daemon's mark or is no text.
func isMarked(data []byte) bool {
	head := data[:min(len(data), markWithin)]
	return bytes.Contains(head, []byte(subconscious.Mark)) || bytes.IndexByte(head, 0) >= 0
}

// origin returns the path by which the promises of a file are known, "" for
// its own. No two files share one.
func (l *collect) origin(rel, from string, before *entry) string {
	s := l.sense
	if before != nil {
		origin := scope(rel, before)
		if from != "" && before.origin == "" {
			origin = safeName(from)
		}
		l.used[origin] = true
		if origin == safeName(rel) {
			return ""
		}
		return origin
	}
	name := safeName(rel)
	origin := name
	for n := 2; ; n++ {
		if holder, taken := s.origins[origin]; !l.used[origin] && (!taken || holder == rel) {
			break
		}
		origin = fmt.Sprintf("%s~%d", name, n)
	}
	if origin == name {
		return ""
	}
	l.used[origin] = true
	return origin
}

// scope names the set of a file's promises.
func scope(rel string, e *entry) string {
	if e.origin != "" {
		return e.origin
	}
	return safeName(rel)
}

// gone tells that a file is no longer there.
func (l *collect) gone(rel string) {
	e := l.sense.known[rel]
	l.handout.files[rel] = nil
	delete(l.sense.unread, rel)
	if e.open {
		l.batch.Sets = append(l.batch.Sets, senses.Set{Scope: scope(rel, e)})
	}
	if l.sense.baseline && !e.marked {
		l.note(rel, "deleted", "", e, difference{})
	}
}
