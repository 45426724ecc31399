package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Collect looks at the transcripts that were touched, or at all of them.
func (s *Sense) Collect(ctx context.Context, at time.Time, given []byte) (senses.Batch, error) {
	if err := s.conclude(ctx, given); err != nil {
		return senses.Batch{}, err
	}
	root, err := os.OpenRoot(s.config.Path)
	if err != nil {
		s.rescan = true
		return senses.Batch{}, fmt.Errorf("conversation %s: open the folder %s (check that it exists and may be read): %w", s.config.ID, s.config.Path, err)
	}
	defer root.Close()
	degraded := s.drain()
	if !s.rescan {
		return senses.Batch{Degraded: join(degraded, s.complaint, s.unreadable())}, nil
	}
	limited, cancel := budget(ctx)
	defer cancel()
	l := s.begin(root, at)
	if err := l.plan(limited); err != nil {
		return senses.Batch{}, fmt.Errorf("conversation %s: list %s: %w", s.config.ID, s.config.Path, err)
	}
	l.files(ctx, limited)
	if err := ctx.Err(); err != nil {
		return senses.Batch{}, fmt.Errorf("conversation %s: read %s: %w", s.config.ID, s.config.Path, err)
	}
	return s.hand(l, degraded)
}

// drain takes over what the watcher knows.
func (s *Sense) drain() (degraded string) {
	if s.sub == nil {
		s.rescan = true
		return ""
	}
	touched, rescan, degraded := s.sub.Drain()
	s.rescan = s.rescan || rescan || len(touched) > 0
	return degraded
}

// collect is one Collect as it goes on.
type collect struct {
	sense   *Sense
	root    *os.Root
	at      time.Time
	hearing hearing
	entries map[string]*entry // of the handout
	// changed and found are the transcripts to be read: those that are known, and
	// those that are not. gone are keys of those that are no longer there.
	changed, found []string
	stats          map[string]stat
	gone           map[string]bool
	// later: there was no time for all, or too much was found. writing: a
	// transcript was being written.
	later, writing bool
	names          map[string]bool // of conversations, once asked for
	all            map[uint64]bool // messages of all transcripts, once asked for
}

func (s *Sense) begin(root *os.Root, at time.Time) *collect {
	agent := subconscious.Agent
	if s.config.Trust == subconscious.Outsider {
		agent = subconscious.Outsider
	}
	return &collect{
		sense: s, root: root, at: at, entries: map[string]*entry{}, gone: map[string]bool{},
		hearing: hearing{instance: s.config.ID, at: at, person: s.config.Trust, agent: agent},
	}
}

// plan finds out which transcripts must be read and which are gone.
func (l *collect) plan(ctx context.Context) error {
	s := l.sense
	list := listing{files: map[string]stat{}}
	if err := list.walk(ctx, l.root, s.rules, ".", 0); err != nil {
		return err
	}
	l.stats = list.files
	there := make(map[string]bool, len(list.files))
	refused := 0
	for _, rel := range slices.Sorted(maps.Keys(list.files)) {
		key, now := fileKey(rel), list.files[rel]
		there[key] = true
		switch known := s.known[key]; {
		case known == nil && len(s.known)+len(l.found) >= MaxTranscripts:
			refused++
		case known == nil:
			l.found = append(l.found, rel)
		case known.MTime != now.mtime || known.Size != now.size:
			l.changed = append(l.changed, rel)
		}
	}
	if list.closed == "" {
		for key := range s.known {
			if !there[key] {
				l.gone[key] = true
			}
		}
	}
	maps.DeleteFunc(s.unread, func(rel, _ string) bool { _, is := list.files[rel]; return !is })
	s.complaint = list.complaint(refused)
	return nil
}

// files reads the transcripts, those that are known first, and ends those that
// are gone and did not turn up under another name.
func (l *collect) files(ctx, limited context.Context) {
	for _, rel := range slices.Concat(l.changed, l.found) {
		if limited.Err() != nil || l.hearing.full() {
			l.later = true
			break
		}
		l.file(ctx, rel)
	}
	for _, key := range slices.Sorted(maps.Keys(l.gone)) {
		if l.later || l.hearing.full() { // it may yet turn up
			l.later = true
			break
		}
		e := l.sense.known[key]
		t := l.talk(e)
		for _, item := range t.take(func(open) bool { return true }) {
			l.hearing.gone(t, item)
		}
		l.entries[key] = nil
	}
}

func (l *collect) talk(e *entry) *talk {
	return &talk{name: e.Name, link: "conversation:" + l.sense.config.ID + "/" + e.Name, Open: slices.Clone(e.Open)}
}

