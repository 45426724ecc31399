package mind

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The keys of the pause, and of how the backups are.
const (
	metaPause   = "pause"
	metaBackups = "backups"
)

// Meta returns a small value that was kept under key; ok is false where there
// is none.
func (s *Store) Meta(ctx context.Context, key string) (value string, ok bool, err error) {
	return one(ctx, s, "meta "+key, store.Value[string], "SELECT value FROM mind_meta WHERE key = ?", key)
}

// SetMeta keeps value under key; "" forgets the key.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	return s.write(ctx, "set meta "+key, func(tx *store.Tx) error {
		if value == "" {
			return tx.Exec(ctx, "DELETE FROM mind_meta WHERE key = ?", key)
		}
		return putMeta(ctx, tx, key, value)
	})
}

func putMeta(ctx context.Context, tx *store.Tx, key, value string) error {
	return tx.Exec(ctx, `INSERT INTO mind_meta (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`, key, value)
}

// Backups returns how the backups are that are made by themselves.
func (s *Store) Backups(ctx context.Context) (subconscious.Backups, error) {
	backups, _, err := one(ctx, s, "backups", store.JSONValue[subconscious.Backups], "SELECT value FROM mind_meta WHERE key = ?", metaBackups)
	return backups, err
}

// SetBackups keeps how they are.
func (s *Store) SetBackups(ctx context.Context, backups subconscious.Backups) error {
	return s.setJSON(ctx, metaBackups, backups)
}

func (s *Store) setJSON(ctx context.Context, key string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("mind: %s: %w", key, err)
	}
	return s.SetMeta(ctx, key, string(body))
}

// Pause says that no ticks run.
type Pause struct {
	// Until is zero while it is paused until resumed.
	Until time.Time `json:"until,omitzero"`
}

// Active reports whether the pause holds at the time at; a nil one never does.
func (p *Pause) Active(at time.Time) bool {
	return p != nil && (p.Until.IsZero() || at.Before(p.Until))
}

// SetPause pauses, across restarts too; nil resumes.
func (s *Store) SetPause(ctx context.Context, pause *Pause) error {
	if pause == nil {
		return s.SetMeta(ctx, metaPause, "")
	}
	return s.setJSON(ctx, metaPause, pause)
}

// Pause returns the pause that was set last, which may be over (see Active),
// or nil.
func (s *Store) Pause(ctx context.Context) (*Pause, error) {
	pause, ok, err := one(ctx, s, "pause", store.JSONValue[Pause], "SELECT value FROM mind_meta WHERE key = ?", metaPause)
	if err != nil || !ok {
		return nil, err
	}
	return &pause, nil
}
