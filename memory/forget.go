package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Forgotten is what came of forgetting a record, and where it may be still.
type Forgotten struct {
	ID string `json:"id"`
	// Derived are the other records that said the same, or were made from it and say
	// some of it, which were erased too, and those that no longer name it.
	Derived []string `json:"derived,omitempty"`
	// Files are the places in files of the person that still say it.
	Files []Place `json:"files,omitempty"`
	// Backups are those that were made while it was there.
	Backups []string `json:"backups,omitempty"`
	// Shown counts the prompts and steps on record whose texts were dropped, since they
	// had shown it.
	Shown int `json:"shown,omitempty"`
}

// Place is lines of a file: "10" or "10-20".
type Place struct {
	File  string `json:"file"`
	Lines string `json:"lines"`
}

// Erasure is what is erased at once.
type Erasure struct {
	// IDs are those of the records.
	IDs []string
	// texts are what they said, ever, and said the sentences by which it is known, all
	// as normal makes them.
	texts, said []string
}

// Says reports whether a text is one of those that are erased, or has a sentence of one.
func (e Erasure) Says(text string) bool {
	text = normal(text)
	return slices.Contains(e.texts, text) || slices.ContainsFunc(e.said, func(s string) bool { return strings.Contains(text, s) })
}

// Forget erases a record: from the tables, the indexes, its history, the records that
// say the same or were made from it, what was shown to models, and the write-ahead log.
// What it said is not written again, but by the person. An error wraps ErrNotFound; after
// any other the record is erased when the database is opened next.
func (s *Store) Forget(ctx context.Context, id string) (Forgotten, error) {
	done := Forgotten{ID: id}
	var of erasing
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		first, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		of = erasing{s: s, tx: tx, whole: true}
		if err := of.add(ctx, first, true); err != nil {
			return err
		}
		was := s.options.Tombstones.state()
		if err := s.options.Tombstones.bury(of.Erasure); err != nil {
			return err
		}
		if err := failpoint.Hit("memory.buried"); err != nil {
			return err
		}
		if done.Shown, err = of.erase(ctx); err != nil {
			return err
		}
		return tx.Exec(ctx, "UPDATE memory_state SET value = ? WHERE key = ? AND value = ?", s.options.Tombstones.state(), followed, was)
	})
	if err != nil {
		return Forgotten{}, fmt.Errorf("memory: forget %s: %w", subconscious.Clip(id, MaxName), err)
	}
	s.empty(ctx)
	done.Derived = append(of.IDs[1:], of.cleared...)
	since := of.rows[0].Created
	for _, r := range of.rows {
		if r.Created.Before(since) {
			since = r.Created
		}
		for _, place := range of.places(r.Record) {
			if !slices.Contains(done.Files, place) {
				done.Files = append(done.Files, place)
			}
		}
	}
	if s.options.Backups != nil {
		done.Backups = s.options.Backups(since)
	}
	return done, nil
}

// Gone returns which backups may still hold a record that was forgotten before; ok false
// where none of that id was.
func (s *Store) Gone(id string) (done Forgotten, ok bool) {
	if !slices.Contains(s.options.Tombstones.standing(id, nil), "record "+id) || s.options.Backups == nil {
		return done, false
	}
	return Forgotten{ID: id, Backups: s.options.Backups(time.Time{})}, true
}

// empty empties the write-ahead log of what was erased. What stays in it for now is
// nothing that the person could do about.
func (s *Store) empty(ctx context.Context) {
	if done, err := s.db.Checkpoint(ctx); err != nil || !done {
		s.options.Logger.Warn("what was forgotten stays in the write-ahead log for now", "error", cmp.Or(err, errors.New("the database is being read")))
	}
}

// followed is under what memory_state has the state of the tombstones to which nothing
// in the database is left that they stand for.
const followed = "forgotten"

// Mend erases what the database has of what was forgotten: one that is older than the
// tombstones, or that a crash kept from following them. It is called before anything is
// read, and returns how many records went.
func (s *Store) Mend(ctx context.Context) (gone int, err error) {
	if err := s.rehash(ctx); err != nil {
		return 0, fmt.Errorf("memory: compare what an earlier version wrote: %w", err)
	}
	state := s.options.Tombstones.state()
	if state == "" {
		return 0, nil
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		at, _, err := store.One(ctx, tx, store.Value[string], "SELECT value FROM memory_state WHERE key = ?", followed)
		if err != nil || at == state {
			return err
		}
		of := erasing{s: s, tx: tx}
		known, err := store.All(ctx, tx, func(k *sum) []any { return []any{&k.id, &k.hash} }, "SELECT id, hash FROM memory_records")
		if err != nil {
			return err
		}
		for _, k := range known {
			if len(s.options.Tombstones.standing(k.id, k.hash)) == 0 {
				continue
			}
			r, err := byID(ctx, tx, k.id)
			if err == nil {
				err = of.add(ctx, r, true)
			}
			if err != nil {
				return err
			}
		}
		if gone = len(of.rows); gone > 0 {
			if _, err := of.erase(ctx); err != nil {
				return err
			}
		}
		return tx.Exec(ctx, "INSERT OR REPLACE INTO memory_state (key, value) VALUES (?, ?)", followed, state)
	})
	if err != nil {
		return 0, fmt.Errorf("memory: erase what was forgotten: %w", err)
	}
	if gone > 0 {
		s.empty(ctx)
	}
	return gone, nil
}

