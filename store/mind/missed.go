package mind

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Missed is what the person said should have been told. It is kept for a year,
// and the newest 1,000 at most.
type Missed struct {
	At   time.Time
	Text string
	// Incident that it belongs to, where it has one.
	Incident subconscious.IncidentID
	JSON     []byte // the caller's trace, at most 64 KiB
}

const (
	maxMissed     = 1000
	maxMissedJSON = 64 << 10
)

// AddMissed keeps what was missed. What is too much or says nothing is an
// *store.Error with CodeInput.
func (s *Store) AddMissed(ctx context.Context, missed Missed) error {
	switch {
	case missed.Text == "" || missed.At.IsZero():
		return refuse("what was missed has no words or no time", "Say in a few words what should have been told")
	case len(missed.Text) > maxText:
		return refuse(fmt.Sprintf("the text has %d bytes, more than %d", len(missed.Text), maxText), "Shorten it")
	case len(missed.Incident) > maxName:
		return refuse(fmt.Sprintf("the incident's name is longer than %d bytes", maxName), "Copy the name as it is shown")
	case len(missed.JSON) > maxMissedJSON:
		return fmt.Errorf("mind: add missed: its trace has %d bytes, more than %d", len(missed.JSON), maxMissedJSON)
	}
	at, zone := columns(missed.At)
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO mind_missed (at, zone, text, person, body) VALUES (?, ?, ?, ?, ?)",
			at, zone, bounded(missed.Text, maxText), string(missed.Incident), missed.JSON); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM mind_missed WHERE id <= (SELECT max(id) FROM mind_missed) - ?", maxMissed)
		return err
	})
	if err != nil {
		return fmt.Errorf("mind: add missed: %w", err)
	}
	return nil
}

// MissedList returns what was missed since that time, newest first, at most
// limit.
func (s *Store) MissedList(ctx context.Context, since time.Time, limit int) ([]Missed, error) {
	return all(ctx, s, "missed", func(m *Missed) []any {
		return []any{store.Time(&m.At), store.Zone(&m.At), &m.Text, &m.Incident, &m.JSON}
	},
		"SELECT at, zone, text, person, body FROM mind_missed WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?", since.UnixNano(), limit)
}

func sweepMissed(ctx context.Context, tx *store.Tx, at time.Time) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM mind_missed WHERE id IN (SELECT id FROM mind_missed WHERE at < ? ORDER BY at LIMIT ?)",
		before(at, keepTell), sweepRows)
	return err
}
