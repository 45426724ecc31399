package mind

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Answered reports, in a transaction of another, whether the person has read,
// put off, dismissed or closed an incident: as the last tick left it, and in what
// waits for the next. What deliberations say of it is no answer.
func (s *Store) Answered(ctx context.Context, tx *store.Tx, key subconscious.IncidentKey, id subconscious.IncidentID, entry subconscious.EntryID) (answered bool, err error) {
	err = tx.Each(ctx, func(rows *sql.Rows) error {
		var incident subconscious.Incident
		err := scanBody(rows, &incident)
		answered = answered || isAnswered(incident)
		return err
	}, "SELECT body FROM mind_incidents WHERE key = ?", string(key))
	if err != nil || answered {
		return answered, wrapAnswered(key, err)
	}
	err = tx.Each(ctx, func(rows *sql.Rows) error {
		var c subconscious.Command
		err := scanBody(rows, &c)
		about := c.IncidentID != "" && c.IncidentID == id || c.Incident != "" && c.Incident == key || c.Entry != "" && c.Entry == entry
		answered = answered || about && answers(c)
		return err
	}, "SELECT body FROM mind_inputs WHERE done IS NULL")
	return answered, wrapAnswered(key, err)
}

func isAnswered(incident subconscious.Incident) bool {
	if incident.Closed != nil {
		return true
	}
	if incident.Telling == nil {
		return false
	}
	switch incident.Telling.State {
	case subconscious.TellingAcknowledged, subconscious.TellingSnoozed, subconscious.TellingDismissed:
		return true
	}
	return false
}

// answers reports whether a command says that the person knows of something, or
// does not want to.
func answers(c subconscious.Command) bool {
	switch c.Kind {
	case subconscious.CommandAck:
		return c.Text == "" && c.Feedback != subconscious.Missed && !subconscious.IsDeliberation(c.By)
	case subconscious.CommandSnooze, subconscious.CommandDismiss, subconscious.CommandClose:
		return !subconscious.IsDeliberation(c.By)
	}
	return false
}

func scanBody(rows interface{ Scan(...any) error }, into any) error {
	var body []byte
	if err := rows.Scan(&body); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func wrapAnswered(key subconscious.IncidentKey, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("mind: whether %s was answered: %w", key, err)
}
