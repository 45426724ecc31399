package memory

import (
	"context"
	"errors"
	"fmt"
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
	// quarantined is how long after it was said last what a stranger said is kept at hand.
	quarantined = 90 * 24 * time.Hour
	// A tenth of the store is changed at most, and changesMost; so many more are proposed.
	changedPart, changesMost, proposedMost = 10, 500, 20
	// checkedMost records that were used are checked, and were not for checkedAfter.
	checkedMost, checkedAfter = 200, 7 * 24 * time.Hour
	// checkGitTime is how long git may take for all of them.
	checkGitTime = 10 * time.Second
	// comparedMost records are compared.
	comparedMost = 2000
)

// Consolidate puts the memory in order, without a model, once in 20 hours at most: it
// looks at the sources of what is used, promotes what was seen again and again, links
// what may contradict, and lets what strangers said go to the archive. Each change has a
// reason in the record's history, and is not made again after it was taken back. What
// would change more than a tenth of the store is proposed alone.
func (s *Store) Consolidate(ctx context.Context, now time.Time) (Consolidated, error) {
	now = time.Unix(0, now.UnixNano()).UTC()
	last, _, err := store.One(ctx, s.db, store.JSONValue[Consolidated], "SELECT value FROM memory_state WHERE key = ?", consolidation)
	if since := now.Sub(last.At); err != nil || since >= 0 && since < consolidateEvery {
		return last, wrapped(err)
	}
	done := Consolidated{At: now, Through: last.Through}
	if err := s.checkUsed(ctx, &done); err != nil {
		return Consolidated{}, wrapped(err)
	}
	var wanted []Done
	if err := s.db.Read(ctx, func(tx *store.Tx) (err error) {
		wanted, err = s.due(ctx, tx, now)
		if err == nil {
			err = s.compareAll(ctx, tx, &done, &wanted)
		}
		return err
	}); err != nil {
		return Consolidated{}, wrapped(err)
	}
	return done, wrapped(s.db.Write(ctx, func(tx *store.Tx) error {
		most, _, err := store.One(ctx, tx, store.Value[int], "SELECT coalesce(sum(records), 0) / ? FROM memory_counts WHERE status = 'active'", changedPart)
		if err != nil {
			return err
		}
		most = min(most, changesMost)
		for _, d := range wanted[:min(len(wanted), most)] {
			if made, err := s.make(ctx, tx, &act{at: now, by: consolidation}, d); err != nil {
				return err
			} else if made {
				done.Done = append(done.Done, d)
			}
		}
		wanted = wanted[min(len(wanted), most):]
		done.Proposed = wanted[:min(len(wanted), proposedMost)]
		return tx.Exec(ctx, "INSERT OR REPLACE INTO memory_state VALUES (?, ?)", consolidation, store.JSON(done))
	}))
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("memory: consolidate: %w", err)
	}
	return nil
}

// checkUsed looks at the sources of what was used, what was looked at longest ago first.
func (s *Store) checkUsed(ctx context.Context, done *Consolidated) error {
	ids, err := store.All(ctx, s.db, store.Value[string], `SELECT id FROM memory_records WHERE status = 'active' AND lane <> 'quarantine' AND used > 0
		AND (citations NOT IN ('[]', 'null') OR origin <> 'null') AND checked < ? AND created < ? ORDER BY checked, n LIMIT ?`,
		done.At.Add(-checkedAfter).UnixNano(), done.At.Add(-checkedAfter).UnixNano(), checkedMost)
	l := s.look()
	l.git = max(l.git, checkGitTime)
	for _, id := range ids {
		before, getErr := s.Get(ctx, id)
		now, found, checkErr := l.validate(ctx, id, consolidation)
		if err = errors.Join(getErr, checkErr); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		done.Checked++
		if now.Doubt() != before.Doubt() {
			done.Done = append(done.Done, Done{ID: id, What: "checked", Why: saysAll(found, now.Validity)})
		}
		err = nil
	}
	return err
}

