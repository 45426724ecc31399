package mind

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Days adds up what was counted of the ticks of the days from one to another, both whole.
func (s *Store) Days(ctx context.Context, from, to time.Time) (counts map[string]int, err error) {
	err = s.read(ctx, "what was counted of days", func(tx *store.Tx) (err error) {
		counts, err = store.Map[string, int](ctx, tx, "SELECT what, sum(n) FROM mind_days WHERE day BETWEEN ? AND ? GROUP BY what", from.Format(time.DateOnly), to.Format(time.DateOnly))
		return err
	})
	return counts, err
}

func putCounts(ctx context.Context, tx *store.Tx, at time.Time, counts map[string]int) error {
	for what, n := range counts {
		if err := tx.Exec(ctx, "INSERT INTO mind_days VALUES (?, ?, ?) ON CONFLICT (day, what) DO UPDATE SET n = n + excluded.n", at.Format(time.DateOnly), what, n); err != nil {
			return err
		}
	}
	return nil
}
