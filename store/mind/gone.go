package mind

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// LastEntry returns the entry as it is, or as it last was before it left the
// state; ok is false when it is not known, or was dropped so long ago that it
// is no longer kept.
func (s *Store) LastEntry(ctx context.Context, id subconscious.EntryID) (entry subconscious.Entry, ok bool, err error) {
	err = s.db.Read(ctx, func(tx *store.Tx) error {
		state, err := getState(ctx, tx)
		if err != nil {
			return err
		}
		if entry, ok = state.Entry(id); ok {
			return nil
		}
		entry, ok, err = store.One(ctx, tx, store.JSONValue[subconscious.Entry], "SELECT body FROM mind_entries_gone WHERE entry = ?", string(id))
		return err
	})
	if err != nil {
		return subconscious.Entry{}, false, fmt.Errorf("mind: last entry %s: %w", id, err)
	}
	return entry, ok, nil
}

// keepGone keeps aside the entries that are in the stored state and no longer
// in next.
func keepGone(ctx context.Context, tx *store.Tx, next subconscious.State, at time.Time) error {
	last, err := getState(ctx, tx)
	if err != nil {
		return err
	}
	stays := map[subconscious.EntryID]bool{}
	for _, entries := range [][]subconscious.Entry{next.Entries, next.Parked} {
		for _, entry := range entries {
			stays[entry.ID] = true
		}
	}
	for _, entries := range [][]subconscious.Entry{last.Entries, last.Parked} {
		for _, entry := range entries {
			if stays[entry.ID] {
				continue
			}
			body, err := json.Marshal(entry)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO mind_entries_gone (entry, incident, at, body) VALUES (?, ?, ?, ?)`,
				string(entry.ID), string(entry.Incident), at.UnixNano(), body); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepTold notes the incidents of the history, with the last time.
func keepTold(ctx context.Context, tx *store.Tx, history []subconscious.EscalationRecord, at time.Time) error {
	for _, told := range history {
		if err := noteTold(ctx, tx, told.Incident, nanoseconds(told.At, at)); err != nil {
			return err
		}
	}
	return nil
}

func noteTold(ctx context.Context, tx *store.Tx, incident subconscious.IncidentKey, at int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO mind_told (incident, at) VALUES (?1, ?2)
		ON CONFLICT (incident) DO UPDATE SET at = excluded.at WHERE excluded.at > at`, string(incident), at)
	return err
}