// due is what is to be promoted, and to go to the archive.
func (s *Store) due(ctx context.Context, tx *store.Tx, now time.Time) ([]Done, error) {
	const untouched = " AND NOT EXISTS (SELECT 1 FROM memory_events e WHERE e.id = r.id AND e.who = '" + consolidation + "' AND e.what NOT LIKE 'checked:%' AND e.what NOT LIKE 'linked:%') ORDER BY n LIMIT ?"
	promoted, err := store.All(ctx, tx, func(d *Done) []any { return []any{&d.ID, &d.Why} }, `SELECT id, 'seen ' || seen || ' times' FROM memory_records r WHERE lane = 'trusted' AND status = 'active'
		AND (kind = 'insight' OR kind = 'note' AND source <> 'person') AND seen >= ? AND validity NOT IN ('changed', 'missing')
		AND NOT EXISTS (SELECT 1 FROM memory_conflicts c WHERE r.id IN (c.older, c.newer))`+untouched, promoteFrom, changesMost)
	if err != nil {
		return nil, err
	}
	for i := range promoted {
		promoted[i].What = "promoted"
	}
	archived, err := store.All(ctx, tx, func(d *Done) []any { return []any{&d.ID} }, `SELECT id FROM memory_records r WHERE lane = 'quarantine' AND status = 'active'
		AND pinned = 0 AND max(last_seen, updated) < ?`+untouched, now.Add(-quarantined).UnixNano(), changesMost+proposedMost)
	for i := range archived {
		archived[i].What, archived[i].Why = "archived", "in quarantine for more than 90 days"
	}
	return append(promoted, archived...), err
}

// compareAll goes through the next records: which say what others say or may contradict
// them, and which are not worth keeping.
func (s *Store) compareAll(ctx context.Context, tx *store.Tx, done *Consolidated, wanted *[]Done) error {
	if !s.ranked.whole.Load() {
		return nil
	}
	rows, err := store.All(ctx, tx, func(r *row) []any { return append(r.columns(), &r.n) }, "SELECT "+recordColumns+
		", r.n FROM memory_records r WHERE r.n > ? AND r.status = 'active' AND r.lane <> 'quarantine' ORDER BY r.n LIMIT ?", done.Through, comparedMost)
	if err != nil {
		return err
	}
	paired := map[Done]bool{}
	done.Through = 0
	for i, r := range rows {
		if i == comparedMost-1 {
			done.Through = r.n
		}
		done.Compared++
		alone := r.Record
		alone.About.Session, alone.Deliberation = "", "" // where it was recalled itself
		if reason, err := s.refuses(ctx, tx, alone); err != nil {
			return err
		} else if reason != "" {
			if done.Junk == nil {
				done.Junk = map[Reason]int{}
			}
			done.Junk[reason]++
		}
		if single(r.Topic) {
			continue
		}
		like, err := s.alike(ctx, tx, r.Record)
		if err != nil {
			return err
		}
		d := Done{ID: r.ID, What: "linked", With: like.ID, Why: "one of them may be wrong"}
		if like.same {
			done.Duplicates++
			d.Why = "they say the same"
		}
		if like.n > r.n {
			d.ID, d.With = d.With, d.ID
		}
		if like.ID == "" || paired[d] {
			continue
		}
		paired[d] = true
		// What was told apart once is not linked again.
		if _, known, err := store.One(ctx, tx, store.Value[int], `SELECT 1 FROM memory_conflicts WHERE (older, newer) IN ((?1, ?2), (?2, ?1))
			UNION ALL SELECT 1 FROM memory_events WHERE id = ?1 AND what = ?3`, d.ID, d.With, d.said()); err != nil {
			return err
		} else if !known {
			*wanted = append(*wanted, d)
		}
	}
	return nil
}

// said is how it stands in the record's history.
func (d Done) said() string {
	if d.With != "" {
		return d.What + ": with " + d.With + ", " + d.Why
	}
	return d.What + ": " + d.Why
}

// make does what is wanted, where the record is still there and active.
func (s *Store) make(ctx context.Context, tx *store.Tx, act *act, d Done) (bool, error) {
	old, err := one(ctx, tx, "id = ? AND status = 'active'", d.ID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, err
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
			return false, err
		}
		if err := tx.Exec(ctx, "INSERT OR IGNORE INTO memory_conflicts (older, newer, at) VALUES (?, ?, ?)", d.With, d.ID, act.at.UnixNano()); err != nil {
			return false, err
		}
		return true, s.tell(ctx, tx, act, d.said(), d.ID, before.(string))
	}
	return true, s.change(ctx, tx, act, d.said(), old, next)
}
