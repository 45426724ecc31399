package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// act is what somebody does at once; the changes of one are undone together.
type act struct {
	n  int64 // of the first event of it; 0 before
	at time.Time
	by string
}

func (s *Store) act(by string) *act { return &act{at: s.now(), by: by} }

// eventsKept is how many changes of a record are known.
const eventsKept = 100

// tell keeps that a record was changed, and how it was before.
func (s *Store) tell(ctx context.Context, tx *store.Tx, act *act, what, id, before string) error {
	n, err := tx.Insert(ctx, "memory_events", "act, id, at, who, what, before", act.n, id, act.at.UnixNano(), act.by, what, before)
	if err != nil {
		return err
	}
	if act.n == 0 {
		act.n = n
		if err := tx.Exec(ctx, "UPDATE memory_events SET act = seq WHERE seq = ?", n); err != nil {
			return err
		}
	}
	return tx.Exec(ctx, "DELETE FROM memory_events WHERE seq = (SELECT seq FROM memory_events WHERE id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)", id, eventsKept)
}

// change stores what next has otherwise than old, with an event, and keeps the indexes
// in step. That it was seen again is counted alone.
func (s *Store) change(ctx context.Context, tx *store.Tx, act *act, what string, old, next row) error {
	seen := old
	seen.SeenCount, seen.LastSeen = next.SeenCount, next.LastSeen
	before, after := store.JSON(seen.Record), store.JSON(next.Record)
	was, err := before.Value()
	if err != nil {
		return err
	}
	is, err := after.Value()
	if err != nil {
		return err
	}
	if was == is {
		return tx.Exec(ctx, "UPDATE memory_records SET seen = ?, last_seen = ? WHERE n = ?", next.SeenCount, next.LastSeen.UnixNano(), next.n)
	}
	next.Version++
	next.Updated = act.at
	kept := next.asKept()
	if err := tx.Exec(ctx, "UPDATE memory_records SET ("+columnNames+", hash) = (?"+strings.Repeat(", ?", strings.Count(columnNames, ",")+1)+") WHERE n = ?",
		append(kept.columns(), hashOf(next.Text), next.n)...); err != nil {
		return err
	}
	if err := s.tell(ctx, tx, act, what, old.ID, was.(string)); err != nil {
		return err
	}
	if old.Status == next.Status && old.Lane == next.Lane && old.searched() == next.searched() && slices.Equal(old.Tags, next.Tags) {
		return nil
	}
	if err := s.unindex(ctx, tx, old); err != nil {
		return err
	}
	return s.index(ctx, tx, next)
}

// changed runs one change of one record in a transaction of its own, and returns the
// record as it is then.
func (s *Store) changed(ctx context.Context, what, id, by string, to func(*store.Tx, *act, row) (row, error)) (Record, error) {
	var after row
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		act := s.act(by)
		next, err := to(tx, act, old)
		if err != nil {
			return err
		}
		if next.n == old.n {
			if err := s.change(ctx, tx, act, what, old, next); err != nil {
				return err
			}
		}
		after, err = byID(ctx, tx, next.ID)
		return err
	})
	if err != nil {
		return after.Record, fmt.Errorf("memory: %s %s: %w", what, subconscious.Clip(id, MaxName), err)
	}
	return after.Record, nil
}

// Edit is what is to be otherwise; nil stays as it is.
type Edit struct {
	Title, Summary, Text, Topic *string
	Tags                        []string
	Kind                        Kind
	Pinned                      *bool
}

