package mind

import (
	"context"
	"slices"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Answered reports, in a transaction of another, whether the person has read,
// put off, dismissed or closed an incident: as the last tick left it, and in what
// waits for the next. What deliberations say of it is no answer.
func (s *Store) Answered(ctx context.Context, tx *store.Tx, key subconscious.IncidentKey, id subconscious.IncidentID, entry subconscious.EntryID) (bool, error) {
	incidents, err := store.All(ctx, tx, store.JSONValue[subconscious.Incident], "SELECT body FROM mind_incidents WHERE key = ?", key)
	if err != nil || slices.ContainsFunc(incidents, isAnswered) {
		return err == nil, wrap("whether "+string(key)+" was answered", err)
	}
	commands, err := store.All(ctx, tx, store.JSONValue[subconscious.Command], "SELECT body FROM mind_inputs WHERE done IS NULL")
	return slices.ContainsFunc(commands, func(c subconscious.Command) bool {
		about := c.IncidentID != "" && c.IncidentID == id || c.Incident != "" && c.Incident == key || c.Entry != "" && c.Entry == entry
		return about && answers(c)
	}), wrap("whether "+string(key)+" was answered", err)
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
