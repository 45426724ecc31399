package mind

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	keep     = 30 * 24 * time.Hour
	keepTell = 365 * 24 * time.Hour
	// keptTicks stay however old they are: after a long time switched off the
	// file that was published last must still be known as ours.
	keptTicks = 300
	// A sweep runs every sweepEvery ticks and looks at sweepRows rows a table.
	sweepEvery = 16
	sweepRows  = 512
)

// sweep removes what is older than it is kept, a few rows at a time.
func (s *Store) sweep(ctx context.Context, tx *store.Tx, tick int64, at time.Time, state subconscious.State) error {
	if tick%sweepEvery != 0 {
		return nil
	}
	aged := func(table string, kept time.Duration) error {
		return tx.Exec(ctx, "DELETE FROM "+table+" WHERE id IN (SELECT id FROM "+table+" WHERE at < ? ORDER BY at LIMIT ?)", before(at, kept), sweepRows)
	}
	return cmp.Or(
		// The oldest ticks, up to one that others are packed against.
		tx.Exec(ctx, `DELETE FROM mind_ticks WHERE tick < (
			SELECT max(tick) FROM (SELECT tick, at, base FROM mind_ticks ORDER BY tick LIMIT ?)
			WHERE base IS NULL AND at < ? AND tick <= ?)`, 3*rebase, before(at, keep), tick-keptTicks),
		tx.Exec(ctx, `DELETE FROM mind_inputs WHERE id IN
			(SELECT id FROM mind_inputs ORDER BY id LIMIT ?) AND done IS NOT NULL AND at < ?`, sweepRows, before(at, keep)),
		aged("mind_model_calls", keep),
		aged("mind_pushes", keepPushes),
		aged("mind_missed", keepTell),
		sweepOf(ctx, tx, "mind_entry_log", &s.sweptLog, at),
		sweepOf(ctx, tx, "mind_entries_gone", &s.sweptGone, at),
		sweepOf(ctx, tx, "mind_decisions", &s.sweptDecisions, at),
		tx.Exec(ctx, `DELETE FROM mind_scores WHERE (thread, source, kind) IN (
			SELECT thread, source, kind FROM mind_scores ORDER BY updated DESC, thread, source, kind LIMIT -1 OFFSET ?)`, maxScores),
		// The ones of the fewest acts go, so that no flood of senders ends what was learnt of others.
		tx.Exec(ctx, `DELETE FROM mind_habits WHERE name IN (
			SELECT name FROM mind_habits ORDER BY json_extract(body, '$.acts') DESC, day DESC, name LIMIT -1 OFFSET ?)`, maxScores),
		tx.Exec(ctx, "DELETE FROM mind_told WHERE at < ?", before(at, keepTell)),
		s.sweepIncidents(ctx, tx, at, state),
	)
}

// sweepOf removes rows older than they are kept from a table that has an
// incident a row.
func sweepOf(ctx context.Context, tx *store.Tx, table string, cursor *atomic.Int64, at time.Time) error {
	last, err := advance(ctx, tx, table, cursor)
	if err != nil {
		return err
	}
	return tx.Exec(ctx, "DELETE FROM "+table+` WHERE id > ? AND id <= ? AND at < ? AND (at < ? OR NOT EXISTS (
		SELECT 1 FROM mind_told WHERE mind_told.incident = `+table+`.incident AND mind_told.at >= ?))`,
		last.from, last.to, before(at, keep), before(at, keepTell), before(at, keepTell))
}

// span is a range of row ids: from is before the first, to is the last.
type span struct{ from, to int64 }

// advance moves the cursor over the next rows of the table, or back to its
// beginning after the last.
func advance(ctx context.Context, tx *store.Tx, table string, cursor *atomic.Int64) (span, error) {
	next := span{from: cursor.Load()}
	var rows int
	err := tx.QueryRowContext(ctx, "SELECT count(*), coalesce(max(id), 0) FROM (SELECT id FROM "+table+" WHERE id > ? ORDER BY id LIMIT ?)",
		next.from, sweepRows).Scan(&rows, &next.to)
	if err != nil {
		return span{}, err
	}
	cursor.Store(next.to)
	if rows < sweepRows {
		cursor.Store(0)
	}
	return next, nil
}

// sweepIncidents removes incidents that were last seen a year ago, but those
// that an entry is about, those closed for ever, and for another year those
// that wait to be told or to be reminded of.
func (s *Store) sweepIncidents(ctx context.Context, tx *store.Tx, at time.Time, state subconscious.State) error {
	next, err := advance(ctx, tx, "mind_incidents", &s.sweptIncidents)
	if err != nil {
		return err
	}
	held := map[subconscious.IncidentKey]bool{}
	for _, entry := range slices.Concat(state.Entries, state.Parked) {
		held[entry.Incident] = true
	}
	old, err := store.All(ctx, tx, store.JSONValue[subconscious.Incident],
		"SELECT body FROM mind_incidents WHERE id > ? AND id <= ? AND last_seen < ? AND (live < ? OR last_seen < ?)",
		next.from, next.to, before(at, keepTell), liveToRemind, before(at, 2*keepTell))
	if err != nil {
		return err
	}
	for _, incident := range old {
		if held[incident.Key] || incident.Closed != nil && incident.Closed.Forever {
			continue
		}
		if err := cmp.Or(
			tx.Exec(ctx, "DELETE FROM mind_incident_links WHERE link IN (SELECT value FROM json_each(?)) AND key = ?", store.JSON(incident.Links), incident.Key),
			tx.Exec(ctx, "DELETE FROM mind_incidents WHERE key = ?", incident.Key),
		); err != nil {
			return err
		}
	}
	return nil
}
