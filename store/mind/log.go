package mind

import (
	"context"
	"errors"
	"fmt"
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

const maxLogJSON = 64 << 10

// Log returns all that is kept about an entry, oldest first.
func (s *Store) Log(ctx context.Context, entry subconscious.EntryID) ([]LogEntry, error) {
	return all(ctx, s, "log of "+string(entry), func(l *LogEntry) []any {
		return []any{&l.Entry, &l.Incident, &l.Tick, store.Time(&l.At), store.Zone(&l.At), &l.What, &l.JSON}
	}, "SELECT entry, incident, tick, at, zone, what, body FROM mind_entry_log WHERE entry = ? ORDER BY id", string(entry))
}

func putLog(ctx context.Context, tx *store.Tx, log []LogEntry) error {
	for _, line := range log {
		if line.Entry == "" || line.At.IsZero() {
			return errors.New("a log line has no entry or no time")
		}
		if len(line.JSON) > maxLogJSON {
			return fmt.Errorf("the log line of %s has %d bytes, more than %d", line.Entry, len(line.JSON), maxLogJSON)
		}
		at, zone := columns(line.At)
		if _, err := tx.ExecContext(ctx, `INSERT INTO mind_entry_log (entry, incident, tick, at, zone, what, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			string(line.Entry), string(line.Incident), line.Tick, at, zone, line.What, line.JSON); err != nil {
			return err
		}
	}
	return nil
}
