package mind

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Incidents returns the incidents that have one of the keys or carry one of
// the links, each once, sorted by key.
func (s *Store) Incidents(ctx context.Context, keys []subconscious.IncidentKey, links []string) ([]subconscious.Incident, error) {
	return all(ctx, s, "incidents", store.JSONValue[subconscious.Incident], `SELECT body FROM mind_incidents
		WHERE key IN (SELECT value FROM json_each(?1)) OR key IN
			(SELECT key FROM mind_incident_links WHERE link IN (SELECT value FROM json_each(?2))) ORDER BY key`, store.JSON(keys), store.JSON(links))
}

func byKey(a, b subconscious.Incident) int { return cmp.Compare(a.Key, b.Key) }

// putIncidents writes those that differ from what is stored, at the time at.
func putIncidents(ctx context.Context, tx *store.Tx, incidents []subconscious.Incident, at time.Time) error {
	for _, incident := range incidents {
		if incident.Key == "" {
			return errors.New("an incident has no key")
		}
		body, err := json.Marshal(incident)
		if err != nil {
			return err
		}
		had, _, err := store.One(ctx, tx, store.Value[[]byte], "SELECT body FROM mind_incidents WHERE key = ?", incident.Key)
		if err != nil {
			return err
		}
		if string(had) == string(body) {
			continue
		}
		values := append([]any{incident.Key, nanoseconds(incident.LastSeen, at)}, tellingColumns(incident.Telling, at)...)
		if err := tx.Exec(ctx, `INSERT INTO mind_incidents (key, last_seen, person, live, since, told, feedback, body)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET last_seen = excluded.last_seen, person = excluded.person,
			live = excluded.live, since = excluded.since, told = excluded.told, feedback = excluded.feedback, body = excluded.body`,
			append(values, string(body))...); err != nil {
			return err
		}
		if err := putLinks(ctx, tx, incident, had); err != nil {
			return err
		}
	}
	return nil
}

// putLinks brings the links of an incident, which had the body had before, up
// to date.
func putLinks(ctx context.Context, tx *store.Tx, incident subconscious.Incident, had []byte) error {
	var last subconscious.Incident
	if had != nil {
		if err := json.Unmarshal(had, &last); err != nil {
			return fmt.Errorf("incident %s: %w", incident.Key, err)
		}
	}
	for _, link := range last.Links {
		if !slices.Contains(incident.Links, link) {
			if err := tx.Exec(ctx, "DELETE FROM mind_incident_links WHERE link = ? AND key = ?", link, incident.Key); err != nil {
				return err
			}
		}
	}
	for _, link := range incident.Links {
		if !slices.Contains(last.Links, link) {
			if err := tx.Exec(ctx, "INSERT OR IGNORE INTO mind_incident_links (link, key) VALUES (?, ?)", link, incident.Key); err != nil {
				return err
			}
		}
	}
	return nil
}