// Edit changes a record that is of that version, and returns it as it is now; version 0
// is any. Where it was changed since, the error wraps ErrVersion, and the record is
// returned as it is. Other errors wrap ErrNotFound or ErrInvalid.
func (s *Store) Edit(ctx context.Context, id string, version int, e Edit, by string) (Record, error) {
	var now Record
	what := "edited"
	if e.Pinned != nil && e.Text == nil {
		what = map[bool]string{true: "pinned", false: "unpinned"}[*e.Pinned]
	}
	after, err := s.changed(ctx, what, id, by, func(tx *store.Tx, act *act, old row) (row, error) {
		if old.Status == Superseded {
			return row{}, fmt.Errorf("%w: %s holds in its place, and what held is not written anew", ErrInvalid, old.SupersededBy)
		}
		if now = old.Record; version != 0 && version != old.Version {
			return row{}, fmt.Errorf("%w: it is of version %d, and not %d", ErrVersion, old.Version, version)
		}
		given := old.asKept()
		for _, field := range []struct{ from, to *string }{{e.Title, &given.Title}, {e.Summary, &given.Summary}, {e.Text, &given.Text}, {e.Topic, &given.Topic}} {
			if field.from != nil {
				*field.to = *field.from
			}
		}
		if e.Tags != nil {
			given.Tags = e.Tags
		}
		if e.Kind != "" {
			given.Kind = e.Kind
		}
		clean, err := s.prepare(given)
		if err != nil {
			return row{}, err
		}
		next := old
		next.Title, next.Summary, next.Extracted, next.Text, next.Topic, next.Tags, next.Kind = clean.Title, clean.Summary, clean.Extracted, clean.Text, clean.Topic, clean.Tags, clean.Kind
		if e.Pinned != nil {
			next.Pinned = *e.Pinned
		}
		if found := s.options.Tombstones.of(next.Record); len(found) > len(s.options.Tombstones.of(old.Record)) && by != string(Person) {
			return row{}, fmt.Errorf("%w: the person has forgotten that", ErrInvalid)
		} else if err := s.options.Tombstones.lift(found); err != nil {
			return row{}, err
		}
		if next.Text != old.Text && by != string(Person) {
			reason, err := s.refuses(ctx, tx, next.Record)
			if err != nil {
				return row{}, err
			}
			if reason != "" && reason != WasForgotten && reason != Echo {
				return row{}, fmt.Errorf("%w: it is not worth keeping: %s", ErrInvalid, reason)
			}
		}
		if next.Status == Active {
			if next.Text != old.Text {
				err = s.alone(ctx, tx, next)
			}
			err = errors.Join(err, s.retire(ctx, tx, act, &next))
		}
		return next, err
	})
	if errors.Is(err, ErrVersion) {
		return now, err
	}
	return after, err
}

// Archive keeps a record, but no longer finds it. Whoever says the same again brings
// it back, and the person by Confirm. An error wraps ErrNotFound.
func (s *Store) Archive(ctx context.Context, id, by string) (Record, error) {
	return s.changed(ctx, "archived", id, by, func(_ *store.Tx, _ *act, old row) (row, error) {
		if old.Status == Active {
			old.Status = Archived
		}
		return old, nil
	})
}

// Confirm makes a record the person's own word, and active: it takes it out of its
// lane, or out of the archive. Where there is a trusted record that says the same, that
// one becomes the person's word and is returned, and this one is superseded by it. It is
// called on the person's word alone: never for a model or an agent.
//
// Errors wrap ErrNotFound, ErrFull, or ErrInvalid for what is superseded.
func (s *Store) Confirm(ctx context.Context, id string) (Record, error) {
	return s.changed(ctx, "confirmed", id, string(Person), func(tx *store.Tx, act *act, old row) (row, error) {
		if old.Status == Superseded {
			return row{}, fmt.Errorf("%w: %s holds in its place", ErrInvalid, old.SupersededBy)
		}
		next := old
		next.Lane, next.Trust, next.Status, next.Confidence = Trusted, subconscious.Owner, Active, 1
		if next.Doubt() != "" {
			// It rests on the person's word: what it cites counts as it is from now on.
			next.Validity, next.Checked, next.Citations = Unknown, time.Time{}, slices.Clone(old.Citations)
			for i := range next.Citations {
				c := &next.Citations[i]
				c.Hash, c.Twins, c.Commit, c.Seq = "", 0, "", 0
			}
		}
		if old.Lane == Trusted && old.Status == Active {
			// Whatever it seemed to contradict, the person says that it holds.
			return next, tx.Exec(ctx, "DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1", old.ID)
		}
		same, err := s.says(ctx, tx, next)
		if err == nil {
			own := same
			own.Trust, own.Confidence = subconscious.Owner, 1
			gone := old
			gone.Status, gone.SupersededBy = Superseded, same.ID
			if err := errors.Join(s.change(ctx, tx, act, "confirmed", same, own), s.change(ctx, tx, act, "superseded", old, gone),
				tx.Exec(ctx, "UPDATE memory_keys SET id = ? WHERE id = ?", same.ID, old.ID)); err != nil {
				return row{}, err
			}
			return own, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return row{}, err
		}
		// What it was in conflict with in its old lane is of another one now.
		return next, errors.Join(s.room(ctx, tx, act, next.Record), s.retire(ctx, tx, act, &next), tx.Exec(ctx, "DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1", old.ID))
	})
}

// says is another active record that says what this one does, or ErrNotFound.
func (s *Store) says(ctx context.Context, tx *store.Tx, r row) (row, error) {
	return one(ctx, tx, "hash = ? AND +lane = ? AND project = ? AND "+ofAgent+" AND status = 'active' AND n <> ? ORDER BY n LIMIT 1", hashOf(r.Text), r.Lane, r.About.Project, r.About.Agent, r.n)
}

