package senses

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// storedObservation is a row of ledger_observations.
type storedObservation struct {
	Latest      *subconscious.Observation `json:"latest"`
	Phase       phase                     `json:"phase"`
	Claims      []storedClaim             `json:"claims,omitempty"`
	Occurrences []subconscious.Occurrence `json:"occurrences"`
}

type storedClaim struct {
	Instance string `json:"instance,omitempty"`
	Scope    string `json:"scope,omitempty"`
	// Observation is left out where it is the latest.
	Observation *subconscious.Observation `json:"observation,omitempty"`
}

// writer runs statements until the first that fails.
type writer struct {
	ctx context.Context
	tx  *store.Tx
	err error
}

func (w *writer) exec(query string, args ...any) {
	if w.err == nil {
		_, w.err = w.tx.ExecContext(w.ctx, query, args...)
	}
}

// Persist writes what differs from the ledger, and nothing else, in the tick's
// transaction. It may be called again after a transaction that failed.
func (s *Staged) Persist(ctx context.Context, tx *store.Tx) error {
	w := &writer{ctx: ctx, tx: tx}
	s.writeChanges(w)
	s.writeRestamps(w)
	s.writeObservations(w)
	s.writeThreads(w)
	s.writeSenses(w)
	s.writeRows(w)
	s.pruneChanges(w)
	if w.err != nil {
		return fmt.Errorf("persist the ledger: %w", w.err)
	}
	return nil
}

func (s *Staged) writeChanges(w *writer) {
	if s.now.seq == s.base.seq {
		return
	}
	w.exec(`UPDATE ledger_counter SET seq = ?`, s.now.seq)
	for _, o := range s.changes {
		w.exec(`INSERT INTO ledger_changes (seq, ref, recorded, observation) VALUES (?, ?, ?, ?)`,
			o.Seq, string(o.Ref()), s.at.Unix(), store.JSON(o))
	}
}

func (s *Staged) writeObservations(w *writer) {
	for _, ref := range slices.Sorted(maps.Keys(s.rewritten)) {
		t := s.now.get(ref)
		if t == nil {
			w.exec(`DELETE FROM ledger_observations WHERE ref = ?`, string(ref))
			continue
		}
		stored := storedObservation{Latest: t.latest, Phase: t.phase, Occurrences: t.occurrences}
		for _, c := range t.claims {
			claim := storedClaim{Instance: c.instance, Scope: c.scope}
			if c.obs != t.latest {
				claim.Observation = c.obs
			}
			stored.Claims = append(stored.Claims, claim)
		}
		w.exec(`INSERT INTO ledger_observations (ref, shown, known, observation) VALUES (?, ?, ?, ?)
			ON CONFLICT (ref) DO UPDATE SET shown = excluded.shown, known = excluded.known, observation = excluded.observation`,
			string(ref), int64(t.shown), int64(t.known), store.JSON(stored))
	}
	for _, ref := range slices.Sorted(maps.Keys(s.marked)) {
		if t := s.now.get(ref); t != nil && !s.rewritten[ref] {
			w.exec(`UPDATE ledger_observations SET shown = ?, known = ? WHERE ref = ?`, int64(t.shown), int64(t.known), string(ref))
		}
	}
}

func (s *Staged) writeThreads(w *writer) {
	for _, thread := range slices.Sorted(maps.Keys(s.queues)) {
		before, now := s.base.pending[thread], s.now.pending[thread]
		for _, ref := range slices.Sorted(maps.Keys(before.items)) {
			if now.items[ref] == nil {
				w.exec(`DELETE FROM ledger_pending WHERE thread = ? AND ref = ?`, string(thread), string(ref))
			}
		}
		for _, ref := range slices.Sorted(maps.Keys(now.items)) {
			if o := now.items[ref]; before.items[ref] != o {
				w.exec(`INSERT INTO ledger_pending (thread, ref, seq, change, severity, band_only) VALUES (?, ?, ?, ?, ?, ?)
					ON CONFLICT (thread, ref) DO UPDATE SET seq = excluded.seq, change = excluded.change,
					severity = excluded.severity, band_only = excluded.band_only`,
					string(thread), string(ref), o.Seq, string(o.Change), int(o.Severity), o.BandOnly)
			}
		}
		if before.overflow != now.overflow && !s.slotted {
			w.exec(`UPDATE ledger_threads SET overflow = ? WHERE name = ?`, now.overflow, string(thread))
		}
	}
	if !s.slotted {
		return
	}
	for i, slot := range s.now.slots {
		w.exec(`INSERT INTO ledger_threads (slot, name, active, overflow) VALUES (?, ?, ?, ?)
			ON CONFLICT (slot) DO UPDATE SET active = excluded.active, overflow = excluded.overflow`,
			i, string(slot.name), slot.active, s.now.pending[slot.name].overflow)
	}
}

