package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Done is one thing that consolidation did to a record, or proposes.
type Done struct {
	ID string `json:"id"`
	// What is "promoted", "linked", "archived" or "checked".
	What string `json:"what"`
	Why  string `json:"why"`
	// With is the record that it was linked with.
	With string `json:"with,omitempty"`
}

// Consolidated is what a consolidation did.
type Consolidated struct {
	At   time.Time `json:"at,omitzero"`
	Done []Done    `json:"done,omitempty"`
	// Proposed is what it did not do, since it would have changed too much at once.
	Proposed []Done `json:"proposed,omitempty"`
	// Checked is how many records it looked at the sources of.
	Checked int `json:"checked"`
	// Compared is how many records it compared with others and put through the gate of
	// writing, Duplicates how many of these say what another one says, and Junk how many
	// would be refused today, by reason.
	Compared   int            `json:"compared"`
	Duplicates int            `json:"duplicates"`
	Junk       map[Reason]int `json:"junk,omitempty"`
	// Through is the last record that was compared; the next consolidation goes on
	// behind it, and begins anew at the end.
	Through int64 `json:"through"`
}

const (
	consolidateEvery = 20 * time.Hour
	consolidation    = "consolidation"
	// promoteFrom is how often an insight was seen that is a pattern.
	promoteFrom = 3
	// quarantined is how long what a stranger said is at hand after it was said last.
	quarantined = 90 * 24 * time.Hour
	// A tenth of the store is changed at most, and changesMost; so many more are proposed.
	changedPart, changesMost, proposedMost = 10, 500, 20
	// checkedMost records that were used are checked, if they were not for checkedAfter, and
	// git may take checkedGit for all of them.
	checkedMost, checkedAfter, checkedGit = 200, 7 * 24 * time.Hour, 10 * time.Second
	// comparedMost records are compared.
	comparedMost = 2000
)

// Consolidate puts the memory in order, without a model, once in 20 hours at most: it
// looks at the sources of what is used, promotes what was seen again and again, links
// what may contradict, and lets what strangers said go to the archive. Each change has a
// reason in the record's history, and is not made again after it was taken back. What
// would change more than a tenth of the store is proposed alone.
func (s *Store) Consolidate(ctx context.Context, now time.Time) (Consolidated, error) {
	done, err := s.consolidate(ctx, time.Unix(0, now.UnixNano()).UTC())
	if err != nil {
		return Consolidated{}, fmt.Errorf("memory: consolidate: %w", err)
	}
	return done, nil
}

func (s *Store) consolidate(ctx context.Context, now time.Time) (Consolidated, error) {
	last, _, err := store.One(ctx, s.db, store.JSONValue[Consolidated], "SELECT value FROM memory_state WHERE key = ?", consolidation)
	if since := now.Sub(last.At); err != nil || since >= 0 && since < consolidateEvery {
		return last, err
	}
	done := Consolidated{At: now, Through: last.Through, Junk: map[Reason]int{}}
	if err := s.checkUsed(ctx, &done); err != nil {
		return done, err
	}
	var wanted []Done
	if err := s.db.Read(ctx, func(tx *store.Tx) error {
		aged, err := store.All(ctx, tx, func(d *Done) []any { return []any{&d.ID, &d.What, &d.Why} }, due, promoteFrom, now.Add(-quarantined).UnixNano(), consolidation, changesMost+proposedMost)
		if err != nil {
			return err
		}
		linked, err := s.compareAll(ctx, tx, &done)
		wanted = append(aged, linked...)
		return err
	}); err != nil {
		return done, err
	}
	return done, s.db.Write(ctx, func(tx *store.Tx) error {
		most, _, err := store.One(ctx, tx, store.Value[int], "SELECT coalesce(sum(records), 0) / ? FROM memory_counts WHERE status = 'active'", changedPart)
		if err != nil {
			return err
		}
		most = min(most, changesMost, len(wanted))
		for _, d := range wanted[:most] {
			if err := s.make(ctx, tx, &act{at: now, by: consolidation}, d); errors.Is(err, ErrNotFound) {
				continue // it was changed meanwhile
			} else if err != nil {
				return err
			}
			done.Done = append(done.Done, d)
		}
		done.Proposed = append(done.Proposed, wanted[most:]...)
		done.Proposed = done.Proposed[:min(len(done.Proposed), proposedMost)]
		return tx.Exec(ctx, "INSERT OR REPLACE INTO memory_state VALUES (?, ?)", consolidation, store.JSON(done))
	})
}