// alone gives an error where another active record says what this one does.
func (s *Store) alone(ctx context.Context, tx *store.Tx, r row) error {
	same, err := s.says(ctx, tx, r)
	if errors.Is(err, ErrNotFound) {
		return nil
	} else if err == nil {
		err = fmt.Errorf("%w: %s says that already", ErrInvalid, same.ID)
	}
	return err
}

// retire has a record take the place of all that holds its topic, if that holds one
// value.
func (s *Store) retire(ctx context.Context, tx *store.Tx, act *act, r *row) error {
	held, err := s.holders(ctx, tx, r.Record)
	for _, old := range held {
		if old.n == r.n {
			continue
		}
		next := old
		next.Status, next.SupersededBy, r.Supersedes = Superseded, r.ID, old.ID
		err = errors.Join(err, s.change(ctx, tx, act, "superseded", old, next), tx.Exec(ctx, "DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1", old.ID))
	}
	return err
}

// Undo takes back the last act that changed a record, whatever else that changed: the
// records are as they were before, and what was new is in the archive. It is an act of
// its own, and can be undone. Errors wrap ErrNotFound, or ErrInvalid where it cannot be
// taken back.
func (s *Store) Undo(ctx context.Context, id, by string) (Record, error) {
	return s.changed(ctx, "undone", id, by, func(tx *store.Tx, act *act, asked row) (row, error) {
		events, err := store.All(ctx, tx, (*Happened).columns, "SELECT "+eventColumns+
			" FROM memory_events WHERE act = (SELECT act FROM memory_events WHERE id = ? AND what NOT LIKE 'checked:%' AND what NOT LIKE 'linked:%' ORDER BY seq DESC LIMIT 1) ORDER BY seq DESC", id)
		if err != nil {
			return row{}, err
		}
		if len(events) == 0 {
			return row{}, fmt.Errorf("%w: nothing is known of a change of it", ErrInvalid)
		}
		back := asked
		for _, e := range events {
			now, err := byID(ctx, tx, e.ID)
			if err != nil {
				return row{}, err
			}
			next := now
			if e.Before == nil {
				next.Status = Archived
			} else {
				next.Record = *e.Before
				next.Version, next.SeenCount, next.LastSeen, next.Used, next.LastUsed = now.Version, now.SeenCount, now.LastSeen, now.Used, now.LastUsed
				if slices.Equal(now.Citations, next.Citations) {
					next.seen(now.Validity, now.Checked)
				}
			}
			if e.Before == nil && now.Status == Superseded {
				return row{}, fmt.Errorf("%w: %s holds in the place of %s now; undo that first", ErrInvalid, now.SupersededBy, now.ID)
			}
			if next.Status == Active {
				err = errors.Join(s.alone(ctx, tx, next), s.unheld(ctx, tx, next, events))
			}
			if next.Status == Active && (now.Status != Active || now.Lane != next.Lane) {
				err = errors.Join(err, s.room(ctx, tx, act, next.Record))
			}
			if err != nil {
				return row{}, err
			}
			if e.ID == id {
				back = next
				continue
			}
			if err := s.change(ctx, tx, act, "undone", now, next); err != nil {
				return row{}, err
			}
		}
		return back, nil
	})
}

// unheld gives an error where the topic of a record that is to hold again is held by
// one that the act, of these events, did not change.
func (s *Store) unheld(ctx context.Context, tx *store.Tx, r row, events []Happened) error {
	of := r.Record
	of.Supersedes = ""
	held, err := s.holders(ctx, tx, of)
	for _, now := range held {
		if now.n != r.n && !slices.ContainsFunc(events, func(e Happened) bool { return e.ID == now.ID }) {
			return fmt.Errorf("%w: %s holds its topic now; undo that first, or supersede it", ErrInvalid, now.ID)
		}
	}
	return err
}

// Happened is a change of a record.
type Happened struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	What string    `json:"what"`
	// Before is the record as it was; nil where it was new.
	Before *Record `json:"before,omitempty"`
}

const eventColumns = "id, at, who, what, before"

func (h *Happened) columns() []any {
	return []any{&h.ID, store.Time(&h.At), &h.By, &h.What, beforeColumn{&h.Before}}
}

// beforeColumn is the record before, as JSON, or nothing.
type beforeColumn struct{ into **Record }

func (c beforeColumn) Scan(column any) error {
	text, _ := column.(string)
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), c.into)
}

// History lists what was changed in a record, the last first. An error wraps
// ErrNotFound.
func (s *Store) History(ctx context.Context, id string) ([]Happened, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	all, err := store.All(ctx, s.db, (*Happened).columns, "SELECT "+eventColumns+" FROM memory_events WHERE id = ? ORDER BY seq DESC", id)
	if err != nil {
		return nil, fmt.Errorf("memory: history: %w", err)
	}
	return all, nil
}

