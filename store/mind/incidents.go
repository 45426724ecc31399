package mind

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// chunk is how many values one query asks for.
const chunk = 500

// Incidents returns the incidents that have one of the keys or carry one of
// the links, each once, sorted by key.
func (s *Store) Incidents(ctx context.Context, keys []subconscious.IncidentKey, links []string) ([]subconscious.Incident, error) {
	found := map[subconscious.IncidentKey]subconscious.Incident{}
	err := s.db.Read(ctx, func(tx *store.Tx) error {
		wanted := make([]any, len(keys))
		for i, key := range keys {
			wanted[i] = string(key)
		}
		if err := findIncidents(ctx, tx, "SELECT body FROM mind_incidents WHERE key IN (%s)", wanted, found); err != nil {
			return err
		}
		wanted = make([]any, len(links))
		for i, link := range links {
			wanted[i] = link
		}
		return findIncidents(ctx, tx, `SELECT body FROM mind_incidents WHERE key IN
			(SELECT key FROM mind_incident_links WHERE link IN (%s))`, wanted, found)
	})
	if err != nil {
		return nil, fmt.Errorf("mind: incidents: %w", err)
	}
	return slices.SortedFunc(maps.Values(found), byKey), nil
}

func byKey(a, b subconscious.Incident) int { return cmp.Compare(a.Key, b.Key) }

func findIncidents(ctx context.Context, tx *store.Tx, query string, wanted []any, found map[subconscious.IncidentKey]subconscious.Incident) error {
	for some := range slices.Chunk(wanted, chunk) {
		marks := strings.TrimSuffix(strings.Repeat("?,", len(some)), ",")
		incidents, err := store.All(ctx, tx, store.JSONValue[subconscious.Incident], fmt.Sprintf(query, marks), some...)
		if err != nil {
			return err
		}
		for _, incident := range incidents {
			found[incident.Key] = incident
		}
	}
	return nil
}

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
		var had []byte
		err = tx.QueryRowContext(ctx, "SELECT body FROM mind_incidents WHERE key = ?", string(incident.Key)).Scan(&had)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if string(had) == string(body) {
			continue
		}
		t := tellingColumns(incident.Telling, at)
		if _, err := tx.ExecContext(ctx, `INSERT INTO mind_incidents (key, last_seen, person, live, since, told, feedback, body)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET last_seen = excluded.last_seen, person = excluded.person,
			live = excluded.live, since = excluded.since, told = excluded.told, feedback = excluded.feedback, body = excluded.body`,
			string(incident.Key), nanoseconds(incident.LastSeen, at), t.person, t.live, t.since, t.told, t.feedback, string(body)); err != nil {
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
			if _, err := tx.ExecContext(ctx, "DELETE FROM mind_incident_links WHERE link = ? AND key = ?", link, string(incident.Key)); err != nil {
				return err
			}
		}
	}
	for _, link := range incident.Links {
		if !slices.Contains(last.Links, link) {
			if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO mind_incident_links (link, key) VALUES (?, ?)", link, string(incident.Key)); err != nil {
				return err
			}
		}
	}
	return nil
}