// rehashed is the key of memory_state that says how far rehash has come; -1 is all.
const rehashed = "rehashed"

// rehash compares records of an earlier version as those of this one are, some at a time,
// so that it can be interrupted, and once. Of two that say the same the later one goes to
// the archive.
func (s *Store) rehash(ctx context.Context) error {
	for behind := int64(0); behind >= 0; {
		if err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			if behind, _, err = store.One(ctx, tx, store.Value[int64], "SELECT CAST(value AS INTEGER) FROM memory_state WHERE key = ?", rehashed); err != nil || behind < 0 {
				return err
			}
			old, err := rows(ctx, tx, "r.n > ? ORDER BY r.n LIMIT ?", behind, atOnce)
			for _, r := range old {
				behind = r.n
				_, twin := s.says(ctx, tx, r)
				switch {
				case r.Status == Active && twin == nil:
					next := r
					next.Status = Archived
					err = s.change(ctx, tx, s.act(string(Mechanics)), "archived", r, next)
				case twin == nil || errors.Is(twin, ErrNotFound):
					err = tx.Exec(ctx, "UPDATE memory_records SET hash = ?1 WHERE n = ?2 AND hash <> ?1", hashOf(r.Text), r.n)
				default:
					err = twin
				}
				if err != nil {
					return err
				}
			}
			if len(old) < atOnce {
				behind = -1
			}
			return cmp.Or(err, tx.Exec(ctx, "INSERT OR REPLACE INTO memory_state (key, value) VALUES (?, ?)", rehashed, behind))
		}); err != nil {
			return err
		}
	}
	return nil
}

type sum struct {
	id   string
	hash []byte
}

// erasing is what a transaction erases.
type erasing struct {
	Erasure
	s    *Store
	tx   *store.Tx
	rows []row
	// cleared are the records that are to name none of it any more.
	cleared []string
	// whole: the person forgets it, and all that it said is meant; else what the
	// tombstones stand for.
	whole bool
}

// add adds a record, what says the same, and what was made from it. Of what was made from
// it not all sentences are meant.
func (e *erasing) add(ctx context.Context, r row, own bool) error {
	if slices.Contains(e.IDs, r.ID) {
		return nil
	}
	e.IDs, e.rows = append(e.IDs, r.ID), append(e.rows, r)
	history, err := store.All(ctx, e.tx, (*Happened).columns, "SELECT "+eventColumns+" FROM memory_events WHERE id = ? AND before <> ''", r.ID)
	if err != nil {
		return err
	}
	versions := []Record{r.Record}
	for _, h := range history {
		versions = append(versions, *h.Before)
	}
	if r.Lane != Trusted {
		// What the person or the machine says as well is not meant.
		if versions, err = e.foreign(ctx, versions); err != nil {
			return err
		}
	}
	for _, v := range versions {
		if text := normal(v.Text); !slices.Contains(e.texts, text) && (e.whole || len(e.s.options.Tombstones.standing("", hashOf(text))) > 0) {
			e.texts = append(e.texts, text)
		}
		for _, s := range v.said() {
			if own && !slices.Contains(e.said, s) && (e.whole || len(e.s.options.Tombstones.standing("", nil, hashOf(s))) > 0) {
				e.said = append(e.said, s)
			}
		}
	}
	if e.whole {
		for _, v := range versions {
			// The same in a lane that is trusted less goes, too; nobody's word there is the
			// person's, who has to forget that one by name.
			same, err := e.records(ctx, "hash = ? AND (lane <> 'trusted' OR ?)", hashOf(v.Text), r.Lane == Trusted)
			if err != nil {
				return err
			}
			for _, one := range same {
				if err := e.add(ctx, one, own); err != nil {
					return err
				}
			}
		}
	}
	made, err := e.records(ctx, "derived NOT IN ('[]', 'null') AND EXISTS (SELECT 1 FROM json_each(derived) WHERE value = ?)", r.ID)
	for _, one := range made {
		if e.Says(one.searched() + "\n" + one.Summary) {
			err = cmp.Or(err, e.add(ctx, one, false))
		} else if !slices.Contains(e.cleared, one.ID) {
			e.cleared = append(e.cleared, one.ID)
		}
	}
	return err
}