// Timeline lists what held of a topic and since when, superseded records too, the first
// first; without a topic all records that have one.
func (s *Store) Timeline(ctx context.Context, topic string, since time.Time) ([]Record, error) {
	condition, args := "topic <> ''", []any(nil)
	if topic != "" {
		condition, args = "topic = ? AND topic <> ''", []any{strings.ToLower(fulltext.Line(topic))}
	}
	all, err := store.All(ctx, s.db, (*Record).columns, "SELECT "+recordColumns+" FROM memory_records r WHERE "+condition+
		" AND lane = 'trusted' AND status <> 'archived' AND max(created, said) >= ? ORDER BY topic, CASE said WHEN 0 THEN created ELSE said END, n LIMIT 1000", append(args, since.UnixNano())...)
	if err != nil {
		return nil, fmt.Errorf("memory: timeline: %w", err)
	}
	return all, nil
}

// Pair are two records of which one may be wrong.
type Pair struct {
	Older Record    `json:"older"`
	Newer Record    `json:"newer"`
	At    time.Time `json:"at"`
}

// Conflicts lists the pairs of active records of a lane of which one may be wrong, the
// last first, at most 100; with an ID those of that record.
func (s *Store) Conflicts(ctx context.Context, lane Lane, id string) ([]Pair, error) {
	var pairs []Pair
	err := s.db.Read(ctx, func(tx *store.Tx) error {
		all, err := store.All(ctx, tx, func(p *Pair) []any { return []any{&p.Older.ID, &p.Newer.ID, store.Time(&p.At)} }, `SELECT older, newer, at FROM memory_conflicts
			CROSS JOIN memory_records o ON o.id = older CROSS JOIN memory_records n ON n.id = newer
			WHERE o.lane = ?1 AND n.lane = ?1 AND o.status = 'active' AND n.status = 'active' AND (?2 = '' OR older = ?2 OR newer = ?2) ORDER BY at DESC LIMIT ?3`, lane, id, maxLimit)
		for _, p := range all {
			older, olderErr := byID(ctx, tx, p.Older.ID)
			newer, newerErr := byID(ctx, tx, p.Newer.ID)
			err = errors.Join(err, olderErr, newerErr)
			pairs = append(pairs, Pair{older.Record, newer.Record, p.At})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("memory: conflicts: %w", err)
	}
	return pairs, nil
}

// Chain is what a record rests on and what rests on it, each nearest first.
type Chain struct {
	Record   Record   `json:"record"`
	RestsOn  []Record `json:"rests_on"`
	RestedOn []Record `json:"rested_on_by"`
}

// chained bounds a chain in each direction.
const chained = 100

// Provenance follows what a record was made from and superseded, in both directions. An
// error wraps ErrNotFound.
func (s *Store) Provenance(ctx context.Context, id string) (Chain, error) {
	chain := Chain{}
	err := s.db.Read(ctx, func(tx *store.Tx) error {
		begin, err := byID(ctx, tx, id)
		chain.Record = begin.Record
		if err != nil {
			return err
		}
		follow := func(next func(Record) ([]Record, error)) (found []Record, err error) {
			known := map[string]bool{id: true}
			for at := []Record{begin.Record}; len(at) > 0 && len(found) < chained; at = at[1:] {
				more, err := next(at[0])
				if err != nil {
					return nil, err
				}
				for _, r := range more {
					if !known[r.ID] {
						known[r.ID] = true
						found, at = append(found, r), append(at, r)
					}
				}
			}
			return found, nil
		}
		query := func(condition string, args ...any) ([]Record, error) {
			return store.All(ctx, tx, (*Record).columns, "SELECT "+recordColumns+" FROM memory_records r WHERE "+condition+" ORDER BY n LIMIT ?", append(args, chained)...)
		}
		if chain.RestsOn, err = follow(func(r Record) ([]Record, error) {
			return query("id = ? OR id IN (SELECT value FROM json_each(?))", r.Supersedes, store.JSON(r.Derived))
		}); err != nil {
			return err
		}
		chain.RestedOn, err = follow(func(r Record) ([]Record, error) {
			return query("id = ? OR n IN (SELECT d.n FROM memory_records d, json_each(d.derived) e WHERE d.derived NOT IN ('[]', 'null') AND e.value = ?)", r.SupersededBy, r.ID)
		})
		return err
	})
	if err != nil {
		return Chain{}, fmt.Errorf("memory: provenance %s: %w", subconscious.Clip(id, MaxName), err)
	}
	return chain, nil
}
