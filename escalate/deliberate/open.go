package deliberate

import (
	"context"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/store"
)

// Open returns the escalations that have not ended, without what was said and done in
// them, in the order in which they are taken up.
func (w *Worker) Open(ctx context.Context) (open []Record, err error) {
	err = w.DB.Read(ctx, func(tx *store.Tx) error {
		ids, err := names(ctx, tx, "SELECT id FROM escalations WHERE state <> 'ended' ORDER BY "+turns, maxStuck, w.Now().Add(soon).UnixNano())
		if err != nil {
			return err
		}
		for _, id := range ids {
			r, err := w.scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM escalations WHERE id = ?", id))
			if errors.Is(err, errUnreadable) {
				continue // the worker lets it go
			}
			if err != nil {
				return err
			}
			open = append(open, r.Record)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("deliberate: read what is open: %w", err)
	}
	return open, nil
}