func (s *Staged) writeSenses(w *writer) {
	for _, id := range slices.SortedFunc(maps.Keys(s.touched), compareSources) {
		before, was := s.base.sources[id]
		now, is := s.now.sources[id]
		if was && before.health.State == Blind && (!is || now.health.State != Blind) {
			w.exec(`UPDATE ledger_blind SET ended = ? WHERE sense = ? AND id = ? AND ended IS NULL`,
				s.at.UnixMilli(), id.Sense, id.ID)
		}
		if !is {
			w.exec(`DELETE FROM ledger_senses WHERE sense = ? AND id = ?`, id.Sense, id.ID)
			w.exec(`DELETE FROM ledger_rows WHERE sense = ? AND id = ?`, id.Sense, id.ID)
			continue
		}
		w.exec(`INSERT INTO ledger_senses (sense, id, cursor, state, since, error) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (sense, id) DO UPDATE SET cursor = excluded.cursor, state = excluded.state,
			since = excluded.since, error = excluded.error`,
			id.Sense, id.ID, now.cursor, string(now.health.State), now.health.Since.Format(time.RFC3339Nano), now.health.Error)
		if now.health.State == Blind && before.health.State != Blind {
			w.exec(`INSERT INTO ledger_blind (sense, id, began, error) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				id.Sense, id.ID, s.at.UnixMilli(), now.health.Error)
			w.exec(`DELETE FROM ledger_blind WHERE ended < ?`, s.at.Add(-blindKept).UnixMilli())
		}
	}
}

func (s *Staged) writeRows(w *writer) {
	for _, rows := range s.rows {
		for _, row := range rows.rows {
			if row.Value == nil {
				w.exec(`DELETE FROM ledger_rows WHERE sense = ? AND id = ? AND key = ?`, rows.source.Sense, rows.source.ID, row.Key)
				continue
			}
			w.exec(`INSERT INTO ledger_rows (sense, id, key, value) VALUES (?, ?, ?, ?)
				ON CONFLICT (sense, id, key) DO UPDATE SET value = excluded.value`,
				rows.source.Sense, rows.source.ID, row.Key, row.Value)
		}
	}
}

// pruneChanges deletes the oldest changes, a few at a time, but for those that
// wait for a thread.
func (s *Staged) pruneChanges(w *writer) {
	kept := s.base.kept + len(s.changes)
	s.now.kept, s.now.oldest, s.now.pruned = kept, s.base.oldest, s.base.pruned
	if s.now.oldest == 0 && len(s.changes) > 0 {
		s.now.oldest = s.at.Unix()
	}
	excess, since := kept-maxChangesKept, s.at.Add(-textKept).Unix()
	aged := s.now.oldest != 0 && s.now.oldest < since && !s.at.Before(s.base.pruned.Add(pruneEvery))
	if w.err != nil || excess <= 0 && !aged {
		return
	}
	limit := pruneStep + len(s.changes)
	for _, q := range s.now.pending {
		limit += len(q.items)
	}
	deleted, err := w.tx.Run(w.ctx, `DELETE FROM ledger_changes WHERE seq IN (
			SELECT seq FROM (SELECT seq, recorded FROM ledger_changes ORDER BY seq LIMIT ?)
			WHERE recorded < ? OR seq IN (SELECT seq FROM ledger_changes ORDER BY seq LIMIT ?))
		AND seq NOT IN (SELECT seq FROM ledger_pending)`, limit, since, min(max(excess, 0), limit))
	if err != nil {
		w.err = err
		return
	}
	s.now.kept -= int(deleted)
	s.now.pruned = s.at
	s.now.oldest, w.err = oldestChange(w.ctx, w.tx)
}