// foreign are the versions that no trusted record says.
func (e *erasing) foreign(ctx context.Context, versions []Record) (all []Record, err error) {
	for _, v := range versions {
		own, err := e.records(ctx, "hash = ? AND lane = 'trusted'", hashOf(v.Text))
		if err != nil {
			return nil, err
		}
		if len(own) == 0 {
			all = append(all, v)
		}
	}
	return all, nil
}

func (e *erasing) records(ctx context.Context, condition string, args ...any) ([]row, error) {
	return rows(ctx, e.tx, condition+" ORDER BY n", args...)
}

// erase erases all that was added, and returns how many texts were dropped that had shown
// it.
func (e *erasing) erase(ctx context.Context) (shown int, err error) {
	for _, r := range e.rows {
		if err := e.s.unindex(ctx, e.tx, r); err != nil {
			return 0, err
		}
		for _, statement := range []string{
			"DELETE FROM memory_events WHERE id = ?",
			"DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1",
			"DELETE FROM memory_recalled WHERE id = ?",
			// What it had retired is known without a successor, and can be confirmed.
			"UPDATE memory_records SET superseded_by = '', status = 'archived' WHERE superseded_by = ? AND superseded_by <> ''",
			"DELETE FROM memory_records WHERE id = ?",
		} {
			if err := e.tx.Exec(ctx, statement, r.ID); err != nil {
				return 0, err
			}
		}
	}
	e.cleared = slices.DeleteFunc(e.cleared, func(id string) bool { return slices.Contains(e.IDs, id) })
	act := e.s.act(string(Person))
	for _, id := range e.cleared {
		old, err := byID(ctx, e.tx, id)
		if err != nil {
			return 0, err
		}
		next := old
		next.Derived = slices.DeleteFunc(slices.Clone(old.Derived), func(from string) bool { return slices.Contains(e.IDs, from) })
		if err := e.s.change(ctx, e.tx, act, "cleared", old, next); err != nil {
			return 0, err
		}
	}
	if err := e.unsay(ctx); err != nil || e.s.options.Unshow == nil {
		return 0, err
	}
	return e.s.options.Unshow(ctx, e.tx, e.Erasure)
}

// unsay erases how other records were before, where they said it then.
func (e *erasing) unsay(ctx context.Context) error {
	condition, args := "before <> ''", []any{}
	var some []string
	for _, text := range slices.Concat(e.texts, e.said) {
		// The longest plain word of each finds it, whatever JSON makes of other signs.
		words := plainWords().FindAllString(text, -1)
		if len(words) == 0 || len(some) == 100 {
			some, args = nil, nil
			break
		}
		some = append(some, "instr(lower(before), ?)")
		args = append(args, slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
	}
	if len(some) > 0 {
		condition += " AND (" + strings.Join(some, " OR ") + ")"
	}
	all, err := store.All(ctx, e.tx, func(h *event) []any { return []any{&h.seq, beforeColumn{&h.before}} }, "SELECT seq, before FROM memory_events WHERE "+condition, args...)
	for _, h := range all {
		if h.before != nil && (e.Says(h.before.Text) || e.Says(h.before.Title) || e.Says(h.before.Summary)) {
			err = cmp.Or(err, e.tx.Exec(ctx, "DELETE FROM memory_events WHERE seq = ?", h.seq))
		}
	}
	return err
}

type event struct {
	seq    int64
	before *Record
}

// places are where the files that a record cites, or was read from, say it still.
func (e *erasing) places(r Record) (all []Place) {
	files := []Citation{}
	if r.Origin != nil {
		files = append(files, Citation{File: r.Origin.Path})
	}
	for _, c := range append(files, r.Citations...) {
		root, name, ok := r.within(c.File)
		if !ok || c.File == "" {
			continue
		}
		if text, err := readIn(root, name); err == nil {
			if lines := e.linesOf(text); lines != "" {
				all = append(all, Place{filepath.Join(root, name), lines})
			}
		}
	}
	return all
}

// linesOf are the lines of a text that say it first, "" for none.
func (e *erasing) linesOf(text string) string {
	var plain strings.Builder
	var ends []int
	for line := range strings.Lines(text) {
		plain.WriteString(normal(line) + " ")
		ends = append(ends, plain.Len())
	}
	for _, said := range slices.Concat(e.texts, e.said) {
		at := strings.Index(plain.String(), said)
		if at < 0 || said == "" {
			continue
		}
		first, _ := slices.BinarySearch(ends, at+1)
		last, _ := slices.BinarySearch(ends, at+len(said))
		if first == last {
			return strconv.Itoa(first + 1)
		}
		return fmt.Sprintf("%d-%d", first+1, last+1)
	}
	return ""
}

// plainWords stand in JSON as they are.
var plainWords = lazy.Regexp(`[a-z0-9]{3,}`)
