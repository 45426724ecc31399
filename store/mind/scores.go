package mind

import (
	"context"
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxScores bounds how many sorts of things are remembered, of which the ones that
// changed last stay, and how many habits.
const maxScores = 2000

// Scores returns how telling each sort of thing has fared, by thread, source
// and kind.
func (s *Store) Scores(ctx context.Context) ([]subconscious.Score, error) {
	return all(ctx, s, "scores", store.JSONValue[subconscious.Score], "SELECT body FROM mind_scores ORDER BY thread, source, kind")
}

// ResetScores forgets the scores of that thread, source and kind, each of which
// may be empty for all, and returns how many they were. It must not run while
// a tick that read them does, which would bring back what it changed.
func (s *Store) ResetScores(ctx context.Context, thread subconscious.ThreadName, source string, kind subconscious.Kind) (int, error) {
	var forgotten int64
	err := s.write(ctx, "reset scores", func(tx *store.Tx) (err error) {
		forgotten, err = tx.Run(ctx, `DELETE FROM mind_scores WHERE (?1 = '' OR thread = ?1) AND (?2 = '' OR source = ?2)
			AND (?3 = '' OR kind = ?3)`, thread, source, kind)
		return err
	})
	return int(forgotten), err
}

func putScores(ctx context.Context, tx *store.Tx, scores []subconscious.Score, at time.Time) error {
	for _, score := range scores {
		if score.Thread == "" || len(score.Thread)+len(score.Source)+len(score.Kind) > maxName {
			return errors.New("a score has no thread, or longer names than there are")
		}
		if err := tx.Exec(ctx, `INSERT INTO mind_scores (thread, source, kind, updated, body) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (thread, source, kind) DO UPDATE SET updated = excluded.updated, body = excluded.body WHERE body <> excluded.body`,
			score.Thread, score.Source, score.Kind, nanoseconds(score.Updated, at), store.JSON(score)); err != nil {
			return err
		}
	}
	return nil
}
