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

const maxMissed = 1000

var missedTable = table[Missed]{
	name:    "mind_missed",
	columns: "at, zone, text, person, body",
	places: func(m *Missed) []any {
		return []any{store.Time(&m.At), store.Zone(&m.At), &m.Text, &m.Incident, &m.JSON}
	},
	check: checkMissed,
}

func checkMissed(m *Missed) error {
	switch {
	case m.Text == "" || m.At.IsZero():
		return refuse("what was missed has no words or no time", "Say in a few words what should have been told")
	case len(m.Text) > maxText:
		return refuse(fmt.Sprintf("the text has %d bytes, more than %d", len(m.Text), maxText), "Shorten it")
	case len(m.Incident) > maxName:
		return refuse(fmt.Sprintf("the incident's name is longer than %d bytes", maxName), "Copy the name as it is shown")
	case len(m.JSON) > maxJSON:
		return fmt.Errorf("its trace has %d bytes, more than %d", len(m.JSON), maxJSON)
	}
	m.Text = bounded(m.Text, maxText)
	return nil
}

// AddMissed keeps what was missed. What is too much or says nothing is an
// *store.Error with CodeInput.
func (s *Store) AddMissed(ctx context.Context, missed Missed) error {
	return s.write(ctx, "add missed", func(tx *store.Tx) error {
		if err := missedTable.add(ctx, tx, []Missed{missed}); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM mind_missed WHERE id <= (SELECT max(id) FROM mind_missed) - ?", maxMissed)
	})
}

// MissedList returns what was missed since that time, newest first, at most
// limit.
func (s *Store) MissedList(ctx context.Context, since time.Time, limit int) ([]Missed, error) {
	return missedTable.find(ctx, s, "missed", "WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?", since.UnixNano(), limit)
}