// checkUsed looks at the sources of what was used, what was looked at longest ago first.
func (s *Store) checkUsed(ctx context.Context, done *Consolidated) error {
	before, err := store.All(ctx, s.db, (*Record).columns, "SELECT "+recordColumns+` FROM memory_records r WHERE status = 'active' AND lane <> 'quarantine' AND used > 0
		AND (citations NOT IN ('[]', 'null') OR origin <> 'null') AND max(checked, created) < ? ORDER BY checked, n LIMIT ?`, done.At.Add(-checkedAfter).UnixNano(), checkedMost)
	l := s.look()
	l.git = max(l.git, checkedGit)
	for _, r := range before {
		now, found, err := l.validate(ctx, r.ID, consolidation)
		if errors.Is(err, ErrNotFound) {
			continue // it was forgotten meanwhile
		} else if err != nil {
			return err
		}
		done.Checked++
		if now.Doubt() != r.Doubt() {
			done.Done = append(done.Done, Done{ID: r.ID, What: "checked", Why: saysAll(found, now.Validity)})
		}
	}
	return err
}

// due is what is to be promoted, and to go to the archive, and was not before: kinds and
// words of the person stay.
const due = `SELECT id, what, why FROM (SELECT id, n, 'promoted' AS what, 'seen ' || seen || ' times' AS why FROM memory_records r WHERE lane = 'trusted' AND status = 'active'
		AND (kind = 'insight' OR kind = 'note' AND source <> 'person') AND seen >= ?1 AND validity NOT IN ('changed', 'missing')
		AND NOT EXISTS (SELECT 1 FROM memory_conflicts c WHERE r.id IN (c.older, c.newer))
	UNION ALL SELECT id, n, 'archived', 'in quarantine for more than 90 days' FROM memory_records WHERE lane = 'quarantine' AND status = 'active' AND pinned = 0 AND max(last_seen, updated) < ?2) d
	WHERE NOT EXISTS (SELECT 1 FROM memory_events e WHERE e.id = d.id AND e.who = ?3 AND e.what LIKE d.what || ':%') ORDER BY what DESC, n LIMIT ?4`

// compareAll goes through the next records, which say what others say or may contradict
// them, and counts those that are not worth keeping. It returns what is to be linked.
func (s *Store) compareAll(ctx context.Context, tx *store.Tx, done *Consolidated) (wanted []Done, err error) {
	if !s.ranked.Whole() {
		return nil, nil
	}
	next, err := rows(ctx, tx, "r.n > ? AND r.status = 'active' AND r.lane <> 'quarantine' ORDER BY r.n LIMIT ?", done.Through, comparedMost)
	if done.Compared, done.Through = len(next), 0; len(next) == comparedMost {
		done.Through = next[comparedMost-1].n
	}
	for _, r := range next {
		apart := r.Record
		apart.About.Session, apart.Deliberation = "", "" // it may have been recalled there itself
		reason, err := s.refuses(ctx, tx, apart)
		if err != nil {
			return nil, err
		}
		if reason != "" && reason != Echo { // of what it says itself
			done.Junk[reason]++
			done.Proposed = append(done.Proposed, Done{ID: r.ID, What: "archived", Why: "not worth keeping: " + string(reason)})
		}
		like, err := s.alike(ctx, tx, r.Record)
		if err != nil {
			return nil, err
		}
		if like.ID == "" || single(r.Topic) {
			continue
		}
		d := Done{ID: r.ID, What: "linked", With: like.ID, Why: "one of them may be wrong"}
		if like.same {
			done.Duplicates++
			d.Why = "they say the same"
		}
		if like.n > r.n {
			d.ID, d.With = d.With, d.ID
		}
		// What was told apart once is not linked again.
		_, known, err := store.One(ctx, tx, store.Value[int], `SELECT 1 FROM memory_conflicts WHERE (older, newer) IN (VALUES (?1, ?2), (?2, ?1))
			UNION ALL SELECT 1 FROM memory_events WHERE id = ?1 AND what = ?3`, d.ID, d.With, d.said())
		if err != nil {
			return nil, err
		}
		if !known && !slices.Contains(wanted, d) {
			wanted = append(wanted, d)
		}
	}
	return wanted, err
}

// said is how it stands in the record's history.
func (d Done) said() string {
	if d.With != "" {
		return d.What + ": with " + d.With + ", " + d.Why
	}
	return d.What + ": " + d.Why
}

// make does what is wanted. An error is ErrNotFound where the record is not active any more.
func (s *Store) make(ctx context.Context, tx *store.Tx, act *act, d Done) error {
	old, err := one(ctx, tx, "id = ? AND status = 'active'", d.ID)
	if err != nil {
		return err
	}
	next := old
	switch d.What {
	case "promoted":
		next.Kind = Pattern
	case "archived":
		next.Status = Archived
	case "linked":
		before, err := store.JSON(old.Record).Value()
		if err != nil {
			return err
		}
		if err := tx.Exec(ctx, "INSERT OR IGNORE INTO memory_conflicts (older, newer, at) VALUES (?, ?, ?)", d.With, d.ID, act.at.UnixNano()); err != nil {
			return err
		}
		return s.tell(ctx, tx, act, d.said(), d.ID, before.(string))
	}
	return s.change(ctx, tx, act, d.said(), old, next)
}
