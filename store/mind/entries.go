package mind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// LogEntry is one thing that happened to an entry. The log is kept for 30
// days, and for a year where the incident was told.
type LogEntry struct {
	Entry    subconscious.EntryID
	Incident subconscious.IncidentKey
	Tick     int64
	At       time.Time
	What     string // "added", "dropped"
	JSON     []byte // the caller's details, at most 64 KiB
}

var logTable = table[LogEntry]{
	name:    "mind_entry_log",
	columns: "entry, incident, tick, at, zone, what, body",
	places: func(l *LogEntry) []any {
		return []any{&l.Entry, &l.Incident, &l.Tick, store.Time(&l.At), store.Zone(&l.At), &l.What, &l.JSON}
	},
	check: func(l *LogEntry) error {
		switch {
		case l.Entry == "" || l.At.IsZero():
			return errors.New("a log line has no entry or no time")
		case len(l.JSON) > maxJSON:
			return fmt.Errorf("the log line of %s has %d bytes, more than %d", l.Entry, len(l.JSON), maxJSON)
		}
		return nil
	},
}

// Log returns all that is kept about an entry, oldest first.
func (s *Store) Log(ctx context.Context, entry subconscious.EntryID) ([]LogEntry, error) {
	return logTable.find(ctx, s, "log of "+string(entry), "WHERE entry = ? ORDER BY id", entry)
}

// LastEntry returns the entry as it is, or as it last was before it left the
// state; ok is false when it is not known, or was dropped so long ago that it
// is no longer kept.
func (s *Store) LastEntry(ctx context.Context, id subconscious.EntryID) (entry subconscious.Entry, ok bool, err error) {
	err = s.read(ctx, "last entry "+string(id), func(tx *store.Tx) error {
		state, err := getState(ctx, tx)
		if err != nil {
			return err
		}
		if entry, ok = state.Entry(id); !ok {
			entry, ok, err = store.One(ctx, tx, store.JSONValue[subconscious.Entry], "SELECT body FROM mind_entries_gone WHERE entry = ?", id)
		}
		return err
	})
	return entry, ok, err
}

// keepGone keeps aside the entries that are in the stored state and no longer
// in next.
func keepGone(ctx context.Context, tx *store.Tx, next subconscious.State, at time.Time) error {
	last, err := getState(ctx, tx)
	if err != nil {
		return err
	}
	stays := map[subconscious.EntryID]bool{}
	for _, entry := range slices.Concat(next.Entries, next.Parked) {
		stays[entry.ID] = true
	}
	for _, entry := range slices.Concat(last.Entries, last.Parked) {
		if stays[entry.ID] {
			continue
		}
		if err := tx.Exec(ctx, "INSERT OR REPLACE INTO mind_entries_gone (entry, incident, at, body) VALUES (?, ?, ?, ?)",
			entry.ID, entry.Incident, at.UnixNano(), store.JSON(entry)); err != nil {
			return err
		}
	}
	return nil
}

// keepTold notes the incidents of the history, with the last time.
func keepTold(ctx context.Context, tx *store.Tx, history []subconscious.EscalationRecord, at time.Time) error {
	for _, told := range history {
		if told.At.IsZero() {
			told.At = at
		}
		if err := noteTold(ctx, tx, told.Incident, told.At); err != nil {
			return err
		}
	}
	return nil
}

func noteTold(ctx context.Context, tx *store.Tx, incident subconscious.IncidentKey, at time.Time) error {
	return tx.Exec(ctx, `INSERT INTO mind_told (incident, at) VALUES (?1, ?2)
		ON CONFLICT (incident) DO UPDATE SET at = excluded.at WHERE excluded.at > at`, incident, at.UnixNano())
}