// file reads one transcript.
func (l *collect) file(ctx context.Context, rel string) {
	s, key := l.sense, fileKey(rel)
	f, err := openTranscript(l.root, rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.writing = true // the next collect finds it gone
		return
	case err != nil:
		s.unread[rel] = plainReason(err)
		return
	}
	defer f.Close()
	delete(s.unread, rel)
	r := reading{collect: l, file: f, written: f.written}
	switch before := s.known[key]; {
	case before != nil:
		r.entry = before.copy()
		r.anew = !isLines(rel) || !before.matches(f, f.size)
	case s.begun:
		r.entry = l.adopt(rel, f)
		r.anew = !isLines(rel)
	default:
		r.entry = &entry{Name: l.name(rel)}
	}
	r.fresh = r.entry.Offset == 0 && len(r.entry.Seen) == 0
	r.talk = l.talk(r.entry)
	err = r.read(ctx, isLines(rel))
	if err != nil {
		if ctx.Err() == nil {
			s.unread[rel] = plainReason(err)
		}
		l.writing = true
		return
	}
	e := r.entry
	e.Open, e.Size, e.MTime = r.talk.Open, f.size, f.mtime
	if r.left || time.Since(f.written) < racy {
		e.MTime = 0
	}
	if before := s.known[key]; before == nil || !same(before, e) {
		l.entries[key] = e
	}
}

// same reports whether two rows of a transcript are equal.
func same(a, b *entry) bool {
	one, errOne := json.Marshal(a)
	other, errOther := json.Marshal(b)
	return errOne == nil && errOther == nil && string(one) == string(other)
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

// adopt returns what is known of a transcript that was found under a new name:
// that of the one that was renamed, or of the one that it is a copy of.
func (l *collect) adopt(rel string, f *transcript) *entry {
	s := l.sense
	heads := map[int64]uint64{}
	begins := func(e *entry) bool {
		length := e.headLength()
		if e.Offset == 0 || f.size < e.Offset {
			return false
		}
		head, read := heads[length]
		if !read {
			var err error
			if head, err = hashAt(f, 0, length); err != nil {
				return false
			}
			heads[length] = head
		}
		return head == e.Head && e.matches(f, f.size)
	}
	var best *entry
	from := ""
	better := func(key string, e *entry) bool {
		return best == nil || cmp.Or(cmp.Compare(e.Offset, best.Offset), cmp.Compare(rank(l.gone[key]), rank(l.gone[from])), cmp.Compare(best.Name, e.Name)) > 0
	}
	for _, list := range []map[string]*entry{s.known, l.entries} {
		for key, e := range list {
			if e != nil && begins(e) && better(key, e) {
				best, from = e, key
			}
		}
	}
	switch {
	case best == nil:
		return &entry{Name: l.name(rel)}
	case l.gone[from]:
		delete(l.gone, from)
		l.entries[from] = nil
		return best.copy()
	}
	e := best.copy()
	e.Name, e.Open = l.name(rel), nil
	return e
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// name returns what the conversation of a transcript is called. No two share
// one: a file that was renamed keeps its own.
func (l *collect) name(rel string) string {
	if l.names == nil {
		l.names = map[string]bool{}
		for _, e := range l.sense.known {
			l.names[e.Name] = true
		}
	}
	first := safeName(rel)
	name := first
	for n := 2; l.names[name]; n++ {
		name = fmt.Sprintf("%s~%d", first, n)
	}
	l.names[name] = true
	return name
}

// known reports whether any transcript holds a message with an identity of its
// own: a session that goes on in a new file often begins with what was said.
func (l *collect) known(hash uint64) bool {
	if l.all == nil {
		l.all = map[uint64]bool{}
		for _, list := range []map[string]*entry{l.sense.known, l.entries} {
			for _, e := range list {
				if e != nil {
					maps.Copy(l.all, e.seen())
				}
			}
		}
	}
	return l.all[hash]
}

// hand makes the batch of what a collect found.
func (s *Sense) hand(l *collect, degraded string) (senses.Batch, error) {
	begun := s.begun || !l.later
	batch := senses.Batch{Changes: l.hearing.finish(), Starting: !begun, Degraded: join(degraded, s.complaint, s.unreadable())}
	s.rescan = l.later || l.writing
	if len(l.entries) == 0 && s.begun == begun && len(s.committed) > 0 {
		return batch, nil
	}
	for _, key := range slices.Sorted(maps.Keys(l.entries)) {
		row := senses.Row{Key: key}
		if e := l.entries[key]; e != nil {
			value, err := json.Marshal(e)
			if err != nil {
				return senses.Batch{}, fmt.Errorf("conversation %s: keep what is known: %w", s.config.ID, err)
			}
			row.Value = value
		}
		batch.Rows = append(batch.Rows, row)
	}
	stamp, err := s.stamp(begun)
	if err != nil {
		return senses.Batch{}, err
	}
	batch.Cursor = slices.Clone(stamp)
	s.pending = &handout{cursor: stamp, entries: l.entries, begun: begun}
	return batch, nil
}

// heard turns a message of a transcript into what is heard.
func (r *reading) heard(said foreign.Said, hash uint64) heard {
	when := said.At
	if when.IsZero() || when.After(r.written) {
		when = r.written
	}
	if when.After(r.collect.at) {
		when = r.collect.at
	}
	author := Agent
	if said.By == foreign.ThePerson {
		author = Person
	}
	early := (r.anew || r.fresh) && r.collect.at.Sub(when) > recent
	return heard{author: author, name: said.Name, key: fmt.Sprintf("%016x", hash), when: when, text: said.Text, old: !r.collect.sense.begun || early}
}
